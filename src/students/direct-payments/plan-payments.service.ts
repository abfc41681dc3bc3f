import { newEvent, type NewEvent } from '../../events/define-event.ts'
import { recordEvents } from '../../events/events.service.ts'
import { recomputeBalances } from '../../fees/balances.service.ts'
import type { Queryable, Transaction } from '../../platform/db/database.ts'
import { notFound, type FieldProblem } from '../../platform/errors.ts'
import { cancelReceiptOf } from '../../receipts/receipts.service.ts'
import { readStudentContexts, type StudentContext } from '../student-contexts.service.ts'
import { paidProblems, type DirectPayment, type StudentKey } from '../students.rules.ts'
import * as store from './direct-payments.store.ts'
import { directPaymentEvents } from './direct-payment.events.ts'
import { decideRecord, namesOf, type RecordedPayment, type SentId } from './direct-payments.rules.ts'
import { chargeRefunded } from './direct-refunds.service.ts'

export type { SentId } from './direct-payments.rules.ts'
export { lockOpenOrders } from './direct-payments.store.ts'

/** Payments sent for one student: one by a request of the API, or all of a file. */
export type SentPayments<Sent extends DirectPayment> = { studentId: string; payments: readonly Sent[] }

export type PaymentPlan<Sent extends DirectPayment> = {
  context: StudentContext
  /** Payments to add, unless together they are too much. */
  added: Sent[]
  /** Recorded already, just so; or collected here by any product, whatever else is said of it. */
  known: { sent: Sent; payment: RecordedPayment; isCollected: boolean }[]
  /** The transaction id is that of another payment, or of one that was cancelled. */
  conflicts: { sent: Sent; message: string }[]
  problems: FieldProblem[]
}

/**
 * What recording payments would do; one plan for each student, in their order. The caller that records them then has locked the
 * open orders and after them the students, so that a capture at this moment is either seen here or sees them.
 */
export async function planPayments<Sent extends DirectPayment & SentId>(
  db: Queryable,
  instituteId: number,
  sent: readonly SentPayments<Sent>[],
  decide = decideRecord,
): Promise<PaymentPlan<Sent>[]> {
  const keys = sent.map(({ studentId }) => ({ instituteId, studentId }))
  const contexts = await readStudentContexts(db, keys)
  const asked = sent.flatMap(({ studentId, payments }) =>
    payments.flatMap(one => namesOf(one).map(name => ({ studentId, transactionId: name }))),
  )
  const stored = Map.groupBy(await store.findPaymentsOf(db, instituteId, asked), one => one.studentId)
  const own = Map.groupBy(await store.findCollected(db, instituteId, asked), one => one.studentId)
  return sent.map(({ studentId, payments }) => {
    const context = contexts.get(studentId)
    if (context === undefined) throw notFound('This student')
    const recorded = new Map(stored.get(studentId)?.map(one => [one.transactionId, one]))
    const ours = new Map(own.get(studentId)?.flatMap(one => namesOf(one).map(name => [name, one])))
    const plan: PaymentPlan<Sent> = { context, added: [], known: [], conflicts: [], problems: [] }
    for (const one of payments) {
      const [echoed] = namesOf(one).flatMap(name => ours.get(name) ?? [])
      if (echoed !== undefined) {
        plan.known.push({ sent: one, payment: echoed, isCollected: true })
        continue
      }
      const decision = decide(recorded.get(one.transactionId) ?? null, one)
      if (decision.kind === 'add') plan.added.push(one)
      else if (decision.kind === 'known')
        plan.known.push({ sent: one, payment: decision.payment, isCollected: false })
      else plan.conflicts.push({ sent: one, message: decision.message })
    }
    plan.problems = paidProblems([...context.paid.values()], plan.added, 'amount')
    return plan
  })
}

/** Writes payments of students that the caller has locked, with the events. */
export async function addPayments(
  tx: Transaction,
  instituteId: number,
  added: readonly {
    context: StudentContext
    payment: Omit<store.NewPayment, 'studentId'>
  }[],
  now: Date,
): Promise<void> {
  const rows = added.map(({ context, payment }) => ({ ...payment, studentId: context.student.id }))
  await store.insertPayments(tx, instituteId, rows, now)
  recomputeBalances(
    tx,
    instituteId,
    rows.map(payment => payment.studentId),
  )
  await recordEvents(
    tx,
    added.map(({ context, payment }) =>
      eventOf('direct.payment.added', { instituteId, context, now }, payment),
    ),
  )
}

/**
 * Money was captured for a student that the ERP had already sent as a direct payment, while the bank still worked on it:
 * the direct payment gives way, or it would count twice. The caller holds the order.
 */
export async function yieldToCollected(
  tx: Transaction,
  key: StudentKey,
  names: readonly string[],
  now: Date,
): Promise<void> {
  const repeats = await store.lockRepeats(tx, key, names)
  if (repeats.length === 0) return
  const context = (await readStudentContexts(tx, [key])).get(key.studentId)
  if (context === undefined) throw new Error('a student vanished')
  for (const before of repeats) {
    await store.insertChange(tx, key, before, { kind: 'cancelled', changedAt: now })
    await store.updatePayment(tx, key, { ...before, cancelledAt: now })
    const payment = { instituteId: key.instituteId, id: before.id }
    await cancelReceiptOf(tx, payment, { reason: 'The same payment was collected online', at: now })
    await chargeRefunded(tx, key, before, now)
  }
  recomputeBalances(tx, key.instituteId, [key.studentId])
  const about = { instituteId: key.instituteId, context, now }
  await recordEvents(
    tx,
    repeats.map(payment => eventOf('direct.payment.cancelled', about, payment)),
  )
}

export function eventOf(
  code: keyof typeof directPaymentEvents,
  { instituteId, context, now }: { instituteId: number; context: StudentContext; now: Date },
  payment: DirectPayment & { id: string },
): NewEvent {
  const { id: resourceId, collectorCode } = context.student
  const about = { instituteId, collectorCode, resourceId, occurredAt: now }
  return newEvent(directPaymentEvents, code, about, { ...context, payment })
}
