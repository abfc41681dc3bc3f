import { isAskedTwice, maskName, overlap, type Share, withoutTaken } from './dues.rules.ts'
import { type Dues, readDues, readDuesOn } from './dues.service.ts'
import { listGroup, type Payer, readDuesOrders } from './dues.store.ts'
import { type Order, type OrderKind, type OrderToPay, totalOf } from '../orders/orders.rules.ts'
import { findOrders } from '../orders/orders.service.ts'
import type { PaymentContext } from '../payments/context.ts'
import { alreadyOnTheWay, type OnTheWay } from '../payments/on-the-way.rules.ts'
import { heldUntil } from '../payments/payments.rules.ts'
import { giveUpStarted } from '../payments/start/start-payment.service.ts'
import { listOnTheWay, listStarted, type StudentPayment } from '../payments/student-payments.service.ts'
import { dayOf, formatMoment } from '../platform/calendar.ts'
import type { Context } from '../platform/context.ts'
import type { Queryable } from '../platform/db/database.ts'
import { conflict } from '../platform/errors.ts'
import { formatRupees, type Paise, sumPaise } from '../platform/money.ts'
import { holdStudent } from '../students/profile/lock-student.service.ts'

type AskedShare = { instituteId: number; studentId: string; lines: Share['lines'] }

/**
 * The rule that every way to pay a student's fees asks: what is on the way cannot be asked for a second time. `except` is the order
 * that is about to be paid itself.
 */
export async function refuseOnTheWay(
  ctx: { db: Queryable; clock: Context['clock'] },
  asked: AskedShare,
  except?: Pick<Order, 'id'>,
): Promise<void> {
  const taken = await findTaken(ctx, asked, except)
  if (taken.length > 0) throw alreadyOnTheWay(taken)
}

/** Lists payments under way that leave less owed than these lines ask for; none where enough is left. */
async function findTaken(
  { db, clock }: { db: Queryable; clock: Context['clock'] },
  { instituteId, ...asked }: AskedShare,
  except?: Pick<Order, 'id'>,
): Promise<OnTheWay[]> {
  const [taken = []] = await findTakenOfEach(db, instituteId, [asked], { now: clock.now(), except })
  return taken
}

/** The same of many, in the order of what they ask for; a handful of statements however many. */
export async function findTakenOfEach(
  db: Queryable,
  instituteId: number,
  asked: readonly Omit<AskedShare, 'instituteId'>[],
  { now, except }: { now: Date; except?: Pick<Order, 'id'> | undefined },
): Promise<OnTheWay[][]> {
  const ids = [...new Set(asked.map(one => one.studentId))]
  const onTheWay = Map.groupBy(
    (await listOnTheWay(db, instituteId, ids)).filter(one => one.orderId !== except?.id),
    one => one.studentId,
  )
  const keys = [...onTheWay.keys()].map(studentId => ({ instituteId, studentId }))
  const today = dayOf(now)
  const dues = await readDuesOn(db, keys, today)
  return asked.map(({ studentId, lines }) => {
    const [owed, taken] = [dues.get(studentId), onTheWay.get(studentId)]
    if (owed === undefined || taken === undefined) return []
    if (!isAskedTwice(lines, owed, withoutTaken(owed, taken))) return []
    // Late money is expected any day: nobody is told to come back on a day that has passed.
    return ofTheSame(taken, lines).map(one => ({ ...one, until: one.until < today ? today : one.until }))
  })
}

/** Keeps what pays some of these components, and of it that part alone; a promised loan may pay any. */
export function ofTheSame(onTheWay: readonly OnTheWay[], lines: Share['lines']): OnTheWay[] {
  const asked = new Set(lines.map(line => line.componentType))
  return onTheWay.flatMap(one => {
    if (one.lines.length === 0) return one
    const shared = one.lines.filter(line => asked.has(line.componentType))
    const amountPaise = sumPaise(shared.map(line => line.amountPaise))
    return shared.length === 0 ? [] : { ...one, lines: shared, amountPaise }
  })
}

/** What students owe less what is on the way: what a family may be asked for today. All are of one institute. */
export async function readDuesLeft(
  ctx: Context,
  instituteId: number,
  studentIds: readonly string[],
): Promise<Map<string, Dues & { isOnTheWay: boolean }>> {
  const [dues, onTheWay] = await Promise.all([
    readDues(
      ctx,
      studentIds.map(studentId => ({ instituteId, studentId })),
    ),
    listOnTheWay(ctx.db, instituteId, studentIds),
  ])
  const taken = Map.groupBy(onTheWay, one => one.studentId)
  return new Map(
    [...dues].map(([id, owed]) => {
      const own = taken.get(id) ?? []
      return [id, { ...withoutTaken(owed, own), isOnTheWay: own.length > 0 }]
    }),
  )
}

