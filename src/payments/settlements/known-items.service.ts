import type { Transaction } from '../../platform/db/database.ts'
import type { SettlementItem, SettlementReport } from '../../providers/port.ts'
import { listParts, listRefundParts } from '../parts/parts.store.ts'
import type { Payment } from '../payments.rules.ts'
import type { KnownItem } from './settlements.rules.ts'
import * as store from './settlements.store.ts'

/** What we know of the items of a pay-out. */
export type KnownItems = {
  payments: Map<string, Payment>
  of(item: SettlementItem): KnownItem | undefined
  branchOf(item: SettlementItem): string
  isSplit(item: SettlementItem): boolean
  /** The bank account that the pay-out reached; null: that of the provider's account. */
  bankAccountId: string | null
}

/** A split payment or refund counts with the part that belongs to the account of this pay-out. */
export async function readKnown(tx: Transaction, report: SettlementReport): Promise<KnownItems> {
  const { instituteId, items, linkedId = null } = report
  const ids = (kind: SettlementItem['kind']) =>
    items.filter(item => item.kind === kind).map(item => item.ourId)
  const payments = await store.lockPayments(tx, instituteId, ids('payment'))
  const refunds = await store.lockRefunds(tx, instituteId, ids('refund'))
  const find = (item: SettlementItem) =>
    item.kind === 'payment' ? payments.get(item.ourId) : refunds.get(item.ourId)
  const ofPayments = await listParts(tx, instituteId, idsOfSplit(payments))
  const ofRefunds = await listRefundParts(tx, instituteId, idsOfSplit(refunds))
  const isHere = (part: { linkedId: string | null }): boolean => part.linkedId === linkedId
  const here = ofPayments.filter(isHere)
  const parts = {
    payment: new Map(here.map(part => [part.paymentId, part])),
    refund: new Map(ofRefunds.filter(isHere).map(part => [part.refundId, part])),
  }
  return {
    payments,
    of(item) {
      const found = find(item)
      if (found === undefined) return undefined
      const isDone = found.state === 'captured' || found.state === 'processed'
      const part = parts[item.kind].get(item.ourId)
      // A pay-out to a linked account has nothing but parts.
      if (part === undefined && (found.isSplit || linkedId !== null)) return undefined
      const { amountPaise, settledUtr } = part ?? found
      return { amountPaise, accountId: found.accountId, isDone, settledUtr }
    },
    branchOf: item => find(item)?.collectorCode ?? '',
    isSplit: item => find(item)?.isSplit === true,
    bankAccountId: here.find(part => part.bankAccountId !== null)?.bankAccountId ?? null,
  }
}

function idsOfSplit(all: ReadonlyMap<string, { id: string; isSplit: boolean }>): string[] {
  return [...all.values()].filter(({ isSplit }) => isSplit).map(({ id }) => id)
}
