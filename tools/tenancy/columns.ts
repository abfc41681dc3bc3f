import { Relation, Term } from './terms.ts'

export type Column = { name: string; term: Term | null }
/** What a query gives. Open: with others whose names are not known. */
export type Columns = { known: readonly Column[]; isOpen: boolean }

export const NOTHING: Columns = { known: [], isOpen: false }
export const UNKNOWN = new Relation('unknown', new Map(), 'several')

/** Of a union: what both sides say of it, taken together. */
export function eitherOf(left: Columns, right: Columns): Columns {
  const known = left.known.map(({ name, term }, index) => {
    const other = right.known[index]?.term ?? null
    if (term === null || other === null || term.root === other.root) return { name, term: other && term }
    return { name, term: term.origins.size > 0 && other.origins.size > 0 ? new Term('several') : new Term() }
  })
  return { known, isOpen: left.isOpen && right.isOpen }
}

export function toRelation(name: string, { known, isOpen }: Columns, aliases: readonly string[]): Relation {
  const columns = known.map(
    (column, index) => [aliases[index] ?? column.name, column.term ?? new Term()] as const,
  )
  return new Relation(name, new Map(columns), isOpen ? 'several' : null)
}

export function equate(one: Term | null, other: Term | null): void {
  if (one !== null && other !== null) one.equals(other)
}

export function columnOf(relations: readonly Relation[], name: string): Term | null {
  return relations.find(relation => relation.has(name))?.column(name) ?? null
}
