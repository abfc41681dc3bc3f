/** Where the value of a column comes from. `one`: a parameter or constant. `several`: a list of them. */
export type Origin = 'one' | 'several'

/** A value in a statement. Those that the statement sets equal are one. */
export class Term {
  #parent: Term = this
  readonly #origins = new Set<Origin>()

  constructor(origin?: Origin) {
    if (origin !== undefined) this.#origins.add(origin)
  }

  /** The one that stands for all that are equal to this. */
  get root(): Term {
    return this.#parent === this ? this : this.#parent.root
  }

  equals(other: Term): void {
    const [from, to] = [this.root, other.root]
    if (from === to) return
    from.#parent = to
    for (const origin of from.#origins) to.#origins.add(origin)
  }

  comesFrom(origin: Origin): void {
    this.root.#origins.add(origin)
  }

  get origins(): ReadonlySet<Origin> {
    return this.root.#origins
  }
}

/** A relation of a from clause, as far as its columns are known. */
export class Relation {
  readonly label: string
  readonly #columns: Map<string, Term>
  /** Of columns that nobody named: of a function, or of a table that the schema does not have. */
  readonly #others: Origin | null

  constructor(label: string, columns: ReadonlyMap<string, Term>, others: Origin | null = null) {
    this.label = label
    this.#columns = new Map(columns)
    this.#others = others
  }

  column(name: string): Term | null {
    const known = this.#columns.get(name)
    if (known !== undefined || this.#others === null) return known ?? null
    const term = new Term(this.#others)
    this.#columns.set(name, term)
    return term
  }

  /** Has it for sure, and is not only open for any name. */
  has(name: string): boolean {
    return this.#columns.has(name)
  }

  get isOpen(): boolean {
    return this.#others !== null
  }

  get columns(): readonly (readonly [string, Term])[] {
    return [...this.#columns]
  }
}

/** The names that an expression can use. */
export class Scope {
  readonly relations = new Map<string, Relation>()
  readonly #queries = new Map<string, Relation>()
  readonly #outer: Scope | null
  /** It uses a column of the query around it. */
  isCorrelated = false

  constructor(outer: Scope | null) {
    this.#outer = outer
  }

  /** A query of a `with` clause. */
  name(query: string, relation: Relation): void {
    this.#queries.set(query, relation)
  }

  query(name: string): Relation | null {
    return this.#queries.get(name) ?? this.#outer?.query(name) ?? null
  }

  column(relation: string | null, name: string): Term | null {
    const found = relation === null ? this.#owner(name) : this.relations.get(relation)
    const own = found?.column(name) ?? null
    if (own !== null || this.#outer === null) return own
    const outer = this.#outer.column(relation, name)
    this.isCorrelated ||= outer !== null
    return outer
  }

  #owner(name: string): Relation | undefined {
    const all = [...this.relations.values()]
    return all.find(relation => relation.has(name)) ?? all.find(relation => relation.isOpen)
  }
}
