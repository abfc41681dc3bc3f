import { listParts } from '../start/groups.store.ts'
import type { SettlementReport } from '../../providers/port.ts'
import type { PaymentContext } from '../context.ts'
import { returnedBy } from '../refunds/refunds.rules.ts'
import { divideItem } from './settlements.rules.ts'

/**
 * A provider pays out one payment where we have several that it was for, a child's each: its item becomes one for each of
 * them, so that whatever follows knows nothing of it.
 */
export async function divideGroups(
  { db }: Pick<PaymentContext, 'db'>,
  report: SettlementReport,
): Promise<SettlementReport> {
  const ids = report.items.map(item => (item.kind === 'payment' ? item.ourId : returnedBy(item.ourId)))
  const parts = Map.groupBy(await listParts(db, report.instituteId, ids), part => part.groupId)
  if (parts.size === 0) return report
  return {
    ...report,
    items: report.items.flatMap((item, index) => divideItem(item, parts.get(ids[index] ?? '') ?? [])),
  }
}
