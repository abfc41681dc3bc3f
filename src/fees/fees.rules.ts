import type { FieldProblem } from '../platform/errors.ts'
import { minPaise, paiseOf, subtractPaise, sumPaise, ZERO, type Paise } from '../platform/money.ts'

/** The component of money that pays no fee: an advance until it is used or refunded. */
export const ADVANCE = 'ADVANCE'

/** Charged to the family when a bank takes back what had been refunded before. */
export const RETURNED_AFTER_REFUND = 'RETURNED_AFTER_REFUND'

export type Discount = { discountType: string; valuePaise: Paise }

/** What a component costs: the fee and what is taken off it. */
export type Price = { feePaise: Paise; discounts: readonly Discount[] }

export type FeeComponent = Price & { componentType: string; position: number }

/** A fee as a caller sends it; absent discounts keep the stored ones. */
export type SentFee = { componentType: string; feePaise: Paise; discounts?: readonly Discount[] | undefined }

export type FeeChange = {
  componentType: string
  position: number
  before: Price | null
  after: Price
  /** Says what was adjusted beyond what was asked for. */
  note: string | null
}

function payable({ feePaise, discounts }: Price): number {
  return feePaise - sumPaise(discounts.map(one => one.valuePaise))
}

/** How much less a student has to pay by all these changes together; what is new lowers nothing. */
export function loweredBy(changes: readonly FeeChange[]): Paise {
  const less = changes.map(({ before, after }) => (before === null ? 0 : payable(before)) - payable(after))
  return paiseOf(
    Math.max(
      less.reduce((sum, one) => sum + one, 0),
      0,
    ),
  )
}

/** Changes of fees that Bursar makes by itself, as a list of SQL; the index `fee_changes_own` holds them. */
export const OWN_SOURCES = `'late_fee', 'rollover', 'charge', 'optional', 'deposit'`

/** What Bursar charged by component, such as late fees, and the institute's own system did not. */
export type OwnCharges = ReadonlyMap<string, Paise>

export type FeeSummary = {
  totalFeePaise: Paise
  discountPaise: Paise
  paidPaise: Paise
  outstandingPaise: Paise
  advancePaise: Paise
}

/** A component sent is set, one not sent stays. Only what really changes comes back. */
export function mergeFees(current: readonly FeeComponent[], sent: readonly SentFee[]): FeeChange[] {
  let position = current.reduce((highest, component) => Math.max(highest, component.position), 0)
  return sent.flatMap(fee => {
    const before = current.find(component => component.componentType === fee.componentType) ?? null
    const { discounts, note } = discountsAfter(before, fee)
    const after: Price = { feePaise: fee.feePaise, discounts }
    if (before !== null && samePrice(before, after)) return []
    const change: FeeChange = {
      componentType: fee.componentType,
      position: before?.position ?? ++position,
      before: before === null ? null : { feePaise: before.feePaise, discounts: before.discounts },
      after,
      note,
    }
    return [change]
  })
}

function discountsAfter(
  before: Price | null,
  sent: SentFee,
): { discounts: readonly Discount[]; note: string | null } {
  const stored = before?.discounts ?? []
  if (sent.feePaise === 0) {
    return { discounts: [], note: stored.length === 0 ? null : 'discounts ended with the fee' }
  }
  if (sent.discounts !== undefined) return { discounts: sent.discounts, note: null }
  if (discountOf({ discounts: stored }) <= sent.feePaise) return { discounts: stored, note: null }
  return { discounts: capDiscounts(stored, sent.feePaise), note: 'discounts capped at the new fee' }
}

/** Keeps discounts in their order until the fee is used up. */
function capDiscounts(discounts: readonly Discount[], feePaise: Paise): Discount[] {
  let left = feePaise
  return discounts.flatMap(discount => {
    const valuePaise = minPaise(discount.valuePaise, left)
    left = subtractPaise(left, valuePaise)
    return valuePaise > 0 || discount.valuePaise === 0 ? [{ ...discount, valuePaise }] : []
  })
}

