import type { Node, RangeVar, SelectStmt, WithClause } from 'libpg-query'
import {
  columnOf,
  eitherOf,
  equate,
  NOTHING,
  toRelation,
  UNKNOWN,
  type Column,
  type Columns,
} from './columns.ts'
import type { Level, Use } from './levels.ts'
import { aliasesOf, itemsOf, nameOf, starOf, stringsOf } from './nodes.ts'
import type { Schema } from './schema.ts'
import { Relation, Scope, Term } from './terms.ts'

/** Which values a statement sets equal to each other, and which tenant tables it has where. */
export class Analysis {
  readonly uses: Use[] = []
  readonly levels: Level[] = []
  readonly problems: string[] = []
  readonly #schema: Schema
  readonly #values = new Map<string, Term>()
  readonly #institutes: Map<string, Term>[] = []
  readonly #done = new WeakMap<object, Columns>()

  constructor(schema: Schema) {
    this.#schema = schema
  }

  statement(node: Node, outer: Scope | null = null, level: Level | null = null): Columns {
    if ('SelectStmt' in node) return this.select(node.SelectStmt, outer, level)
    const at = this.#open(outer, level)
    const { scope } = at
    if ('InsertStmt' in node) {
      const {
        relation,
        cols = [],
        selectStmt,
        onConflictClause,
        returningClause,
        withClause,
      } = node.InsertStmt
      this.#with(withClause, at)
      const names = cols.flatMap(col => ('ResTarget' in col ? [col.ResTarget.name ?? ''] : []))
      const source = selectStmt === undefined ? NOTHING : this.statement(selectStmt, scope, at)
      const use = this.#target(relation, at)
      scope.relations.set('excluded', [...scope.relations.values()].at(-1) ?? UNKNOWN)
      if (use !== null) this.#insertedInto(use, names, source)
      this.#search(onConflictClause, at)
      return this.#output(returningClause?.exprs, at)
    }
    if ('UpdateStmt' in node) {
      const { relation, targetList, fromClause, whereClause, returningClause, withClause } = node.UpdateStmt
      this.#with(withClause, at)
      this.#target(relation, at)
      this.#from(fromClause, at)
      this.#conditions(whereClause, at)
      this.#search(targetList, at)
      return this.#output(returningClause?.exprs, at)
    }
    if ('DeleteStmt' in node) {
      const { relation, usingClause, whereClause, returningClause, withClause } = node.DeleteStmt
      this.#with(withClause, at)
      this.#target(relation, at)
      this.#from(usingClause, at)
      this.#conditions(whereClause, at)
      return this.#output(returningClause?.exprs, at)
    }
    return NOTHING
  }

  /** Who is named by the code in an address is as well known as by a number. */
  resolveCodes(): void {
    for (const columns of this.#institutes)
      if (columns.get('code')?.origins.has('one') === true) columns.get('id')?.comesFrom('one')
  }

  select(stmt: SelectStmt, outer: Scope | null, level: Level | null): Columns {
    const done = this.#done.get(stmt)
    if (done !== undefined) return done
    const at = this.#open(outer, level)
    this.#with(stmt.withClause, at)
    const columns = this.#selectColumns(stmt, at)
    this.#done.set(stmt, columns)
    return columns
  }

  #selectColumns(stmt: SelectStmt, at: Level): Columns {
    if (stmt.larg !== undefined && stmt.rarg !== undefined)
      return eitherOf(this.select(stmt.larg, at.scope, at), this.select(stmt.rarg, at.scope, at))
    if (stmt.valuesLists !== undefined) return this.#valuesColumns(stmt.valuesLists, at)
    this.#from(stmt.fromClause, at)
    this.#conditions(stmt.whereClause, at)
    const { targetList, havingClause, groupClause, sortClause, limitCount, limitOffset, distinctClause } =
      stmt
    for (const part of [havingClause, groupClause, sortClause, limitCount, limitOffset, distinctClause])
      this.#search(part, at)
    this.#lock(stmt.lockingClause, at)
    return this.#output(targetList, at)
  }

