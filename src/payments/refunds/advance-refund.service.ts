import { holdAdvances } from '../../fees/advances/advances.service.ts'
import type { Institute } from '../../institutes/institutes.rules.ts'
import { lockOrder, lockOrders } from '../../orders/order-payments.service.ts'
import type { Transaction } from '../../platform/db/database.ts'
import { badField, conflict } from '../../platform/errors.ts'
import { transact, type Command } from '../../platform/idempotency.ts'
import { formatRupees, minPaise, subtractPaise, sumPaise, type Paise } from '../../platform/money.ts'
import { holdStudent } from '../../students/profile/lock-student.service.ts'
import type { PaymentContext, PaidOrder } from '../context.ts'
import { listStanding } from '../disputes/disputes.store.ts'
import { lockPaying } from '../payments.store.ts'
import { listPaid } from '../student-payments.service.ts'
import { refundableOf, type Refund } from './refunds.rules.ts'
import { askForRefund } from './refunds.service.ts'
import { listRefunds } from './refunds.store.ts'

/** `amountPaise`: all of the advance that was paid online when null. */
export type AskedAdvance = { amountPaise: Paise | null; reason: string | null }

type StudentOf = { institute: Institute; studentId: string }

/**
 * Gives back what a student has paid beyond what is owed: of the payments that brought it, then of the newest, each as a
 * refund of its own. What was paid at the counter goes back there.
 */
export async function refundAdvance(
  ctx: PaymentContext,
  command: Command<Refund[]>,
  student: StudentOf,
  asked: AskedAdvance,
): Promise<Refund[]> {
  return transact(ctx.db, command, tx => refundAdvanceWithin(tx, ctx, student, asked))
}

export async function refundAdvanceWithin(
  tx: Transaction,
  ctx: PaymentContext,
  student: StudentOf,
  { amountPaise, reason }: AskedAdvance,
): Promise<Refund[]> {
  const { advancePaise, parts } = await readAdvance(ctx, tx, student)
  const onlinePaise = sumPaise(parts.map(part => part.leftPaise))
  const wanted = checkAdvance({ advancePaise, onlinePaise }, amountPaise)
  const refunds: Refund[] = []
  for (const { paid, leftPaise } of parts) {
    const given = sumPaise(refunds.map(refund => refund.amountPaise))
    const part = minPaise(leftPaise, subtractPaise(wanted, given))
    if (part === 0) break
    refunds.push(await askForRefund(ctx, tx, paid, { amountPaise: part, lines: null, reason }))
  }
  return refunds
}

/** How much of what was paid online can still be refunded. Locks the orders, and then the student. */
export async function sumRefundableOnline(
  tx: Transaction,
  ctx: PaymentContext,
  student: StudentOf,
): Promise<Paise> {
  const { parts } = await readAdvance(ctx, tx, student)
  return sumPaise(parts.map(part => part.leftPaise))
}

function checkAdvance(
  { advancePaise, onlinePaise }: { advancePaise: Paise; onlinePaise: Paise },
  amountPaise: Paise | null,
): Paise {
  if (advancePaise === 0) throw conflict('There is no advance to refund.')
  if (amountPaise !== null && amountPaise > advancePaise)
    throw badField('amount', `must be at most the advance of ${formatRupees(advancePaise)}`)
  const wanted = amountPaise ?? minPaise(advancePaise, onlinePaise)
  if (onlinePaise === 0 || wanted > onlinePaise)
    throw conflict(
      `${formatRupees(onlinePaise)} of what was paid online can still be refunded. Give the rest of the advance back at the counter.`,
    )
  return wanted
}

type RefundablePayment = { paid: PaidOrder; leftPaise: Paise }

/** Payments that can be refunded: first those that paid a component with an advance, the newest first. All are locked. */
async function readAdvance(
  ctx: PaymentContext,
  tx: Transaction,
  { institute: { id: instituteId }, studentId }: StudentOf,
): Promise<{ advancePaise: Paise; parts: RefundablePayment[] }> {
  const payments = (await listPaid(tx, instituteId, [studentId])).filter(one => !one.isReversed)
  await lockOrders(
    tx,
    instituteId,
    payments.map(({ orderId }) => orderId),
  )
  const parts: RefundablePayment[] = []
  for (const { orderId } of payments) {
    const order = await lockOrder(tx, instituteId, orderId)
    const payment = await lockPaying(tx, instituteId, orderId)
    if (order?.state !== 'paid' || payment === null) continue
    if ((ctx.paymentHandlers[order.kind].refundRefusal?.(payment) ?? null) !== null) continue
    if ((await listStanding(tx, instituteId, payment.id)).length > 0) continue
    const leftPaise = refundableOf(payment, await listRefunds(tx, instituteId, payment.id))
    if (leftPaise > 0) parts.push({ paid: { payment, order }, leftPaise })
  }
  await holdStudent(tx, { instituteId, studentId })
  const advances = await holdAdvances(tx, { instituteId, studentId })
  const isOfAdvance = ({ paid: { order } }: RefundablePayment): boolean =>
    order.lines.some(line => advances.some(one => one.componentType === line.componentType))
  return {
    advancePaise: sumPaise(advances.map(one => one.amountPaise)),
    parts: [...parts.filter(isOfAdvance), ...parts.filter(part => !isOfAdvance(part))],
  }
}