export const MAX_COMPONENTS = 200
/** What a student's fees may add up to, and what is paid for it: ₹1e11, as much as one amount may be. */
export const MAX_TOTAL_PAISE = 1e13

/** What is wrong with changes after which a student would have more fees than can be summed up exactly. */
export function totalProblems(
  current: readonly FeeComponent[],
  changes: readonly FeeChange[],
  path: string,
): FieldProblem[] {
  if (changes.length === 0) return []
  const fees = new Map<string, number>(current.map(fee => [fee.componentType, fee.feePaise]))
  for (const change of changes) fees.set(change.componentType, change.after.feePaise)
  const problems: FieldProblem[] = []
  if (fees.size > MAX_COMPONENTS) {
    problems.push({
      key: path,
      message: `would give this student ${fees.size} components; it can have at most ${MAX_COMPONENTS} in all`,
    })
  }
  if ([...fees.values()].reduce((total, fee) => total + fee, 0) > MAX_TOTAL_PAISE) {
    problems.push({
      key: path,
      message: 'would make the fees of this student more than 100000000000 rupees in all',
    })
  }
  return problems
}

/** What is wrong with fees as sent, by field. */
export function feeProblems(sent: readonly SentFee[], path: string): FieldProblem[] {
  const seen = new Set<string>()
  return sent.flatMap((fee, index) => {
    const problems: FieldProblem[] = []
    if (seen.has(fee.componentType)) {
      problems.push({
        key: `${path}.${index}.component_type`,
        message: 'stands twice; send each component once',
      })
    }
    seen.add(fee.componentType)
    if (discountOf(fee) > fee.feePaise) {
      problems.push({ key: `${path}.${index}.discounts`, message: 'add up to more than fee_amount' })
    }
    return problems
  })
}

export type PaidByComponent = ReadonlyMap<string, Paise>

/** Outstanding and advance of one component; what is paid beyond its price is advance, never a refund. */
export function balanceOf(price: Price, paidPaise: Paise): { outstandingPaise: Paise; advancePaise: Paise } {
  const payable = subtractPaise(price.feePaise, discountOf(price))
  return paidPaise <= payable
    ? { outstandingPaise: subtractPaise(payable, paidPaise), advancePaise: ZERO }
    : { outstandingPaise: ZERO, advancePaise: subtractPaise(paidPaise, payable) }
}

/** A payment for a component without a fee counts as advance; what went back of it beyond what came is owed. */
export function summariseFees(fees: readonly FeeComponent[], paid: PaidByComponent): FeeSummary {
  const withoutFee = [...paid].filter(([type]) => !fees.some(fee => fee.componentType === type))
  const balances = [
    ...fees.map(fee => balanceOf(fee, paid.get(fee.componentType) ?? ZERO)),
    ...withoutFee.map(([, amount]) => balanceOf({ feePaise: ZERO, discounts: [] }, amount)),
  ]
  return {
    totalFeePaise: sumPaise(fees.map(fee => fee.feePaise)),
    discountPaise: sumPaise(fees.map(discountOf)),
    paidPaise: sumPaise([...paid.values()]),
    outstandingPaise: sumPaise(balances.map(balance => balance.outstandingPaise)),
    advancePaise: sumPaise(balances.map(balance => balance.advancePaise)),
  }
}

function discountOf(price: { discounts?: readonly Discount[] | undefined }): Paise {
  return sumPaise((price.discounts ?? []).map(discount => discount.valuePaise))
}

function samePrice(left: Price, right: Price): boolean {
  return left.feePaise === right.feePaise && sameDiscounts(left.discounts, right.discounts)
}

/** The order of discounts does not matter. */
function sameDiscounts(left: readonly Discount[], right: readonly Discount[]): boolean {
  const texts = (discounts: readonly Discount[]): string[] =>
    discounts.map(({ discountType, valuePaise }) => `${valuePaise} ${discountType}`).sort()
  const others = texts(right)
  return left.length === right.length && texts(left).every((text, index) => text === others[index])
}
