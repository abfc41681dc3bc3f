import type { Institute } from '../../institutes/institutes.rules.ts'
import { recordEvents } from '../../events/events.service.ts'
import { holdAdvances } from '../../fees/advances/advances.service.ts'
import { officeRefundEvent } from '../../payments/payment.events.ts'
import { refundLines } from '../../payments/refunds/refunds.rules.ts'
import type { Context } from '../../platform/context.ts'
import type { Transaction } from '../../platform/db/database.ts'
import { badField, conflict } from '../../platform/errors.ts'
import { transact, type Command } from '../../platform/idempotency.ts'
import { formatRupees, subtractPaise, sumPaise, ZERO, type Paise } from '../../platform/money.ts'
import { directPaymentInEvent } from '../../students/direct-payments/direct-payment.events.ts'
import type { RecordedPayment, RefundWay } from '../../students/direct-payments/direct-payments.rules.ts'
import {
  addRefund,
  holdPayment,
  type DirectRefund,
} from '../../students/direct-payments/direct-refunds.service.ts'
import { readCheques } from '../cheques/cheques.store.ts'
import { lockCash, sumCashInHand } from '../deposits/deposits.store.ts'

export type AskedCounterRefund = {
  /** All that is left when it says neither how much nor of what. */
  amountPaise: Paise | null
  lines: readonly { componentType: string; amountPaise: Paise }[] | null
  way: RefundWay
  reference: string | null
  reason: string
}

type PaymentOf = { institute: Institute; studentId: string; transactionId: string }

/** A refund and the payment that it is of; what could still be refunded before it was read under the same lock. */
export type CounterRefund = DirectRefund & { payment: RecordedPayment; refundableBeforePaise: Paise }

/**
 * Pays out again what the office took itself, all of it or a part: in cash from the drawer, by cheque or by transfer. It is
 * done with this; its voucher is numbered, and what it had paid is due again.
 */
export async function refundAtCounter(
  { db, clock }: Context,
  command: Command<CounterRefund>,
  target: PaymentOf,
  asked: AskedCounterRefund,
  by: string,
): Promise<CounterRefund> {
  return transact(db, command, tx => refundAtCounterWithin(tx, target, asked, { by, at: clock.now() }))
}

export async function refundAtCounterWithin(
  tx: Transaction,
  { institute, studentId, transactionId }: PaymentOf,
  asked: AskedCounterRefund,
  { by, at }: { by: string; at: Date },
): Promise<CounterRefund> {
  const { way, reason } = asked
  const reference = checkReference(asked)
  const key = { instituteId: institute.id, studentId }
  const { payment, refunds, context } = await holdPayment(tx, key, transactionId)
  const refusal = await readRefusal(tx, institute.id, payment)
  if (refusal !== null) throw conflict(refusal)
  const earlier = refunds.map(({ lines }) => ({
    kind: 'requested' as const,
    state: 'processed' as const,
    lines,
  }))
  const advances = asked.lines === null ? await holdAdvances(tx, key) : []
  const lines = refundLines(payment, earlier, asked, advances)
  if (way === 'cash') await requireCash(tx, institute.id, sumPaise(lines.map(line => line.amountPaise)))
  const wanted = { paymentId: payment.id, way, reference, reason, lines, by }
  const refund = await addRefund(tx, key, { ...wanted, isAdvanceFirst: asked.lines === null }, at)
  const shown = {
    ...refund,
    state: 'processed' as const,
    chargedPaise: ZERO,
    processedAt: at,
    utr: reference,
  }
  const paid = { student: context.student, payment: directPaymentInEvent(payment), refund: shown }
  await recordEvents(tx, [officeRefundEvent({ instituteId: institute.id, at }, paid)])
  const refundableBeforePaise = subtractPaise(payment.amountPaise, payment.refundedPaise)
  return { ...refund, payment, refundableBeforePaise }
}

function checkReference({ way, reference }: Pick<AskedCounterRefund, 'way' | 'reference'>): string | null {
  if (way === 'cash') {
    if (reference !== null) throw badField('reference', 'is for a cheque or a transfer; cash has none')
    return null
  }
  if (reference === null)
    throw badField(
      'reference',
      way === 'cheque'
        ? 'is needed: the number of the cheque'
        : 'is needed: the bank’s reference of the transfer',
    )
  return reference
}

/** Why nothing of a payment can be paid out here; null when it can. */
export async function readRefusal(
  tx: Transaction,
  instituteId: number,
  payment: RecordedPayment,
): Promise<string | null> {
  const { recordedBy, cancelledAt, instrument } = payment
  if (cancelledAt !== null) return 'This payment is cancelled; nothing of it counts as paid.'
  if (recordedBy === null)
    return 'This payment was not taken at the counter here. Refund it where it was taken.'
  if (instrument === null) return null
  const [cheque] = await readCheques(tx, instituteId, [payment.id])
  if (cheque === undefined || cheque.state === 'cleared') return null
  const where = cheque.state === 'in_hand' ? 'still in the office' : 'with the bank'
  return `The cheque ${cheque.number} is ${where}. It can be refunded once the bank has cleared it; mark it as cleared under Counter, Cheques.`
}

/** Nobody pays out what is not there: what was taken to the bank is paid back from the bank. */
async function requireCash(tx: Transaction, instituteId: number, wanted: Paise): Promise<void> {
  await lockCash(tx, instituteId)
  const inHand = await sumCashInHand(tx, instituteId)
  if (wanted <= inHand) return
  throw conflict(
    `${formatRupees(inHand < 0 ? ZERO : inHand)} of cash is in the office. Pay the ${formatRupees(wanted)} out by cheque or transfer.`,
  )
}
