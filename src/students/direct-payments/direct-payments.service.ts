import { checkCatalogue, joinCatalogue, type CodeInUse } from '../../institutes/catalogue.service.ts'
import type { Institute } from '../../institutes/institutes.rules.ts'
import { recordEvents } from '../../events/events.service.ts'
import type { Queryable, Transaction } from '../../platform/db/database.ts'
import type { Page, PageRange } from '../../platform/db/list.ts'
import { badFields, conflict, notFound } from '../../platform/errors.ts'
import type { Context } from '../../platform/context.ts'
import { transact, type Command } from '../../platform/idempotency.ts'
import { newId } from '../../platform/ids.ts'
import { formatRupees, ZERO, type Paise } from '../../platform/money.ts'
import {
  advanceOf,
  amountProblems,
  correctPayment,
  isSamePayment,
  linesBeyond,
  withoutLines,
  type Correction,
  type Instrument,
  type RecordedPayment,
} from './direct-payments.rules.ts'
import * as store from './direct-payments.store.ts'
import { chargeRefunded } from './direct-refunds.service.ts'
import { addPayments, eventOf, lockOpenOrders, planPayments, type SentId } from './plan-payments.service.ts'
import { carryAdvancesAgain, takeBackAdvances } from '../../fees/advances/advances.service.ts'
import { recomputeBalances } from '../../fees/balances.service.ts'
import { ADVANCE, type PaidByComponent } from '../../fees/fees.rules.ts'
import type { directPaymentEvents } from './direct-payment.events.ts'
import { readStudentContexts, type StudentContext } from '../student-contexts.service.ts'
import { paidProblems, type DirectPayment, type StudentKey } from '../students.rules.ts'
import type { ReceiptKey, ToldCancellation } from '../../receipts/receipts.rules.ts'
import { cancelReceiptOf, issueDirectReceipt } from '../../receipts/receipts.service.ts'
import { hasStudent, lockStudent, lockStudents } from '../students.store.ts'

export {
  findCollected,
  findPayment,
  findPaymentById,
  listPaymentsById,
  wasPaidSince,
  type PaymentWithHistory,
} from './direct-payments.store.ts'

/** Payments taken outside: at the counter, by cheque, by a transfer to the institute's account. */
export type PayingStudent = { institute: Institute; studentId: string }
export type PaymentTarget = PayingStudent & { transactionId: string }

/** A payment without a transaction id gets one of ours. */
export type SentPayment = Omit<DirectPayment, 'transactionId'> & { transactionId: string | null } & SentId

/** What is expected for a student: of banks that have been asked and have not answered, and of a lender. */
type OnTheWay = { paidPaise: Paise; lentPaise: Paise }
export type ReadOnTheWay = (db: Queryable, instituteId: number, studentId: string) => Promise<OnTheWay>

export type PaymentWithAdvance = {
  payment: RecordedPayment
  /** How much of it is beyond what is due of its components. */
  advancePaise: Paise
}

/** `isCollected`: it is a payment that was collected here, sent back. */
export type RecordedOutcome = PaymentWithAdvance & {
  isNew: boolean
  isCollected: boolean
  onTheWay: OnTheWay
}

type RecordWanted = {
  payment: SentPayment
  readOnTheWay: ReadOnTheWay
  /** Who took it at the counter. */
  recordedBy: string | null
  /** When, where that was before. */
  recordedAt?: Date
  hasReceipt: boolean
  instrument?: Instrument | null
  /** Runs before the payment is recorded, while the student is held; not when the payment is recorded already. */
  prepare?: ((tx: Transaction) => Promise<void>) | undefined
}

/** Records a payment once per transaction id: the same again changes nothing. */
export async function recordPayment(
  ctx: Context,
  command: Command<RecordedOutcome>,
  target: PayingStudent,
  wanted: RecordWanted,
): Promise<RecordedOutcome> {
  return transact(ctx.db, command, tx => recordPaymentWithin(tx, target, wanted, ctx.clock.now()))
}

/**
 * Holds all students that one transaction records payments for, before the first of them: a receipt's number is held until
 * the commit, and who holds it must not wait for another student.
 */
export async function holdPayingStudents(
  tx: Transaction,
  instituteId: number,
  studentIds: readonly string[],
): Promise<void> {
  await lockOpenOrders(tx, instituteId, { studentIds })
  await lockStudents(
    tx,
    studentIds.map(studentId => ({ instituteId, studentId })),
  )
}

