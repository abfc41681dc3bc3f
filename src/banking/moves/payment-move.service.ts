import { settleLateFees, spreadForStudent } from '../../dues/counter.service.ts'
import { followMovedTaking } from '../../dues/takings/takings.service.ts'
import type { Institute } from '../../institutes/institutes.rules.ts'
import { readOnTheWay } from '../../payments/student-payments.service.ts'
import { dayOf } from '../../platform/calendar.ts'
import type { Context } from '../../platform/context.ts'
import type { Transaction } from '../../platform/db/database.ts'
import { badField, conflict, notFound } from '../../platform/errors.ts'
import { transact, type Command } from '../../platform/idempotency.ts'
import { formatRupees, type Paise } from '../../platform/money.ts'
import { receiptNumber } from '../../receipts/receipts.rules.ts'
import type { RecordedPayment } from '../../students/direct-payments/direct-payments.rules.ts'
import {
  cancelPaymentWithin,
  changePaymentWithin,
  findCollected,
  findPayment,
  holdPayingStudents,
  recordPaymentWithin,
  type PaymentTarget,
} from '../../students/direct-payments/direct-payments.service.ts'
import { followMove } from './payment-move.store.ts'

type Line = { componentType: string; amountPaise: Paise }

export type AskedMove = {
  /** Null: the same student, for other fees. */
  toStudentId: string | null
  lines: readonly Line[] | null
  waiveReason: string | null
  reason: string
}

/** `studentId`: for whom it counts now. */
export type MovedPayment = { from: RecordedPayment; to: RecordedPayment; studentId: string }

/**
 * Money that the office took counts for somebody else, or for other fees. For another student the payment stays on record
 * as cancelled and a new one stands in its place, with its day, its cashier and its cheque: the cash book of that day, the
 * deposit slip and the line of the bank statement hold the same money as before.
 */
export async function movePayment(
  { db, clock }: Context,
  command: Command<MovedPayment>,
  { institute, studentId, transactionId }: PaymentTarget,
  asked: AskedMove,
): Promise<MovedPayment> {
  const at = clock.now()
  const toStudentId = asked.toStudentId ?? studentId
  return transact(db, command, async tx => {
    await holdPayingStudents(tx, institute.id, [...new Set([studentId, toStudentId])].toSorted())
    const from = await requireMovable(tx, { institute, studentId, transactionId })
    if (toStudentId === studentId) {
      if (asked.lines === null) throw badField('fee_components', 'is required: for which fees of the student')
      const correction = { lines: [...asked.lines] }
      const target = { institute, studentId, transactionId }
      const { payment: to } = await changePaymentWithin(tx, target, correction, { at, isMoved: true })
      return { from, to, studentId }
    }
    const to = await recordThere(tx, institute, { from, toStudentId, asked, at })
    const moved = { from: from.id, to: to.id }
    await followMove(tx, institute.id, moved)
    await followMovedTaking(tx, institute.id, moved)
    const number = to.receipt === null ? to.transactionId : `receipt ${receiptNumber(to.receipt)}`
    const told = { cause: 'payment_moved' as const, note: asked.reason }
    const reason = `Moved to ${number}. ${asked.reason}`
    await cancelPaymentWithin(tx, { institute, studentId, transactionId }, { reason, at, told })
    return { from, to, studentId: toStudentId }
  })
}

/** Only what the office took itself: an online payment is known to its bank, its settlement and its payer as what it is. */
async function requireMovable(
  tx: Transaction,
  { institute, studentId, transactionId }: PaymentTarget,
): Promise<RecordedPayment> {
  const payment = await findPayment(tx, { instituteId: institute.id, studentId }, transactionId)
  if (payment === null) {
    const [collected] = await findCollected(tx, institute.id, [{ studentId, transactionId }])
    if (collected === undefined) throw notFound('This payment')
    throw conflict(
      'This payment was collected online, for what its payer was shown. Refund it, and let the family pay again; what is too much of it can be used for other fees as an advance.',
    )
  }
  const { cancelledAt, recordedBy, refundedPaise } = payment
  if (cancelledAt !== null)
    throw conflict('This payment was cancelled or moved already; nothing of it counts here.')
  if (recordedBy === null)
    throw conflict('This payment was not taken at the counter here. Correct it where it was recorded.')
  if (refundedPaise > 0)
    throw conflict(
      `${formatRupees(refundedPaise)} of this payment was refunded, so it can no longer be moved. Refund the rest instead.`,
    )
  return payment
}

type There = { from: RecordedPayment; toStudentId: string; asked: AskedMove; at: Date }

async function recordThere(
  tx: Transaction,
  institute: Institute,
  { from, toStudentId: studentId, asked, at }: There,
): Promise<RecordedPayment> {
  const key = { instituteId: institute.id, studentId }
  const { amountPaise, paidAt, mode, settlementUtr, notes, instrument, recordedAt, recordedBy } = from
  const spread = { amountPaise, day: dayOf(paidAt) }
  const lines = [...(asked.lines ?? (await spreadForStudent(tx, key, spread)))]
  const sent = { amountPaise, paidAt, mode, settlementUtr, notes, lines }
  const { waiveReason } = asked
  const { payment, isNew } = await recordPaymentWithin(
    tx,
    { institute, studentId },
    {
      payment: { ...sent, transactionId: await numberThere(tx, key, from) },
      readOnTheWay,
      recordedBy,
      recordedAt,
      hasReceipt: true,
      instrument,
      prepare: inner =>
        settleLateFees(inner, key, {
          lines,
          paidAt,
          typedAt: at,
          recordedBy: recordedBy ?? '',
          waiveReason,
        }),
    },
    at,
  )
  if (!isNew) throw conflict('The same payment is recorded for that student already. Cancel it here instead.')
  return payment
}

/** Its own, so that the bank's reference stays with the money; another if that was given to a payment there before. */
async function numberThere(
  tx: Transaction,
  key: { instituteId: number; studentId: string },
  { id, transactionId }: RecordedPayment,
): Promise<string | null> {
  if (transactionId === id) return null
  const known = await findPayment(tx, key, transactionId)
  return known !== null && known.cancelledAt !== null ? null : transactionId
}
