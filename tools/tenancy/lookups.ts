import type { Node } from 'libpg-query'
import type { Level } from './levels.ts'
import type { Schema } from './schema.ts'

/**
 * Tables that are asked anew for each row of a list (`unnest`, `values`) or of a table that institutes share. Where each
 * institute's rows are on a server of their own no server has those rows to begin with: Citus refuses most such statements,
 * and of one with an outer join that the planner can leave out it answers every row once for each shard.
 */
export function lookups(levels: readonly Level[], schema: Schema): string[] {
  return levels.flatMap(level => {
    if (!level.scope.isCorrelated || isOverTables(aroundOf(level), schema)) return []
    return level.uses
      .filter(({ institute }) => !institute.origins.has('one'))
      .map(({ label }) => `${label} is looked up for each row of what is no table of institutes`)
  })
}

/** The query whose rows it is asked for; a union has none of its own. */
function aroundOf({ outer }: Level): Level | null {
  return outer === null || sourcesOf(outer.node).length > 0 ? outer : aroundOf(outer)
}

function isOverTables(level: Level | null, schema: Schema): boolean {
  return level === null || sourcesOf(level.node).some(item => hasTable(item, level, schema))
}

function sourcesOf(node: Node): readonly Node[] {
  if ('SelectStmt' in node) return node.SelectStmt.fromClause ?? []
  if ('UpdateStmt' in node) return targetOf(node.UpdateStmt)
  return 'DeleteStmt' in node ? targetOf(node.DeleteStmt) : []
}

const targetOf = ({ relation }: { relation?: object }): readonly Node[] =>
  relation === undefined ? [] : [{ RangeVar: relation }]

/** On a side of the join that gives rows by itself. */
function hasTable(item: Node, level: Level, schema: Schema): boolean {
  if ('RangeVar' in item) {
    const { relname = '' } = item.RangeVar
    const query = queryOf(relname, level)
    return query === undefined ? schema.tenants.has(relname) : mentionsTable(query, schema)
  }
  if ('RangeSubselect' in item) return item.RangeSubselect.lateral !== true && mentionsTable(item, schema)
  if (!('JoinExpr' in item)) return false
  const { jointype, larg, rarg } = item.JoinExpr
  const sides = [jointype === 'JOIN_RIGHT' ? undefined : larg, jointype === 'JOIN_LEFT' ? undefined : rarg]
  return sides.some(side => side !== undefined && hasTable(side, level, schema))
}

/** Of a `with` clause, here or further out. */
function queryOf(name: string, { node, outer }: Level): Node | undefined {
  const [statement] = Object.values(node) as { withClause?: { ctes?: Node[] } }[]
  for (const cte of statement?.withClause?.ctes ?? [])
    if ('CommonTableExpr' in cte && cte.CommonTableExpr.ctename === name) return cte
  return outer === null ? undefined : queryOf(name, outer)
}

function mentionsTable(part: unknown, schema: Schema): boolean {
  if (typeof part !== 'object' || part === null) return false
  return Object.entries(part).some(
    ([key, value]) =>
      (key === 'relname' && schema.tenants.has(String(value))) || mentionsTable(value, schema),
  )
}
