import type { Context } from '../../platform/context.ts'
import { notFound } from '../../platform/errors.ts'
import { transact, type Command } from '../../platform/idempotency.ts'
import * as store from './settlements.store.ts'

export type { UnmatchedReport } from './settlements.store.ts'

/** What providers reported that belongs to no institute: the operator looks at it, because no institute's page shows it. */
export async function listUnmatchedReports({ db }: Pick<Context, 'db'>): Promise<store.UnmatchedReport[]> {
  return store.listUnmatched(db)
}

export async function countUnmatchedReports(ctx: Pick<Context, 'db'>): Promise<number> {
  return (await listUnmatchedReports(ctx)).length
}

/** The installation's own accounts belong to none. */
const NO_INSTITUTE = 0

/**
 * A person has looked at a report that did not match: a sale outside Bursar, an adjustment of the provider. It stays as it
 * was reported and is a difference no more. Should the item match after all, it is settled as ever.
 */
export async function resolveReport(
  ctx: Pick<Context, 'db' | 'clock'>,
  command: Command<{ id: string }>,
  { instituteId = NO_INSTITUTE, id, by }: { instituteId?: number; id: string; by: string },
  note: string,
): Promise<{ id: string }> {
  return transact(ctx.db, command, async tx => {
    const resolved = { at: ctx.clock.now(), by, note }
    // A number that is not one names nothing.
    if (!/^\d{1,15}$/.test(id) || !(await store.resolveException(tx, { instituteId, id }, resolved)))
      throw notFound('This report')
    return { id }
  })
}