/** The same in the transaction of what it follows from, such as a line of a bank statement. */
export async function recordPaymentWithin(
  tx: Transaction,
  { institute, studentId }: PayingStudent,
  wanted: RecordWanted,
  now: Date,
): Promise<RecordedOutcome> {
  const id = newId('pay')
  const sent = { ...wanted.payment, transactionId: wanted.payment.transactionId ?? id }
  const problems = amountProblems(sent)
  if (problems.length > 0) throw badFields(problems)
  await lockOpenOrders(tx, institute.id, { studentIds: [studentId] })
  await lockForPayment(tx, { institute, studentId }, sent.lines)
  const read = () => planPayments(tx, institute.id, [{ studentId, payments: [sent] }])
  let [plan] = await read()
  if (wanted.prepare !== undefined && plan?.added.length === 1) {
    await wanted.prepare(tx)
    ;[plan] = await read()
  }
  if (plan === undefined) throw notFound('This student')
  const { context, conflicts, known, problems: tooMuch } = plan
  if (conflicts[0] !== undefined) throw conflict(conflicts[0].message)
  const onTheWay = await wanted.readOnTheWay(tx, institute.id, studentId)
  if (known[0] !== undefined) {
    const { payment, isCollected } = known[0]
    const counted = isCollected ? { payment, advancePaise: ZERO } : count(context, payment)
    return { ...counted, isNew: false, isCollected, onTheWay }
  }
  if (tooMuch.length > 0) throw badFields(tooMuch)
  const { recordedBy, instrument = null, recordedAt = now } = wanted
  const added = { ...sent, id, sentId: sent.id ?? null, recordedBy, recordedAt, instrument }
  await addPayments(tx, institute.id, [{ context, payment: added }], now)
  const receipt = wanted.hasReceipt
    ? await issueDirectReceipt(tx, { instituteId: institute.id, id }, now)
    : null
  const payment: RecordedPayment = {
    ...sent,
    id,
    recordedAt,
    recordedBy,
    instrument,
    cancelledAt: null,
    receipt,
    refundedPaise: ZERO,
  }
  const advancePaise = advanceOf(payment.lines, context.fees, context.paid)
  return { payment, advancePaise, isNew: true, isCollected: false, onTheWay }
}

/** Corrects what is recorded of a payment; what it was stays in its history. */
export async function changePayment(
  ctx: Context,
  command: Command<PaymentWithAdvance>,
  target: PaymentTarget,
  sent: Correction,
): Promise<PaymentWithAdvance> {
  return transact(ctx.db, command, tx => changePaymentWithin(tx, target, sent, { at: ctx.clock.now() }))
}

/** The same in the caller's transaction; `isMoved`: to other fees, which its old receipt says. */
export async function changePaymentWithin(
  tx: Transaction,
  { transactionId, ...target }: PaymentTarget,
  sent: Correction,
  { at, isMoved = false }: { at: Date; isMoved?: boolean },
): Promise<PaymentWithAdvance> {
  const locked = await lockTarget(tx, target, sent.lines ?? [], at)
  const { key, context } = locked
  const before = await requirePayment(tx, key, transactionId)
  if (before.cancelledAt !== null)
    throw conflict('This payment was cancelled. Record it anew with another transaction_id.')
  refuseRefunded(before, 'corrected')
  const payment = correctPayment(before, sent)
  const problems = amountProblems(payment)
  if (problems.length > 0) throw badFields(problems)
  if (isSamePayment(before, payment)) return count(context, before)
  const paidOtherwise = withoutLines(context.paid, before.lines)
  refuseTooMuch(paidOtherwise, payment)
  await store.insertChange(tx, key, before, { kind: 'corrected', changedAt: locked.now })
  await store.updatePayment(tx, key, payment)
  await takeBackAdvances(tx, key, linesBeyond(before.lines, payment.lines), locked.now)
  await carryAdvancesAgain(tx, key, linesBeyond(payment.lines, before.lines), locked.now)
  recomputeBalances(tx, key.instituteId, [key.studentId])
  await recordPaymentEvent(locked, 'direct.payment.updated', payment)
  const receipt = await replaceReceipt(locked, before, isMoved)
  return {
    payment: { ...payment, receipt },
    advancePaise: advanceOf(payment.lines, context.fees, paidOtherwise),
  }
}

/** A receipt is never changed: the old one is cancelled and a new one issued. */
async function replaceReceipt(
  { tx, key, now }: LockedTarget,
  { id, receipt }: RecordedPayment,
  isMoved: boolean,
): Promise<ReceiptKey | null> {
  if (receipt === null) return null
  const payment = { instituteId: key.instituteId, id }
  await cancelReceiptOf(tx, payment, {
    reason: isMoved
      ? 'Moved to other fees; a new receipt was issued'
      : 'The payment was corrected; a new receipt was issued',
    at: now,
    told: isMoved ? { cause: 'payment_moved', note: null } : null,
  })
  return issueDirectReceipt(tx, payment, now)
}

/** The payment stops counting, and its receipt is cancelled for this reason. Cancelling it again changes nothing. */
export async function cancelPayment(
  ctx: Context,
  command: Command<RecordedPayment>,
  target: PaymentTarget,
  reason = 'The payment was cancelled',
): Promise<RecordedPayment> {
  return transact(ctx.db, command, tx => cancelPaymentWithin(tx, target, { reason, at: ctx.clock.now() }))
}

type Cancelling = { reason: string; at: Date; told?: ToldCancellation }