/** A payment of a student's dues that somebody has started at the bank's page and not finished. */
export type StartedDues = {
  orderId: string
  /** Amount of the whole payment, for all children. */
  amountPaise: Paise
  /** One payment can pay for several children. */
  children: readonly { studentId: string; name: string }[]
  /** Null when the ERP opened it. */
  payer: Payer | null
  startedAt: Date
  /** When others may start, unless the bank reports before that. */
  heldUntil: Date
}

type StartContext = Pick<PaymentContext, 'db' | 'clock'>
type Lines = Pick<OrderToPay, 'id' | 'lines'>

/** Kinds that a person pays at the checkout; the others are debited by mandate or paid out by a lender. */
const PAID_BY_PAYERS: readonly OrderKind[] = ['student', 'order', 'link', 'downpayment']

/** Whatever they pay for this student: dues, an order or link that names it, a down payment. */
export async function listStartedByPayers(
  db: Queryable,
  instituteId: number,
  studentId: string,
): Promise<StudentPayment[]> {
  const started = await listStarted(db, instituteId, [studentId])
  return started.filter(payment => PAID_BY_PAYERS.includes(payment.orderKind))
}

/** Started payments of other orders that pay some of the same components. */
export function rivalsOf(started: readonly StudentPayment[], { id, lines }: Lines): StudentPayment[] {
  return started.filter(payment => payment.orderId !== id && overlap(payment.lines, lines))
}

/** What keeps another from starting a payment of dues now; null when nothing does. */
export async function findStartedDues(
  ctx: StartContext,
  instituteId: number,
  studentId: string,
): Promise<StartedDues | null> {
  const started = await listStartedByPayers(ctx.db, instituteId, studentId)
  return describeHeld(ctx, instituteId, started)
}

/** What keeps a payment of this order from starting; null when nothing does. */
export async function findRival(
  ctx: StartContext,
  instituteId: number,
  order: OrderToPay,
): Promise<StartedDues | null> {
  if (order.studentId === null) return null
  const started = await listStartedByPayers(ctx.db, instituteId, order.studentId)
  return describeHeld(ctx, instituteId, rivalsOf(started, order))
}

async function describeHeld(
  { db, clock }: StartContext,
  instituteId: number,
  started: readonly StudentPayment[],
): Promise<StartedDues | null> {
  const now = clock.now()
  const held = started.find(payment => heldUntil(payment) > now)
  return held === undefined ? null : describeStart(db, instituteId, held)
}

/** Finds money under way for the same components that leaves too little for this order; null when there is none. */
export async function findPending(
  ctx: StartContext,
  instituteId: number,
  order: OrderToPay,
): Promise<OnTheWay | null> {
  const { studentId, lines } = order
  if (studentId === null) return null
  return (await findTaken(ctx, { instituteId, studentId, lines }, order))[0] ?? null
}

/** Orders, links and down payments that name a student wait for another payer of the same components. */
export async function assertNobodyPays(
  ctx: StartContext,
  instituteId: number,
  order: OrderToPay,
): Promise<boolean> {
  const { studentId, lines } = order
  if (studentId === null) return true
  await refuseOnTheWay(ctx, { instituteId, studentId, lines }, order)
  const rival = await findRival(ctx, instituteId, order)
  if (rival !== null) throw beingPaid(rival)
  return true
}

/** Gives up what keeps this order from being paid; money of it that comes in all the same counts. */
export async function takeOverRivals(
  ctx: StartContext,
  instituteId: number,
  order: OrderToPay,
): Promise<void> {
  const { studentId } = order
  if (studentId === null) return
  await ctx.db.transaction(async tx => {
    await holdStudent(tx, { instituteId, studentId })
    const rivals = rivalsOf(await listStartedByPayers(tx, instituteId, studentId), order)
    const ids = rivals.map(({ paymentId }) => paymentId)
    await giveUpStarted(tx, instituteId, ids, ctx.clock.now())
  })
}

export async function describeStart(
  db: Queryable,
  instituteId: number,
  payment: StudentPayment,
): Promise<StartedDues> {
  const { orderId, createdAt: startedAt, orderKind, payerName } = payment
  const made = (await readDuesOrders(db, instituteId, [orderId])).get(orderId)
  // A link tells whom it was sent to, but that person is no user of ours.
  const payer = orderKind === 'student' ? (made?.payer ?? null) : { registrationId: '', name: payerName }
  const groupId = made?.groupId ?? null
  const ids = groupId === null ? [orderId] : await listGroup(db, instituteId, groupId)
  const orders = await findOrders({ db }, { id: instituteId }, ids)
  return {
    orderId,
    amountPaise: sumPaise(orders.map(totalOf)),
    children: orders.map(one => ({ studentId: one.studentId ?? '', name: one.studentName ?? one.name })),
    payer,
    startedAt,
    heldUntil: heldUntil(payment),
  }
}

export function beingPaid({ amountPaise, payer, heldUntil: until }: StartedDues): Error {
  return conflict(
    `${payer === null ? 'Somebody' : maskName(payer.name)} is at the bank's page to pay ${formatRupees(amountPaise)} of these dues. Wait until the bank ` +
      `reports, at most until ${formatMoment(until)}, or take it over.`,
  )
}
