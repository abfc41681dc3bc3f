import type { Discount, Price } from '../fees/fees.rules.ts'
import type { RefundWay } from '../students/direct-payments/direct-payments.rules.ts'
import { minPaise, paiseOf, subtractPaise, sumPaise, ZERO, type Paise } from '../platform/money.ts'

/**
 * How much of a fee somebody who leaves owes: all of it, the part of the months until then, or nothing. `ended`: an
 * optional fee ends on the leaving day, charged by its own rule.
 */
export const CHARGES = ['full', 'ended', 'prorated', 'none'] as const
export type Charge = (typeof CHARGES)[number]

/** What the school will not collect any more; a kind of discount, so that the fee itself stays as it was charged. */
export const WRITTEN_OFF = 'WRITTEN_OFF'

type DatedFee = {
  /** The last day on which it could be paid in time. */
  dueOn: string | null
  isCarried: boolean
  /** It belongs to the family and goes back. */
  isDeposit: boolean
  /** Whether the fee is an optional one that goes by periods. */
  isOptional: boolean
}

/**
 * What fell due by the leaving day is owed, and so is what nobody gave a day; what falls due later is not. An optional fee
 * is owed for as long as the child had it, whenever that falls due.
 */
export function proposedCharge(
  { dueOn, isCarried, isDeposit, isOptional }: DatedFee,
  leftOn: string,
): Charge {
  if (isDeposit) return 'none'
  if (isOptional) return 'ended'
  return isCarried || dueOn === null || dueOn <= leftOn ? 'full' : 'none'
}

/** First and last day of what a prorated fee is for. */
export type Span = { from: string; to: string }

/** The year of Indian schools, from April to March. */
export function yearSpan(start: number, end: number): Span {
  return end > start
    ? { from: `${start}-04-01`, to: `${end}-03-31` }
    : { from: `${start}-01-01`, to: `${start}-12-31` }
}

export type Share = { part: number; whole: number }

/** The month in which somebody leaves counts whole. */
export function monthsBegun({ from, to }: Span, leftOn: string): Share {
  const whole = monthOf(to) - monthOf(from) + 1
  return { part: Math.min(Math.max(monthOf(leftOn) - monthOf(from) + 1, 0), whole), whole }
}

function monthOf(day: string): number {
  return Number(day.slice(0, 4)) * 12 + Number(day.slice(5, 7))
}

/** What is to be paid of a fee after its discounts. */
export function payableOf({ feePaise, discounts }: Price): Paise {
  return subtractPaise(feePaise, sumPaise(discounts.map(one => one.valuePaise)))
}

/**
 * A prorated fee keeps its discounts in the same part; what is left over of a paisa is the family's. The price of an
 * optional fee that ended is what its own rule left.
 */
export function priceAfter(price: Price, charge: Charge, { part, whole }: Share): Price {
  if (charge === 'full' || charge === 'ended') return price
  if (charge === 'none') return { feePaise: ZERO, discounts: [] }
  const shareOf = (paise: Paise): Paise => paiseOf(Math.floor((paise * part) / whole))
  const discounts = price.discounts
    .map(one => ({ ...one, valuePaise: shareOf(one.valuePaise) }))
    .filter(one => one.valuePaise > 0)
  const offPaise = sumPaise(discounts.map(one => one.valuePaise))
  return { feePaise: sumPaise([shareOf(payableOf(price)), offPaise]), discounts }
}

/** A deposit is lowered to what was paid of it: that goes back whole, and the rest is not asked for any more. */
export function depositAfter(price: Price, paidPaise: Paise): Price {
  const held = minPaise(payableOf(price), paiseOf(Math.max(paidPaise, 0)))
  return { feePaise: held, discounts: [] }
}

export type SettledLine = {
  componentType: string
  charge: Charge
  isDeposit: boolean
  isOptional: boolean
  dueOn: string | null
  /** What was to be paid of it before, and since. */
  beforePaise: Paise
  afterPaise: Paise
  /** When it was settled. */
  paidPaise: Paise
}

/** `online`: refunds that the provider is asked for. */
export type MadeRefund = {
  refundId: string
  way: RefundWay | 'online'
  amountPaise: Paise
  /** Who had taken it at the counter. */
  takenBy: string | null
}

