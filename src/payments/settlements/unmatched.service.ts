import type { Context } from '../../platform/context.ts'
import * as store from './settlements.store.ts'

export type { UnmatchedReport } from './settlements.store.ts'

/** What providers reported that belongs to no institute: the operator looks at it, because no institute's page shows it. */
export async function listUnmatchedReports({ db }: Pick<Context, 'db'>): Promise<store.UnmatchedReport[]> {
  return store.listUnmatched(db)
}

export async function countUnmatchedReports(ctx: Pick<Context, 'db'>): Promise<number> {
  return (await listUnmatchedReports(ctx)).length
}
