import type { Context } from '../../platform/context.ts'
import type { DisputeReport } from '../../providers/port.ts'
import { putDispute } from './disputes.store.ts'

/** However often and in whatever order it is told. It moves no money here: what a lost one costs, the pay-out shows. */
export async function applyDispute(
  { db }: Pick<Context, 'db'>,
  { at, ...report }: DisputeReport,
): Promise<void> {
  await putDispute(db, { ...report, openedAt: at, changedAt: at })
}
