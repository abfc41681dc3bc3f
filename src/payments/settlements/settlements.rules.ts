import { splitInProportion, sumPaise, ZERO, type Paise } from '../../platform/money.ts'
import { paysExactly } from '../payments.rules.ts'
import { returnIdOf } from '../../providers/mandate-port.ts'
import type { SettlementItem } from '../../providers/port.ts'

/** What we know of an item that a provider reports as paid out. */
export type Known = { amountPaise: Paise; accountId: string; isDone: boolean; settlementId: string | null }

export type Verdict =
  /** As we know it: a fee that the payer bore on top is neither ours nor kept back from us. */
  | { kind: 'matched'; item: SettlementItem }
  | { kind: 'known' }
  | { kind: 'exception'; problem: string; knownPaise: Paise | null }

/** Matched, told before, or an exception that a person has to look at; nothing is dropped silently. */
export function judge(item: SettlementItem, known: Known | undefined, accountId: string): Verdict {
  if (known === undefined)
    return { kind: 'exception', problem: `${item.kind} unknown here`, knownPaise: null }
  if (known.accountId !== accountId) {
    return { kind: 'exception', problem: `${item.kind} of another account`, knownPaise: known.amountPaise }
  }
  if (!paysExactly(item, known.amountPaise)) {
    return { kind: 'exception', problem: 'amount differs', knownPaise: known.amountPaise }
  }
  if (!known.isDone) {
    return { kind: 'exception', problem: `${item.kind} not completed here`, knownPaise: known.amountPaise }
  }
  if (known.settlementId !== null) return { kind: 'known' }
  const isPayersFee = item.amountPaise !== known.amountPaise
  return {
    kind: 'matched',
    item: isPayersFee ? { ...item, amountPaise: known.amountPaise, feePaise: ZERO } : item,
  }
}

export function sumItems(items: readonly SettlementItem[]): {
  grossPaise: Paise
  feePaise: Paise
  refundPaise: Paise
} {
  const amounts = (kind: SettlementItem['kind']): Paise =>
    sumPaise(items.filter(item => item.kind === kind).map(item => item.amountPaise))
  return {
    grossPaise: amounts('payment'),
    refundPaise: amounts('refund'),
    feePaise: sumPaise(items.map(item => item.feePaise)),
  }
}

/** One of several payments that a payment at the bank was for. */
export type Part = {
  id: string
  amountPaise: Paise
  /** What the bank took back of it. */
  returnedPaise: Paise
}

/**
 * An item for each of the payments that a reported one was for, its fee in proportion. One of another sum stays whole: a
 * person has to look at it.
 */
export function divideItem(item: SettlementItem, parts: readonly Part[]): SettlementItem[] {
  const isPayment = item.kind === 'payment'
  const own = parts
    .map(({ id, amountPaise, returnedPaise }) => ({
      ourId: isPayment ? id : returnIdOf(id),
      amountPaise: isPayment ? amountPaise : returnedPaise,
    }))
    .filter(part => part.amountPaise > 0)
  const total = sumPaise(own.map(part => part.amountPaise))
  if (own.length === 0 || !paysExactly(item, total)) return [item]
  // More than asked for is the fee that the payer bore on top.
  const fee = item.amountPaise === total ? item.feePaise : ZERO
  const fees = splitInProportion(
    fee,
    own.map(part => part.amountPaise),
  )
  return own.map((part, index) => ({ ...item, ...part, feePaise: fees[index] ?? ZERO }))
}