/** The same in the transaction of what it follows from, such as a cheque that the bank returned. Who was told of the receipt is told of it. */
export async function cancelPaymentWithin(
  tx: Transaction,
  { transactionId, ...target }: PaymentTarget,
  { reason, at, told = { cause: 'payment_cancelled', note: reason } }: Cancelling,
): Promise<RecordedPayment> {
  const locked = await lockTarget(tx, target, [], at)
  const before = await requirePayment(tx, locked.key, transactionId)
  if (before.cancelledAt !== null) return before
  if (told.cause !== 'cheque_returned') refuseRefunded(before, 'cancelled')
  const payment = { ...before, cancelledAt: at, receipt: null }
  await cancelReceiptOf(tx, { instituteId: locked.key.instituteId, id: before.id }, { reason, at, told })
  await store.insertChange(tx, locked.key, before, { kind: 'cancelled', changedAt: at })
  await store.updatePayment(tx, locked.key, payment)
  await takeBackAdvances(tx, locked.key, before.lines, at)
  await chargeRefunded(tx, locked.key, before, at)
  recomputeBalances(tx, locked.key.instituteId, [locked.key.studentId])
  await recordPaymentEvent(locked, 'direct.payment.cancelled', payment)
  return payment
}

/** Money that was paid out of it has left the cash box: only the rest can still go back. */
function refuseRefunded({ refundedPaise }: RecordedPayment, what: 'corrected' | 'cancelled'): void {
  if (refundedPaise > 0)
    throw conflict(
      `${formatRupees(refundedPaise)} of this payment was refunded, so it can no longer be ${what}. Refund the rest instead.`,
    )
}

export async function getPayment(
  ctx: Context,
  { institute, studentId, transactionId }: PaymentTarget,
): Promise<store.PaymentWithHistory> {
  const key = { instituteId: institute.id, studentId }
  const payment = await store.findWithHistory(ctx.db, key, transactionId)
  if (payment === null) throw notFound('This payment')
  return payment
}

export async function listPayments(
  ctx: Context,
  { institute, studentId }: PayingStudent,
  filter: store.PaymentFilter,
  page: PageRange,
): Promise<Page<RecordedPayment>> {
  const key = { instituteId: institute.id, studentId }
  if (!(await hasStudent(ctx.db, institute.id, studentId))) throw notFound('This student')
  return store.listPayments(ctx.db, key, filter, page)
}

const MOST_TAKEN = 200

/** What the institute took itself, newest first, as this transaction sees it. */
export async function listTakenPayments(db: Queryable, key: StudentKey): Promise<RecordedPayment[]> {
  return (await store.listPayments(db, key, {}, { limit: MOST_TAKEN })).rows
}

/** A student that is held until the commit, so that what is decided by what it owes still holds then. */
type LockedTarget = {
  tx: Transaction
  key: { instituteId: number; studentId: string }
  context: StudentContext
  now: Date
}

async function lockTarget(
  tx: Transaction,
  { institute, studentId }: PayingStudent,
  lines: DirectPayment['lines'],
  now: Date,
): Promise<LockedTarget> {
  await lockForPayment(tx, { institute, studentId }, lines)
  const key = { instituteId: institute.id, studentId }
  const context = (await readStudentContexts(tx, [key])).get(studentId)
  if (context === undefined) throw notFound('This student')
  return { tx, key, context, now }
}

async function lockForPayment(
  tx: Transaction,
  { institute, studentId }: PayingStudent,
  lines: DirectPayment['lines'],
): Promise<void> {
  const codes = lines.map(({ componentType: code }, index): CodeInUse => {
    return { kind: 'component', code, key: `fee_components.${index}.component_type` }
  })
  await checkCatalogue(
    tx,
    institute,
    codes.filter(({ code }) => code !== ADVANCE),
  )
  await joinCatalogue(tx, institute, codes)
  if ((await lockStudent(tx, institute.id, studentId)) === null) throw notFound('This student')
}

async function requirePayment(
  tx: Transaction,
  key: LockedTarget['key'],
  transactionId: string,
): Promise<RecordedPayment> {
  const payment = await store.findPayment(tx, key, transactionId)
  if (payment === null) throw notFound('This payment')
  return payment
}

/** One that is among what the context counts as paid. */
function count({ fees, paid }: StudentContext, payment: RecordedPayment): PaymentWithAdvance {
  return { payment, advancePaise: advanceOf(payment.lines, fees, withoutLines(paid, payment.lines)) }
}

function refuseTooMuch(paidOtherwise: PaidByComponent, payment: DirectPayment): void {
  const problems = paidProblems([...paidOtherwise.values()], [payment], 'amount')
  if (problems.length > 0) throw badFields(problems)
}

async function recordPaymentEvent(
  { tx, key, context, now }: LockedTarget,
  code: keyof typeof directPaymentEvents,
  payment: RecordedPayment,
): Promise<void> {
  await recordEvents(tx, [eventOf(code, { instituteId: key.instituteId, context, now }, payment)])
}
