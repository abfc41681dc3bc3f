import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { loadModule, parseSync, type CreateStmt, type SelectStmt } from 'libpg-query'

/** What a statement is held against: the columns of each relation, and which of them belong to institutes. */
export type Schema = {
  columns: ReadonlyMap<string, ReadonlySet<string>>
  /** Tables whose key begins with `institute_id`, and views of them. Others name an institute without being one's own. */
  tenants: ReadonlySet<string>
  views: ReadonlyMap<string, SelectStmt>
}

/** By which is found out who asks, for whichever institute. */
const DIRECTORY = new Set(['branches', 'console_memberships', 'institute_lenders'])

const MIGRATIONS = join(import.meta.dirname, '../../migrations')

/** Of the tables as the migrations make them. */
export async function readSchema(): Promise<Schema> {
  await loadModule()
  const files = readdirSync(MIGRATIONS).filter(name => name.endsWith('.sql'))
  return toSchema(
    files
      .toSorted()
      .map(name => readFileSync(join(MIGRATIONS, name), 'utf8'))
      .join('\n'),
  )
}

function toSchema(sql: string): Schema {
  const columns = new Map<string, Set<string>>()
  const tenants = new Set<string>()
  const views = new Map<string, SelectStmt>()
  for (const { stmt } of parseSync(sql).stmts ?? []) {
    if (stmt === undefined) continue
    if ('CreateStmt' in stmt) {
      const name = stmt.CreateStmt.relation?.relname ?? ''
      columns.set(name, new Set(columnsOf(stmt.CreateStmt)))
      if (keyOf(stmt.CreateStmt)[0] === 'institute_id' && !DIRECTORY.has(name)) tenants.add(name)
    } else if (
      'ViewStmt' in stmt &&
      stmt.ViewStmt.query !== undefined &&
      'SelectStmt' in stmt.ViewStmt.query
    ) {
      const name = stmt.ViewStmt.view?.relname ?? ''
      views.set(name, stmt.ViewStmt.query.SelectStmt)
      const names = outputNames(stmt.ViewStmt.query.SelectStmt)
      columns.set(name, new Set(names))
      if (names.includes('institute_id')) tenants.add(name)
    }
  }
  return { columns, tenants, views }
}

function columnsOf({ tableElts = [] }: CreateStmt): string[] {
  return tableElts.flatMap(part => ('ColumnDef' in part ? [part.ColumnDef.colname ?? ''] : []))
}

/** Of the primary key, or of the unique constraint of a table without one. */
function keyOf({ tableElts = [] }: CreateStmt): string[] {
  const keys = new Map<string, string[]>()
  for (const part of tableElts) {
    if ('Constraint' in part) {
      const { contype = '', keys: names = [] } = part.Constraint
      const key = names.flatMap(name => ('String' in name ? [name.String.sval ?? ''] : []))
      if (!keys.has(contype)) keys.set(contype, key)
    } else if ('ColumnDef' in part) {
      for (const constraint of part.ColumnDef.constraints ?? [])
        if ('Constraint' in constraint && constraint.Constraint.contype === 'CONSTR_PRIMARY')
          keys.set('CONSTR_PRIMARY', [part.ColumnDef.colname ?? ''])
    }
  }
  return keys.get('CONSTR_PRIMARY') ?? keys.get('CONSTR_UNIQUE') ?? []
}

function outputNames(select: SelectStmt): string[] {
  if (select.larg !== undefined) return outputNames(select.larg)
  return (select.targetList ?? []).flatMap(target => {
    if (!('ResTarget' in target)) return []
    const { name, val } = target.ResTarget
    if (name !== undefined) return [name]
    const last = val !== undefined && 'ColumnRef' in val ? val.ColumnRef.fields?.at(-1) : undefined
    return last !== undefined && 'String' in last ? [last.String.sval ?? ''] : []
  })
}
