import type { Institute } from '../institutes/institutes.rules.ts'
import { closeUnpaid, openOrders } from '../orders/order-payments.service.ts'
import type { Order } from '../orders/orders.rules.ts'
import { orderFor } from '../orders/student-order.ts'
import { heldUntil } from '../payments/payments.rules.ts'
import { giveUpStarted } from '../payments/payments.service.ts'
import { listOnTheWay, listStarted, type StudentPayment } from '../payments/student-payments.service.ts'
import type { PaymentContext } from '../payments/context.ts'
import { assert } from '../platform/assert.ts'
import { dayOf, formatMoment } from '../platform/calendar.ts'
import type { Queryable, Transaction } from '../platform/db/database.ts'
import { conflict } from '../platform/errors.ts'
import { transact, type Command } from '../platform/idempotency.ts'
import { formatRupees, sumPaise, type Paise } from '../platform/money.ts'
import { holdStudent } from '../students/profile/lock-student.service.ts'
import {
  allocate,
  isCovered,
  LATE_FEE,
  maskName,
  overlap,
  payable,
  withoutTaken,
  type Share,
} from './dues.rules.ts'
import { readDuesOn, type Dues } from './dues.service.ts'
import { insertDuesOrder, listOpenOrders, readDuesOrders, type Payer } from './dues.store.ts'

type Target = { institute: Institute; studentId: string }
type Wanted = {
  amountPaise: Paise | null
  callbackUrl: string | null
  /** Starts although somebody is at the bank's page with overlapping lines. */
  takeOver?: boolean
  /** Null: the ERP opened it, for whom we do not know. */
  payer?: Payer | null
}
export type OpenedOrder = { orderId: string; redirectUrl: string }

/**
 * Makes an order for all or a part of what a student owes, which the parent pays at the checkout. What the bank is
 * already taking by mandate is left out of it, and an earlier one that nobody paid is closed. While another payer is at
 * the bank's page with some of the same components it is refused, unless that payment is to be taken over.
 */
export async function openDuesOrder(
  ctx: PaymentContext,
  target: Target,
  wanted: Wanted,
): Promise<OpenedOrder> {
  return ctx.db.transaction(tx => openIn(tx, ctx, target, wanted))
}

/** The same for an ERP, which may repeat itself. */
export async function createDuesOrder(
  ctx: PaymentContext,
  command: Command<OpenedOrder>,
  target: Target,
  wanted: Wanted,
): Promise<OpenedOrder> {
  return transact(ctx.db, command, tx => openIn(tx, ctx, target, wanted))
}

async function openIn(
  tx: Transaction,
  ctx: PaymentContext,
  { institute, studentId }: Target,
  { amountPaise, callbackUrl, takeOver = false, payer = null }: Wanted,
): Promise<OpenedOrder> {
  const key = { instituteId: institute.id, studentId }
  const now = ctx.clock.now()
  await holdStudent(tx, key)
  const onTheWay = await listOnTheWay(tx, institute.id, [studentId])
  assertNothingPending(onTheWay)
  const dues = withoutTaken(await readHeld(tx, key, now), onTheWay)
  const share = allocate(payable(amountPaise, dues.totalPaise, dues.partPayment), dues, dues.allocation)
  const order = orderOf(dues, share, { at: now, callbackUrl })
  const started = await listDuesStarted(tx, institute.id, studentId)
  const rivals = started.filter(payment => overlap(payment.lines, order.lines))
  const rival = rivals.find(payment => heldUntil(payment) > now)
  if (rival !== undefined && !takeOver) throw beingPaid(await describeStart(tx, institute.id, rival))
  const others = new Set(started.filter(payment => !rivals.includes(payment)).map(({ orderId }) => orderId))
  const open = await listOpenOrders(tx, institute.id, studentId)
  await closeUnpaid(
    tx,
    institute.id,
    open.filter(id => !others.has(id)),
    now,
  )
  await giveUpStarted(
    tx,
    institute.id,
    rivals.map(({ paymentId }) => paymentId),
    now,
  )
  await openOrders(tx, [{ instituteId: institute.id, order }])
  await insertDuesOrder(tx, { ...key, orderId: order.id, lateFees: share.lateFees, payer })
  return { orderId: order.id, redirectUrl: `${ctx.publicUrl}/pay/${institute.code}/${order.id}` }
}