  #open(outer: Scope | null, level: Level | null): Level {
    const at = { uses: [], outer: level, scope: new Scope(outer) }
    this.levels.push(at)
    return at
  }

  #with(clause: WithClause | undefined, at: Level): void {
    for (const node of clause?.ctes ?? []) {
      if (!('CommonTableExpr' in node)) continue
      const { ctequery, ctename = '' } = node.CommonTableExpr
      if (ctequery === undefined) continue
      if (clause?.recursive === true && 'SelectStmt' in ctequery && ctequery.SelectStmt.larg !== undefined) {
        const first = this.select(ctequery.SelectStmt.larg, at.scope, at)
        at.scope.name(ctename, toRelation(ctename, first, aliasesOf(node.CommonTableExpr)))
      }
      const columns = this.statement(ctequery, at.scope, at)
      at.scope.name(ctename, toRelation(ctename, columns, aliasesOf(node.CommonTableExpr)))
    }
  }

  /** The table that is written. */
  #target(relation: RangeVar | undefined, at: Level): Use | null {
    const use = this.#table(relation, at, 'written')
    const target = [...at.scope.relations.values()].at(-1) ?? UNKNOWN
    at.scope.relations.set('old', target).set('new', target)
    return use
  }

  #insertedInto(use: Use, names: readonly string[], source: Columns): void {
    const position = names.indexOf('institute_id')
    if (position < 0) {
      this.problems.push(`${use.label} is inserted into without institute_id among the named columns`)
      use.institute.comesFrom('one')
      return
    }
    const term = source.known[position]?.term
    if (term) use.institute.equals(term)
    else if (source.isOpen) use.institute.comesFrom('several')
  }

  #table(relation: RangeVar | undefined, at: Level, act: Use['act']): Use | null {
    const { relname = '', alias, schemaname } = relation ?? {}
    const name = alias?.aliasname ?? relname
    const query = schemaname === undefined ? at.scope.query(relname) : null
    const names = this.#schema.columns.get(relname)
    const columns = new Map(query?.columns ?? [...(names ?? [])].map(column => [column, new Term()] as const))
    at.scope.relations.set(
      name,
      new Relation(
        name,
        columns,
        query?.isOpen === true || (query === null && names === undefined) ? 'several' : null,
      ),
    )
    if (relname === 'institutes' && query === null) this.#institutes.push(columns)
    if (query !== null || schemaname !== undefined || !this.#schema.tenants.has(relname)) return null
    const institute = columns.get('institute_id')
    if (institute === undefined) return null
    const use = { label: name === relname ? relname : `${relname} ${name}`, institute, act }
    this.uses.push(use)
    at.uses.push(use)
    return use
  }

  #from(items: readonly Node[] | undefined, at: Level): void {
    for (const item of items ?? []) {
      if ('RangeVar' in item) this.#table(item.RangeVar, at, 'read')
      else if ('RangeSubselect' in item) {
        const { subquery, alias } = item.RangeSubselect
        if (subquery === undefined) continue
        const name = alias?.aliasname ?? `subselect ${at.scope.relations.size}`
        const columns = this.statement(subquery, at.scope, at)
        at.scope.relations.set(name, toRelation(name, columns, stringsOf(alias?.colnames)))
      } else if ('RangeFunction' in item) {
        const { alias, functions } = item.RangeFunction
        this.#search(functions, at)
        const name = alias?.aliasname ?? `function ${at.scope.relations.size}`
        const columns = stringsOf(alias?.colnames).map(column => [column, new Term('several')] as const)
        at.scope.relations.set(name, new Relation(name, new Map(columns), 'several'))
      } else if ('JoinExpr' in item) {
        const { larg, rarg, quals, usingClause } = item.JoinExpr
        if (larg !== undefined) this.#from([larg], at)
        const left = [...at.scope.relations.values()]
        if (rarg !== undefined) this.#from([rarg], at)
        const right = [...at.scope.relations.values()].slice(left.length)
        for (const name of stringsOf(usingClause)) equate(columnOf(left, name), columnOf(right, name))
        this.#conditions(quals, at)
      }
    }
  }

  /** What has to hold for every row: what `or` and `not` say sets nothing equal. */
  #conditions(node: Node | undefined, at: Level): void {
    if (node === undefined) return
    if ('BoolExpr' in node && node.BoolExpr.boolop === 'AND_EXPR') {
      for (const arg of node.BoolExpr.args ?? []) this.#conditions(arg, at)
      return
    }
    this.#search(node, at)
    if ('A_Expr' in node) {
      const { kind, name, lexpr, rexpr } = node.A_Expr
      if (stringsOf(name)[0] !== '=') return
      if (kind === 'AEXPR_OP') {
        const right = itemsOf(rexpr)
        for (const [index, item] of itemsOf(lexpr).entries())
          equate(this.#term(item, at), this.#term(right[index], at))
      } else if (kind === 'AEXPR_IN' || kind === 'AEXPR_OP_ANY') this.#term(lexpr, at)?.comesFrom('several')
    } else if ('SubLink' in node && node.SubLink.subLinkType === 'ANY_SUBLINK') {
      const { testexpr, subselect, operName } = node.SubLink
      if (subselect === undefined || (operName !== undefined && stringsOf(operName)[0] !== '=')) return
      const { known, isOpen } = this.statement(subselect, at.scope, at)
      for (const [index, item] of itemsOf(testexpr).entries()) {
        const term = this.#term(item, at)
        if (known[index] !== undefined) equate(term, known[index].term)
        else if (isOpen) term?.comesFrom('several')
      }
    }
  }

  #term(node: Node | undefined, at: Level): Term | null {
    if (node === undefined) return null
    if ('TypeCast' in node) return this.#term(node.TypeCast.arg, at)
    if ('ParamRef' in node) return this.#value(`$${node.ParamRef.number}`)
    if ('A_Const' in node) return this.#value(JSON.stringify({ ...node.A_Const, location: 0 }))
    if ('ColumnRef' in node) {
      const path = stringsOf(node.ColumnRef.fields)
      return at.scope.column(path.at(-2) ?? null, path.at(-1) ?? '')
    }
    if (
      'SubLink' in node &&
      node.SubLink.subLinkType === 'EXPR_SUBLINK' &&
      node.SubLink.subselect !== undefined
    )
      return this.statement(node.SubLink.subselect, at.scope, at).known[0]?.term ?? null
    return null
  }

  #value(text: string): Term {
    const known = this.#values.get(text)
    if (known !== undefined) return known
    const term = new Term('one')
    this.#values.set(text, term)
    return term
  }

  #valuesColumns(lists: readonly Node[], at: Level): Columns {
    this.#search(lists, at)
    const rows = lists.map(list => ('List' in list ? (list.List.items ?? []) : []))
    const known = (rows[0] ?? []).map((item, index) => {
      const first = this.#term(item, at)
      const isSame = rows.every(row => this.#term(row[index], at) === first)
      return { name: `column${index + 1}`, term: isSame ? first : new Term('several') }
    })
    return { known, isOpen: false }
  }

  #output(targets: readonly Node[] | undefined, at: Level): Columns {
    this.#search(targets, at)
    const known: Column[] = []
    let isOpen = false
    for (const target of targets ?? []) {
      if (!('ResTarget' in target)) continue
      const star = starOf(target.ResTarget)
      if (star === null) {
        const { name, val } = target.ResTarget
        known.push({ name: name ?? nameOf(val), term: this.#term(val, at) })
        continue
      }
      const relations = [...at.scope.relations].filter(([name]) => star === '' || name === star)
      for (const [, relation] of relations) {
        known.push(...relation.columns.map(([name, term]) => ({ name, term })))
        isOpen ||= relation.isOpen
      }
    }
    return { known, isOpen }
  }

  #lock(clauses: readonly Node[] | undefined, at: Level): void {
    for (const clause of clauses ?? []) {
      if (!('LockingClause' in clause)) continue
      const names = (clause.LockingClause.lockedRels ?? []).flatMap(rel =>
        'RangeVar' in rel ? [rel.RangeVar.relname ?? ''] : [],
      )
      for (const use of at.uses)
        if (names.length === 0 || names.includes(use.label.split(' ').at(-1) ?? '')) use.act = 'locked'
    }
  }

  /** Queries within an expression. */
  #search(part: unknown, at: Level): void {
    if (typeof part !== 'object' || part === null) return
    for (const [key, value] of Object.entries(part)) {
      if (key === 'SelectStmt') this.select(value as SelectStmt, at.scope, at)
      else this.#search(value, at)
    }
  }
}
