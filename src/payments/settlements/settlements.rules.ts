import { splitInProportion, sumPaise, ZERO, type Paise } from '../../platform/money.ts'
import { paysExactly } from '../payments.rules.ts'
import { returnIdOf, type SettlementItem } from '../../providers/port.ts'

/** What we know of an item that a provider reports as paid out. */
export type KnownItem = {
  amountPaise: Paise
  accountId: string
  isDone: boolean
  /** The pay-out that brought it. */
  settledUtr: string | null
}

export type Verdict =
  /** We know the item: a fee that the payer bore on top is neither ours nor kept back from us. */
  | { kind: 'matched'; item: SettlementItem }
  | { kind: 'known' }
  | { kind: 'exception'; problem: string; knownPaise: Paise | null }

/** Matched, told before, or an exception that a person has to look at; nothing is dropped silently. */
export function judge(
  item: SettlementItem,
  known: KnownItem | undefined,
  { accountId, utr }: { accountId: string; utr: string },
): Verdict {
  if (known === undefined) {
    const what = item.dispute === undefined ? item.kind : 'chargeback'
    return { kind: 'exception', problem: `${what} unknown here`, knownPaise: null }
  }
  if (known.accountId !== accountId) {
    return { kind: 'exception', problem: `${item.kind} of another account`, knownPaise: known.amountPaise }
  }
  if (!paysExactly(item, known.amountPaise)) {
    return { kind: 'exception', problem: 'amount differs', knownPaise: known.amountPaise }
  }
  if (!known.isDone) {
    return { kind: 'exception', problem: `${item.kind} not completed here`, knownPaise: known.amountPaise }
  }
  if (known.settledUtr === utr || known.settledUtr === item.payOutId) return { kind: 'known' }
  if (known.settledUtr !== null) return paidOutTwice(item, known.amountPaise)
  const isPayersFee = item.amountPaise !== known.amountPaise
  return {
    kind: 'matched',
    item: isPayersFee ? { ...item, amountPaise: known.amountPaise, feePaise: ZERO } : item,
  }
}

/** The provider has paid it out before, or names it twice in one pay-out: the money is there and belongs to nothing. */
export function paidOutTwice({ kind }: SettlementItem, knownPaise: Paise): Verdict {
  return { kind: 'exception', problem: `${kind} paid out twice`, knownPaise }
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

/** What lost disputes took, by the provider's names for them, of the payment that a pay-out names. */
type LostPart = { providerRef: string; refundId: string; amountPaise: Paise; settlementUtr: string | null }

/**
 * Finds the losses that were booked for a dispute which a pay-out deducts, one for each payment that it is about; the first
 * bears its fee. Where the provider does not name the dispute, it is the one of this amount that no other pay-out has taken.
 * Null when none fits.
 */
export function matchLost(
  item: SettlementItem,
  lost: readonly LostPart[],
  utr: string,
): SettlementItem[] | null {
  const { dispute, amountPaise } = item
  const byRef = Map.groupBy(
    lost.filter(part => part.settlementUtr === null || part.settlementUtr === utr),
    part => part.providerRef,
  )
  const fitting = [...byRef].filter(
    ([ref, parts]) =>
      (dispute?.providerRef === null || dispute?.providerRef === ref) &&
      sumPaise(parts.map(part => part.amountPaise)) === amountPaise,
  )
  // One that this pay-out is known to have taken comes first: it is read again.
  const [found] = fitting.toSorted(
    ([, one], [, other]) => Number(one[0]?.settlementUtr === null) - Number(other[0]?.settlementUtr === null),
  )
  if (found === undefined) return null
  return found[1].map((part, index) => ({
    ...item,
    ourId: part.refundId,
    amountPaise: part.amountPaise,
    feePaise: index === 0 ? item.feePaise : ZERO,
  }))
}

/** One of several payments that a payment at the bank was for. */
export type PaymentPart = {
  id: string
  amountPaise: Paise
  /** What the bank took back of it. */
  returnedPaise: Paise
}

/**
 * An item for each of the payments that a reported one was for, its fee in proportion. One of another sum stays whole: a
 * person has to look at it.
 */
export function divideItem(item: SettlementItem, parts: readonly PaymentPart[]): SettlementItem[] {
  const isPayment = item.kind === 'payment'
  const own = parts
    .map(({ id, amountPaise, returnedPaise }) => ({
      ourId: isPayment ? id : returnIdOf(id),
      amountPaise: isPayment ? amountPaise : returnedPaise,
    }))
    .filter(part => part.amountPaise > 0)
  const total = sumPaise(own.map(part => part.amountPaise))
  const [first] = parts
  // All of it went to other accounts, and the fee stays here.
  if (isPayment && first !== undefined && total === 0 && item.amountPaise === 0)
    return [{ ...item, ourId: first.id }]
  if (own.length === 0 || !paysExactly(item, total)) return [item]
  // More than asked for is the fee that the payer bore on top.
  const fee = item.amountPaise === total ? item.feePaise : ZERO
  const fees = splitInProportion(
    fee,
    own.map(part => part.amountPaise),
  )
  return own.map((part, index) => ({ ...item, ...part, feePaise: fees[index] ?? ZERO }))
}