/** What a leaving decides and what came of it; kept, and shown from then on. */
export type Settlement = {
  lines: SettledLine[]
  loweredPaise: Paise
  /** The part of `loweredPaise` that had been paid already. */
  freedPaise: Paise
  /** Given back of deposits, those of earlier years included. */
  depositPaise: Paise
  /** Deposits of earlier years, as far as they pay what this record owes. */
  earlierDeposits: EarlierDeposit[]
  /** Paid too much for some fees or given back of deposits, and used for others that are owed. */
  usedPaise: Paise
  /** The part of `usedPaise` that paid late fees. */
  usedForLateFeesPaise: Paise
  waivedPaise: Paise
  writtenOffPaise: Paise
  refunds: MadeRefund[]
  /** Left when all of it is done: fees and late fees owed, of that on the way, and what stands as an advance. */
  owedPaise: Paise
  lateFeePaise: Paise
  onTheWayPaise: Paise
  advancePaise: Paise
  /** Optional fees that the child had beyond its last day. */
  ended: EndedFee[]
  planIds: string[]
  closedOrders: { id: string; isLink: boolean; amountPaise: Paise }[]
  /** Post-dated cheques of which none goes to the bank any more, unless the office keeps them. */
  cheques: LeaverCheque[]
  /** Cheques that count as paid and that a bank has yet to decide about. */
  chequesAtBank: LeaverCheque[]
  /** Reminders that wait to be sent and leave this child out. */
  reminders: number
}

/** `heldPaise`: what stays held on that record. */
type EarlierDeposit = {
  studentId: string
  year: string
  componentType: string
  usedPaise: Paise
  heldPaise: Paise
}

type EndedFee = { name: string; lastDay: string; beforePaise: Paise; afterPaise: Paise }

/** `isGivenBack`: it waits in the office for the family. */
type LeaverCheque = {
  id: string
  number: string
  amountPaise: Paise
  day: string | null
  isGivenBack: boolean
}

/**
 * What the school gives up by asking for less, and how much of that had been paid already and so stands as an advance. A
 * deposit was never the school's.
 */
export function loweredBy(lines: readonly SettledLine[]): { loweredPaise: Paise; freedPaise: Paise } {
  const fees = lines.filter(({ isDeposit }) => !isDeposit)
  return {
    loweredPaise: sumPaise(fees.map(({ beforePaise, afterPaise }) => subtractPaise(beforePaise, afterPaise))),
    freedPaise: sumPaise(
      fees.map(({ beforePaise, afterPaise, paidPaise }) =>
        paiseOf(Math.max(minPaise(beforePaise, paidPaise) - afterPaise, 0)),
      ),
    ),
  }
}

/** What goes out beyond what the lower fees freed: that was counted as lowered, and no rupee is counted twice. */
export function refundedBeside(freedPaise: Paise, refunds: readonly { amountPaise: Paise }[]): Paise[] {
  let free = freedPaise
  return refunds.map(({ amountPaise }) => {
    const counted = minPaise(free, amountPaise)
    free = subtractPaise(free, counted)
    return subtractPaise(amountPaise, counted)
  })
}

/** The discounts of a fee of which this much is not collected any more. */
export function withWrittenOff(discounts: readonly Discount[], amountPaise: Paise): Discount[] {
  const earlier = discounts.filter(one => one.discountType === WRITTEN_OFF)
  const valuePaise = sumPaise([...earlier.map(one => one.valuePaise), amountPaise])
  const others = discounts.filter(one => one.discountType !== WRITTEN_OFF)
  return [...others, { discountType: WRITTEN_OFF, valuePaise }]
}

type Refundable = { refundablePaise: Paise }

/** Divides what was paid too much: first back to where it was paid online, then over payments of the counter, in their order. */
export function proposeRefunds<Payment extends Refundable>(
  advancePaise: Paise,
  { onlinePaise, counter }: { onlinePaise: Paise; counter: readonly Payment[] },
): { onlinePaise: Paise; counter: (Payment & { amountPaise: Paise })[]; keptPaise: Paise } {
  const online = minPaise(advancePaise, onlinePaise)
  let left = subtractPaise(advancePaise, online)
  const shares = counter.map(payment => {
    const amountPaise = minPaise(left, payment.refundablePaise)
    left = subtractPaise(left, amountPaise)
    return { ...payment, amountPaise }
  })
  return { onlinePaise: online, counter: shares.filter(one => one.amountPaise > 0), keptPaise: left }
}
