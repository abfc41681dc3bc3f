import type { Account } from '../../providers/accounts/registry.service.ts'
import { returnIdOf, type SettlementItem, type SettlementReport } from '../../providers/port.ts'
import type { PaymentContext } from '../context.ts'
import * as store from './settlements.store.ts'

/**
 * Some providers do not keep our ids of debits in their pay-outs: such an item is known by the transaction id that the
 * provider gave when the debit was paid. What is known moves to its institute; the rest stays where it was.
 */
export async function attribute(
  { db }: Pick<PaymentContext, 'db'>,
  account: Account,
  report: SettlementReport,
): Promise<SettlementReport[]> {
  const numbers = report.items.flatMap(({ transactionId = null }) => transactionId ?? [])
  const debits: Awaited<ReturnType<typeof store.findDebits>> =
    numbers.length === 0 ? new Map() : await store.findDebits(db, account, numbers)
  const groups = new Map<number, SettlementItem[]>()
  for (const item of report.items) {
    const debit = debits.get(item.transactionId ?? '')
    // The rupee that registers a mandate goes back to the payer and is not in our books.
    if (debit === undefined && item.isRegistration === true) continue
    const instituteId = debit?.instituteId ?? report.instituteId
    const group = groups.get(instituteId) ?? []
    group.push(debit === undefined ? item : named(item, debit.id))
    groups.set(instituteId, group)
  }
  const { utr } = report
  const found = report.items.filter(item => debits.has(item.transactionId ?? ''))
  const refs = found.map(({ providerRef }) => providerRef)
  const { instituteId } = report
  // It may have been read before the debit was known to be paid.
  if (refs.length > 0) await store.clearExceptions(db, { instituteId, accountId: account.id, utr }, refs)
  return [...groups].map(([owner, items]) => ({ ...report, instituteId: owner, items }))
}

/** Money that goes out for a debit, and neither for a refund of ours nor for a dispute, is the debit taken back. */
function named(item: SettlementItem, paymentId: string): SettlementItem {
  if (item.dispute !== undefined) return { ...item, dispute: { ...item.dispute, paymentId } }
  return { ...item, ourId: item.kind === 'payment' ? paymentId : returnIdOf(paymentId) }
}
