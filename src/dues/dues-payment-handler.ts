import { newEvent, type NewEvent } from '../events/define-event.ts'
import { recordEvents } from '../events/events.service.ts'
import { aboutOrder, paymentEvents, paymentInEvent } from '../payments/payment.events.ts'
import type { PaidOrder, PaymentHandler } from '../payments/context.ts'
import { isUnasked } from '../payments/credits/credits.service.ts'
import type { Context } from '../platform/context.ts'
import { assert } from '../platform/assert.ts'
import { dayOf } from '../platform/calendar.ts'
import type { Transaction } from '../platform/db/database.ts'
import { sumPaise } from '../platform/money.ts'
import { readStudentContexts, type StudentContext } from '../students/student-contexts.service.ts'
import { holdStudent } from '../students/profile/lock-student.service.ts'
import { excessOf, stillAsked } from './dues.rules.ts'
import { readLateFeesBefore } from './dues.service.ts'
import { readDuesOrders, setExcess } from './dues.store.ts'
import { excessNotes, settleExcess, type SettledExcess } from './excess.service.ts'
import { chargeLateFees } from './late-fees.service.ts'
import { isStillDue } from './pay-dues.service.ts'

/** What a parent pays of a student's dues. */
export function duesPaymentHandler(ctx: Pick<Context, 'db' | 'clock'>): PaymentHandler {
  return {
    mayStart: (instituteId, order) => isStillDue(ctx, instituteId, order),
    captured: takeIn,
    settled: tellSettled,
    // The parent sees it on the page and tries again.
    failed: async () => {},
    async reversed(_tx, { payment }) {
      throw new Error(`${payment.id} was paid at the checkout, which no bank takes back`)
    },
  }
}

/**
 * The late fee becomes a fee as it is paid, as far as it is still asked for; what is more than was due goes back or is
 * kept as advance, as the institute has chosen, and the event says which.
 */
async function takeIn(tx: Transaction, paid: PaidOrder, at: Date): Promise<void> {
  const { instituteId } = paid.payment
  const dues = (await readDuesOrders(tx, instituteId, [paid.order.id])).get(paid.order.id)
  assert(dues !== undefined, `${paid.order.id} pays nobody's dues`)
  const key = { instituteId, studentId: dues.studentId }
  await holdStudent(tx, key)
  const asked = await readLateFeesBefore(tx, key, { lines: paid.order.lines, today: dayOf(at) })
  await chargeLateFees(tx, key, stillAsked(dues.lateFees, asked), { orderId: paid.order.id, at })
  const context = (await readStudentContexts(tx, [key])).get(dues.studentId)
  assert(context !== undefined, 'a student that is held is there')
  const prices = new Map(context.prices.map(price => [price.componentType, price.amountPaise]))
  const excess = excessOf(paid.order.lines, prices, context.paid)
  // Nobody was asked for it, so nothing of it was asked for by mistake: it stays.
  const settled = (await isUnasked(tx, paid.payment))
    ? { excessPaise: sumPaise(excess.map(line => line.amountPaise)), isExcessRefunded: false }
    : await settleExcess(tx, paid, excess, at)
  if (settled.excessPaise > 0) await setExcess(tx, { instituteId, orderId: paid.order.id, ...settled })
  await recordEvents(tx, [paidEvent(paid, context, { happened: 'debited', at, ...settled })])
}

async function tellSettled(tx: Transaction, paid: readonly PaidOrder[], at: Date): Promise<void> {
  const [first] = paid
  if (first === undefined) return
  const { instituteId } = first.payment
  const ids = paid.map(({ order }) => order.id)
  const dues = await readDuesOrders(tx, instituteId, ids)
  const keys = [...dues.values()].map(({ studentId }) => ({ instituteId, studentId }))
  const contexts = await readStudentContexts(tx, keys)
  const events = paid.map(each => {
    const order = dues.get(each.order.id)
    const context = contexts.get(order?.studentId ?? '')
    assert(order !== undefined && context !== undefined, `${each.order.id} pays nobody's dues`)
    const { excessPaise, isExcessRefunded } = order
    return paidEvent(each, context, { happened: 'settled', excessPaise, isExcessRefunded, at })
  })
  await recordEvents(tx, events)
}

function paidEvent(
  { payment, order }: PaidOrder,
  context: StudentContext,
  what: SettledExcess & { happened: 'debited' | 'settled'; at: Date },
): NewEvent {
  const notes = excessNotes(what)
  return newEvent(
    paymentEvents,
    `pay.payment.${what.happened}`,
    { ...aboutOrder(order, payment.instituteId, what.at), resourceId: context.student.id },
    { order, dues: context, payment: { ...paymentInEvent(payment, order), notes } },
  )
}
