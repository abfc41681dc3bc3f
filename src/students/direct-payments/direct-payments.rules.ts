import type { FieldProblem } from '../../platform/errors.ts'
import { minPaise, subtractPaise, sumPaise, toRupees, ZERO, type Paise } from '../../platform/money.ts'
import { balanceOf, type FeeComponent, type PaidByComponent } from '../../fees/fees.rules.ts'
import type { ReceiptKey } from '../../receipts/receipts.rules.ts'
import { linesText, type DirectPayment } from '../students.rules.ts'

/** A payment taken outside, as it stands here. */
export type RecordedPayment = DirectPayment & {
  id: string
  recordedAt: Date
  /** Who took it at the counter; null when the ERP or a file reported it. */
  recordedBy: string | null
  /** Set for a cheque or draft. */
  instrument: Instrument | null
  cancelledAt: Date | null
  /** The one that stands. Money that an ERP reports has a receipt of the ERP's, and none here unless it is asked for. */
  receipt: ReceiptKey | null
  /** The part of it that the office has paid out again. */
  refundedPaise: Paise
}

export type Instrument = { number: string; bank: string | null; date: string | null }

/** How the office pays money out again. */
export const REFUND_WAYS = ['cash', 'cheque', 'bank_transfer'] as const
export type RefundWay = (typeof REFUND_WAYS)[number]

type Lines = DirectPayment['lines']

export function amountProblems({ amountPaise, lines }: DirectPayment): FieldProblem[] {
  const sum = sumPaise(lines.map(line => line.amountPaise))
  if (sum === amountPaise) return []
  return [{ key: 'amount', message: `must equal the sum of its fee_components, which is ${toRupees(sum)}` }]
}

/** Our own id of a payment, for one that an ERP sends back. */
export type SentId = { id?: string | null | undefined }

/** The transaction ids under which a payment may be recorded already. */
export function namesOf({ transactionId, id }: { transactionId: string } & SentId): string[] {
  return id === undefined || id === null || id === transactionId ? [transactionId] : [transactionId, id]
}

export type RecordDecision =
  | { kind: 'add' }
  /** The same again: nothing is to be done. */
  | { kind: 'known'; payment: RecordedPayment }
  | { kind: 'conflict'; message: string }

/** Decides what to do with a payment, given the one that has its transaction id already. */
export function decideRecord(known: RecordedPayment | null, sent: DirectPayment): RecordDecision {
  if (known === null) return { kind: 'add' }
  if (known.cancelledAt !== null) {
    const message = 'The payment with this transaction_id was cancelled. Record it anew with another one.'
    return { kind: 'conflict', message }
  }
  if (isSamePayment(known, sent)) return { kind: 'known', payment: known }
  const message =
    'This transaction_id is recorded with other details. Correct it by PATCH, or use another transaction_id.'
  return { kind: 'conflict', message }
}

/** The same for a payment that a registration repeats: one that is known is left alone, also when it was cancelled. */
export function decideRegistered(known: RecordedPayment | null, sent: DirectPayment): RecordDecision {
  if (known === null) return { kind: 'add' }
  const settlementUtr = sent.settlementUtr ?? known.settlementUtr
  if (isSameMoney(known, { ...sent, settlementUtr })) return { kind: 'known', payment: known }
  const message =
    `The transaction ${sent.transactionId} is recorded with another amount, mode, settlement_utr or fee_components. ` +
    'Send it as it is recorded, correct it by PATCH, or use another transaction_id.'
  return { kind: 'conflict', message }
}

export function isSamePayment(one: DirectPayment, other: DirectPayment): boolean {
  return (
    isSameMoney(one, other) && one.paidAt.getTime() === other.paidAt.getTime() && one.notes === other.notes
  )
}

/** The order of the lines does not matter. */
function isSameMoney(one: DirectPayment, other: DirectPayment): boolean {
  return (
    one.amountPaise === other.amountPaise &&
    one.mode === other.mode &&
    one.settlementUtr === other.settlementUtr &&
    linesText(one.lines) === linesText(other.lines)
  )
}

/** What a correction says of a payment; a field that it does not name stays as it is. */
export type Correction = {
  [Name in keyof Omit<DirectPayment, 'transactionId'>]?: DirectPayment[Name] | undefined
}

export function correctPayment<Payment extends DirectPayment>(stored: Payment, sent: Correction): Payment {
  const named = Object.entries(sent).filter(([, value]) => value !== undefined)
  return { ...stored, ...Object.fromEntries(named) }
}

/** How much of a payment is beyond what is due of its components; `paidOtherwise` is without this payment. */
export function advanceOf(
  lines: Lines,
  fees: readonly FeeComponent[],
  paidOtherwise: PaidByComponent,
): Paise {
  const parts = [...sumByComponent(lines)].map(([componentType, amountPaise]) => {
    const fee = fees.find(one => one.componentType === componentType)
    const due =
      fee === undefined ? ZERO : balanceOf(fee, paidOtherwise.get(componentType) ?? ZERO).outstandingPaise
    return subtractPaise(amountPaise, minPaise(amountPaise, due))
  })
  return sumPaise(parts)
}

/** What is paid, less the lines of one payment that is counted in it. */
export function withoutLines(paid: PaidByComponent, lines: Lines): Map<string, Paise> {
  const rest = new Map(paid)
  for (const [type, amount] of sumByComponent(lines))
    rest.set(type, subtractPaise(rest.get(type) ?? ZERO, amount))
  return rest
}

/** The amounts of each component by which the first exceeds the other. */
export function linesBeyond(lines: Lines, other: Lines): Lines {
  const less = sumByComponent(other)
  return [...sumByComponent(lines)].flatMap(([componentType, amount]) => {
    const amountPaise = subtractPaise(amount, minPaise(amount, less.get(componentType) ?? ZERO))
    return amountPaise > 0 ? [{ componentType, amountPaise }] : []
  })
}

export function sumByComponent(lines: Lines): Map<string, Paise> {
  const sums = new Map<string, Paise>()
  for (const { componentType, amountPaise } of lines)
    sums.set(componentType, sumPaise([sums.get(componentType) ?? ZERO, amountPaise]))
  return sums
}