/** A payment of a student's dues that somebody has started at the bank's page and not finished. */
export type StartedDues = {
  orderId: string
  amountPaise: Paise
  /** Null when the ERP opened it. */
  payer: Payer | null
  startedAt: Date
  /** When others may start, unless the bank reports before that. */
  heldUntil: Date
}

/** What keeps another from starting now; null when nothing does. */
export async function findStartedDues(
  ctx: Pick<PaymentContext, 'db' | 'clock'>,
  instituteId: number,
  studentId: string,
): Promise<StartedDues | null> {
  const now = ctx.clock.now()
  const started = await listDuesStarted(ctx.db, instituteId, studentId)
  const held = started.find(payment => heldUntil(payment) > now)
  return held === undefined ? null : describeStart(ctx.db, instituteId, held)
}

async function listDuesStarted(
  db: Queryable,
  instituteId: number,
  studentId: string,
): Promise<StudentPayment[]> {
  const started = await listStarted(db, instituteId, [studentId])
  return started.filter(payment => payment.orderKind === 'student')
}

async function describeStart(
  db: Queryable,
  instituteId: number,
  payment: StudentPayment,
): Promise<StartedDues> {
  const { orderId, amountPaise, createdAt: startedAt } = payment
  const payer = (await readDuesOrders(db, instituteId, [orderId])).get(orderId)?.payer ?? null
  return { orderId, amountPaise, payer, startedAt, heldUntil: heldUntil(payment) }
}

function beingPaid({ amountPaise, payer, heldUntil: until }: StartedDues): Error {
  return conflict(
    `${payer === null ? 'Somebody' : maskName(payer.name)} is at the bank's page to pay ${formatRupees(amountPaise)} of these dues. Wait until the bank ` +
      `reports, at most until ${formatMoment(until)}, or take it over.`,
  )
}

/** False when less is due by now than the order would take; it is closed then. */
export async function isStillDue(
  ctx: Pick<PaymentContext, 'db' | 'clock'>,
  instituteId: number,
  order: Order,
): Promise<boolean> {
  return ctx.db.transaction(async tx => {
    const made = (await readDuesOrders(tx, instituteId, [order.id])).get(order.id)
    assert(made !== undefined, `${order.id} pays nobody's dues`)
    const { studentId, lateFees } = made
    const key = { instituteId, studentId }
    await holdStudent(tx, key)
    const now = ctx.clock.now()
    const onTheWay = await listOnTheWay(tx, instituteId, [studentId])
    const others = onTheWay.filter(payment => payment.orderId !== order.id)
    // Started between the look at the dues and the making of this order, which closed the other one.
    const rival = (await listDuesStarted(tx, instituteId, studentId)).find(
      payment =>
        payment.orderId !== order.id && heldUntil(payment) > now && overlap(payment.lines, order.lines),
    )
    if (rival !== undefined) throw beingPaid(await describeStart(tx, instituteId, rival))
    const dues = withoutTaken(await readHeld(tx, key, now), others)
    const isDue = isCovered({ lines: order.lines, lateFees }, dues)
    if (!isDue) await closeUnpaid(tx, instituteId, [order.id], now)
    return isDue
  })
}

async function readHeld(
  tx: Transaction,
  key: { instituteId: number; studentId: string },
  now: Date,
): Promise<Dues> {
  const dues = (await readDuesOn(tx, [key], dayOf(now))).get(key.studentId)
  assert(dues !== undefined, 'a student that is held has dues')
  return dues
}

function assertNothingPending(onTheWay: readonly StudentPayment[]): void {
  const pending = onTheWay.find(payment => payment.orderKind === 'student')
  if (pending === undefined) return
  throw conflict(
    `A payment of ${formatRupees(pending.amountPaise)} is on its way and the bank has not answered yet. Do not pay again; try later.`,
  )
}

function orderOf(
  dues: Dues,
  share: Share,
  { at, callbackUrl }: { at: Date; callbackUrl: string | null },
): Order {
  const { student } = dues.context
  const lateFeePaise = sumPaise(share.lateFees.map(fee => fee.amountPaise))
  const lateLine = lateFeePaise > 0 ? [{ componentType: LATE_FEE, amountPaise: lateFeePaise }] : []
  return orderFor(student, { kind: 'student', lines: [...share.lines, ...lateLine], at, callbackUrl })
}
