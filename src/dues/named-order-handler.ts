import { recordEvents } from '../events/events.service.ts'
import { ORDER_PAYMENT_HANDLER } from '../payments/order-payment-handler.ts'
import { eventsOfPaid } from '../payments/payment.events.ts'
import type { PaidOrder, PaymentHandler } from '../payments/context.ts'
import { assert } from '../platform/assert.ts'
import { dayOf } from '../platform/calendar.ts'
import type { Context } from '../platform/context.ts'
import type { Transaction } from '../platform/db/database.ts'
import { ZERO } from '../platform/money.ts'
import { holdStudent } from '../students/profile/lock-student.service.ts'
import { readStudentContexts } from '../students/student-contexts.service.ts'
import { excessOf } from './dues.rules.ts'
import { readDuesOn, readLateFeesBefore } from './dues.service.ts'
import { insertDuesOrders, readDuesOrders, setExcess } from './dues.store.ts'
import { excessNotes, settleExcess } from './excess.service.ts'
import { chargeLateFees } from './late-fees.service.ts'
import { assertNobodyPays } from './on-the-way.service.ts'

/** Orders and links; one that names a student is taken in as a payment of its dues. */
export function namedOrderHandler(ctx: Pick<Context, 'db' | 'clock'>): PaymentHandler {
  return {
    ...ORDER_PAYMENT_HANDLER,
    mayStart: (instituteId, order) => assertNobodyPays(ctx, instituteId, order),
    captured: takeIn,
    settled: tellSettled,
  }
}

/**
 * It pays what it names and no more: the late fee of a fee that it pays in full becomes a fee of the student's and stays due, unless
 * it names that too, because only a waiver lets a family off. What is more than was owed goes back or is kept, as with dues. A
 * component that the student has no fee for was asked for by the institute itself, so nothing of it is too much.
 */
async function takeIn(tx: Transaction, paid: PaidOrder, at: Date): Promise<void> {
  const { id: orderId, studentId, lines } = paid.order
  if (studentId === null) return ORDER_PAYMENT_HANDLER.captured(tx, paid, at)
  const { instituteId } = paid.payment
  const key = { instituteId, studentId }
  await holdStudent(tx, key)
  await chargeLapsing(tx, paid, key, at)
  const context = (await readStudentContexts(tx, [key])).get(studentId)
  assert(context !== undefined, 'a student that is held is there')
  const prices = new Map(context.prices.map(price => [price.componentType, price.amountPaise]))
  const owed = lines.filter(line => prices.has(line.componentType))
  const settled = await settleExcess(tx, paid, excessOf(owed, prices, context.paid), at)
  if (settled.excessPaise > 0) {
    await insertDuesOrders(tx, [{ ...key, orderId, lateFees: [], payer: null, groupId: null }])
    await setExcess(tx, { instituteId, orderId, ...settled })
  }
  const what = { happened: 'debited', at, dues: context, notes: excessNotes(settled) } as const
  await recordEvents(tx, eventsOfPaid(paid, what))
}

/** Late fees that were asked for until this payment and are not any more. */
async function chargeLapsing(
  tx: Transaction,
  { order }: PaidOrder,
  key: { instituteId: number; studentId: string },
  at: Date,
): Promise<void> {
  const today = dayOf(at)
  const asked = await readLateFeesBefore(tx, key, { lines: order.lines, today })
  if (asked.length === 0) return
  const left = (await readDuesOn(tx, [key], today)).get(key.studentId)?.lateFees ?? []
  const lapsing = asked
    .filter(fee => fee.amountPaise > 0 && left.every(one => one.ruleId !== fee.ruleId))
    .map(({ ruleId, amountPaise }) => ({ ruleId, amountPaise }))
  await chargeLateFees(tx, key, lapsing, { orderId: order.id, at })
}

async function tellSettled(tx: Transaction, paid: readonly PaidOrder[], at: Date): Promise<void> {
  const named = paid.flatMap(({ payment: { instituteId }, order: { id, studentId } }) =>
    studentId === null ? [] : [{ instituteId, studentId, orderId: id }],
  )
  const [first] = named
  if (first === undefined) return ORDER_PAYMENT_HANDLER.settled(tx, paid, at)
  const ids = named.map(({ orderId }) => orderId)
  const dues = await readDuesOrders(tx, first.instituteId, ids)
  const contexts = await readStudentContexts(tx, named)
  const events = paid.flatMap(one => {
    const excess = dues.get(one.order.id) ?? { excessPaise: ZERO, isExcessRefunded: false }
    const student = contexts.get(one.order.studentId ?? '')
    return eventsOfPaid(one, { happened: 'settled', at, dues: student, notes: excessNotes(excess) })
  })
  await recordEvents(tx, events)
}
