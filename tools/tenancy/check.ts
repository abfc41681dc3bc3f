import { parseSync } from 'libpg-query'
import { Analysis } from './analysis.ts'
import type { Use } from './levels.ts'
import type { Schema } from './schema.ts'

/**
 * What a statement may do of which institutes. `several, locked`: it locks rows of those that a list names. `every`: it reads
 * over all of them on purpose.
 */
export type Reach = 'one' | 'several, locked' | 'every' | 'every, written' | 'every, locked'

/** Where a statement does not say of which institute the rows are; empty when it does everywhere. */
export function problemsOf(text: string, schema: Schema, reach: Reach = 'one'): string[] {
  const found: string[] = []
  for (const { stmt } of parseSync(text).stmts ?? []) {
    if (stmt === undefined) continue
    const analysis = new Analysis(schema)
    analysis.statement(stmt)
    analysis.resolveCodes()
    found.push(...analysis.problems, ...unbound(analysis.uses, reach), ...apart(analysis, reach))
  }
  return [...new Set(found)]
}

/** Tables of which the statement does not say whose rows it means. */
function unbound(uses: readonly Use[], reach: Reach): string[] {
  return uses.flatMap(({ label, act, institute: { origins } }) => {
    if (reach === 'every, locked') return []
    if (act === 'locked' && !origins.has('one') && !(reach === 'several, locked' && origins.size > 0))
      return [`${label} is locked without institute_id = $n`]
    if (origins.size > 0 || reach === 'every, written' || (reach === 'every' && act === 'read')) return []
    return [`${label} is ${act} without institute_id`]
  })
}

/** Tables that meet without institute_id in the condition. */
function apart({ uses, levels }: Analysis, reach: Reach): string[] {
  const pairs =
    reach === 'one' || reach === 'several, locked'
      ? uses.map(use => [uses[0], use] as const)
      : levels.flatMap(level => {
          const outer = level.scope.isCorrelated ? level.outer?.uses[0] : undefined
          return level.uses.map(use => [outer ?? level.uses[0], use] as const)
        })
  return pairs.flatMap(([one, other]) =>
    one === undefined || one.institute.root === other.institute.root
      ? []
      : [`${one.label} and ${other.label} meet without institute_id`],
  )
}
