import { type Order, type OrderToPay, requireReturnUrl, orderFor, totalOf } from '../orders/orders.rules.ts'
import type { Institute } from '../institutes/institutes.rules.ts'
import { closeUnpaid, openOrders } from '../orders/order-payments.service.ts'
import { findOrders } from '../orders/orders.service.ts'
import { heldUntil } from '../payments/payments.rules.ts'
import { giveUpStarted } from '../payments/start/start-payment.service.ts'
import { beingPaid, describeStart, listStartedByPayers, ofTheSame, rivalsOf } from './on-the-way.service.ts'
import { alreadyOnTheWay } from '../payments/on-the-way.rules.ts'
import { listOnTheWay } from '../payments/student-payments.service.ts'
import type { PaymentContext } from '../payments/context.ts'
import { assert } from '../platform/assert.ts'
import { dayOf } from '../platform/calendar.ts'
import type { Context } from '../platform/context.ts'
import type { Queryable, Transaction } from '../platform/db/database.ts'
import { badField, conflict } from '../platform/errors.ts'
import { transact, type Command } from '../platform/idempotency.ts'
import { newId } from '../platform/ids.ts'
import { formatRupees, subtractPaise, sumPaise, type Paise } from '../platform/money.ts'
import { holdStudent } from '../students/profile/lock-student.service.ts'
import { allocate, chosenOf } from './allocation.rules.ts'
import { takeLateFees } from './counter.rules.ts'
import { linesOf, shareFor, type LinkScope } from './due-links.rules.ts'
import {
  isCovered,
  LATE_FEE,
  payable,
  withoutClosed,
  withoutPlanned,
  withoutTaken,
  type Share,
} from './dues.rules.ts'
import { readClosed } from '../payments/parts/parts.service.ts'
import { readableComponent } from '../platform/names.ts'
import { readDuesOn, type Dues } from './dues.service.ts'
import { insertDuesOrders, listGroup, listOpenOrders, readDuesOrders, type Payer } from './dues.store.ts'

type PaidStudent = { institute: Institute; studentId: string }
/** A part of one child's dues: an amount, what is due by some day, the picked fees or exact lines; all of them when none is said. */
type ChosenDues = {
  amountPaise?: Paise | null
  asked?: LinkScope | null
  componentTypes?: readonly string[] | null
  /** Exactly this, as somebody of the office agreed with the family; the rules for part payments do not hold it up. */
  lines?: Share['lines'] | null
  /** The sum on the button that was pressed: no order asks for another. */
  shownPaise?: Paise | null
}
type PaymentOptions = {
  callbackUrl: string | null
  /** Starts although somebody is at the bank's page with overlapping lines. */
  takeOver?: boolean
  /** Null: the ERP opened it, for whom we do not know. */
  payer?: Payer | null
  /** Leaves out what instalments take in their own time. */
  isByHand?: boolean
}
export type OpenedOrder = { orderId: string; redirectUrl: string; amountPaise: Paise }

/**
 * Makes an order for all or a part of what a student owes, which the parent pays at the checkout. What the bank is
 * already taking by mandate is left out of it, and an earlier one that nobody paid is closed. While another payer is at
 * the bank's page with some of the same components it is refused, unless that payment is to be taken over.
 */
export async function openDuesOrder(
  ctx: PaymentContext,
  target: PaidStudent,
  wanted: PaymentOptions & ChosenDues,
): Promise<OpenedOrder> {
  return ctx.db.transaction(tx => openIn(tx, ctx, target, { ...wanted, groupId: null }))
}

/** The same for an ERP, which may repeat itself. */
export async function createDuesOrder(
  ctx: PaymentContext,
  command: Command<OpenedOrder>,
  target: PaidStudent,
  wanted: PaymentOptions & ChosenDues,
): Promise<OpenedOrder> {
  requireReturnUrl(wanted.callbackUrl, ctx.mode)
  return transact(ctx.db, command, tx => openIn(tx, ctx, target, { ...wanted, groupId: null }))
}

export type ChildPart = { studentId: string } & Pick<ChosenDues, 'componentTypes' | 'lines'>

/**
 * An order for each child, which the checkout takes at once under the id of their group: the bank is asked for one sum, and
 * each order has its own payment, receipt and events. One child alone is an order like any other.
 */
export async function openFamilyOrders(
  ctx: PaymentContext,
  institute: Institute,
  children: readonly ChildPart[],
  { urlOf, ...wanted }: Omit<PaymentOptions, 'callbackUrl'> & { urlOf: (studentId: string) => string | null },
): Promise<{ checkoutId: string }> {
  return ctx.db.transaction(tx => openFamilyIn(tx, ctx, institute, children, { urlOf, ...wanted }))
}

/** The same in the caller's transaction. */
export async function openFamilyIn(
  tx: Transaction,
  ctx: Pick<PaymentContext, 'clock' | 'publicUrl' | 'accounts'>,
  institute: Institute,
  children: readonly ChildPart[],
  { urlOf, ...wanted }: Omit<PaymentOptions, 'callbackUrl'> & { urlOf: (studentId: string) => string | null },
): Promise<{ checkoutId: string }> {
  const groupId = children.length > 1 ? newId('family') : null
  const inTurn = children.toSorted((one, other) => (one.studentId < other.studentId ? -1 : 1))
  for (const { studentId } of inTurn) await holdStudent(tx, { instituteId: institute.id, studentId })
  let checkoutId = ''
  for (const { studentId, ...chosen } of inTurn) {
    const part = { ...wanted, ...chosen, callbackUrl: urlOf(studentId), groupId }
    checkoutId = (await openIn(tx, ctx, { institute, studentId }, part)).orderId
  }
  return { checkoutId: groupId ?? checkoutId }
}

/** The orders that are paid at once under this id; none when it is not one of a family. */
export async function findFamilyOrders(
  ctx: { db: Queryable },
  institute: Institute,
  groupId: string,
): Promise<Order[]> {
  const ids = await listGroup(ctx.db, institute.id, groupId)
  return ids.length === 0 ? [] : findOrders(ctx, institute, ids)
}

/** The id under which an order is paid together with those of other children; null when it is paid by itself. */
export async function familyOf(
  { db }: Pick<Context, 'db'>,
  instituteId: number,
  order: Pick<Order, 'id' | 'kind'>,
): Promise<string | null> {
  if (order.kind !== 'student') return null
  return (await readDuesOrders(db, instituteId, [order.id])).get(order.id)?.groupId ?? null
}

async function openIn(
  tx: Transaction,
  ctx: Pick<PaymentContext, 'clock' | 'publicUrl' | 'accounts'>,
  { institute, studentId }: PaidStudent,
  wanted: PaymentOptions & ChosenDues & { groupId: string | null },
): Promise<OpenedOrder> {
  const { callbackUrl, takeOver = false, payer = null, isByHand = false, groupId } = wanted
  const key = { instituteId: institute.id, studentId }
  const now = ctx.clock.now()
  await holdStudent(tx, key)
  const onTheWay = await listOnTheWay(tx, institute.id, [studentId])
  const owed = await readHeld(tx, key, now)
  const left = withoutTaken(owed, onTheWay)
  const open = await withoutUnchargeable(ctx, key, left, wanted)
  const dues = isByHand ? withoutPlanned(open) : open
  // Who waits for the bank's answer does not know what will be left, and pays nothing more meanwhile.
  const pending = onTheWay.filter(one => one.orderKind === 'student')
  if (pending.length > 0) throw alreadyOnTheWay(pending)
  if (isTaken(wanted, owed, left)) throw alreadyOnTheWay(onTheWay)
  const share = shareOf(dues, wanted)
  const order = orderOf(dues, share, { at: now, callbackUrl })
  if (totalOf(order) !== (wanted.shownPaise ?? totalOf(order)))
    throw badField('amount', `is ${formatRupees(totalOf(order))} by now, not what was shown`)
  const started = await listStartedByPayers(tx, institute.id, studentId)
  const rivals = rivalsOf(started, order)
  const rival = rivals.find(payment => heldUntil(payment) > now)
  if (rival !== undefined && !takeOver) throw beingPaid(await describeStart(tx, institute.id, rival))
  const others = new Set(started.filter(payment => !rivals.includes(payment)).map(({ orderId }) => orderId))
  const unpaid = await listOpenOrders(tx, institute.id, studentId)
  await closeUnpaid(
    tx,
    institute.id,
    unpaid.filter(id => !others.has(id)),
    now,
  )
  await giveUpStarted(
    tx,
    institute.id,
    rivals.map(({ paymentId }) => paymentId),
    now,
  )
  await openOrders(tx, [{ instituteId: institute.id, order }])
  await insertDuesOrders(tx, [{ ...key, orderId: order.id, lateFees: share.lateFees, payer, groupId }])
  const redirectUrl = `${ctx.publicUrl}/pay/${institute.code}/${order.id}`
  return { orderId: order.id, redirectUrl, amountPaise: totalOf(order) }
}

/** What cannot be paid online is left out of all that is owed, and refused where somebody asks for it by name. */
async function withoutUnchargeable(
  ctx: Pick<PaymentContext, 'accounts'>,
  { instituteId }: { instituteId: number },
  dues: Dues,
  { componentTypes = null, lines = null }: ChosenDues,
): Promise<Dues> {
  const { collectorCode } = dues.context.student
  const isClosed = await readClosed(ctx, instituteId, [collectorCode])
  const named = componentTypes ?? lines?.map(({ componentType }) => componentType) ?? []
  const left = withoutClosed(dues, componentType => isClosed(collectorCode, componentType))
  const refused =
    left.totalPaise === 0 && dues.totalPaise > 0
      ? dues.lines.find(line => line.owedPaise > 0)?.componentType
      : named.find(componentType => isClosed(collectorCode, componentType))
  if (refused === undefined) return left
  throw badField(
    'amount',
    `cannot be paid online: ${readableComponent(refused)} belongs to a bank account in which it cannot be settled yet`,
  )
}

/** Whether more is asked for than is left of what is owed. */
function isTaken({ amountPaise = null, componentTypes = null }: ChosenDues, owed: Dues, left: Dues): boolean {
  if (left.totalPaise === owed.totalPaise) return false
  if (left.totalPaise === 0) return true
  const isGone = ({ componentType }: { componentType: string }): boolean =>
    componentTypes?.includes(componentType) === true &&
    left.lines.every(line => line.componentType !== componentType || line.owedPaise === 0)
  return (
    owed.lines.some(line => line.owedPaise > 0 && isGone(line)) ||
    (amountPaise !== null && amountPaise > left.totalPaise && amountPaise <= owed.totalPaise)
  )
}

/** Fees that the payer picked are a part like any other, which the institute's rules allow or not. */
function shareOf(dues: Dues, wanted: ChosenDues): Share {
  const { amountPaise = null, asked = null, componentTypes = null, lines = null } = wanted
  if (lines !== null) return exactShare(dues, lines)
  if (asked !== null) {
    const { share, why } = shareFor(dues, asked)
    if (share === null) throw badField('amount', `cannot be paid: ${why}`)
    return share
  }
  const { partPayment, allocation, totalPaise } = dues
  if (componentTypes === null)
    return allocate(payable(amountPaise, totalPaise, partPayment), dues, allocation)
  const chosen = chosenOf(dues, componentTypes)
  return allocate(payable(chosen.totalPaise, totalPaise, partPayment), chosen, allocation)
}

/**
 * A late fee that grows is asked for as such, so that it is a fee once it is paid. None falls away by what is paid without
 * it: that is a waiver, which some may not give and others not alone.
 */
function exactShare(dues: Dues, lines: Share['lines']): Share {
  const { charged: lateFees, lapsing } = takeLateFees(dues, { lines })
  if (lapsing.length > 0) {
    const due = formatRupees(sumPaise(lapsing.map(fee => fee.amountPaise)))
    throw conflict(
      `${due} of late fee is due and would fall away. Take it too, or have it waived on the student’s page first.`,
    )
  }
  const late = sumPaise(lateFees.map(fee => fee.amountPaise))
  const share = {
    lateFees,
    lines: lines
      .map(line =>
        line.componentType === LATE_FEE
          ? { ...line, amountPaise: subtractPaise(line.amountPaise, late) }
          : line,
      )
      .filter(line => line.amountPaise > 0),
  }
  if (isCovered(share, dues)) return share
  throw conflict('Less is owed by now than was asked for. Open the family again, and check the amounts.')
}

/** False when less is due by now than the order would take; it is closed then. */
export async function isStillDue(
  ctx: Pick<PaymentContext, 'db' | 'clock'>,
  instituteId: number,
  order: OrderToPay,
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
    const rival = rivalsOf(await listStartedByPayers(tx, instituteId, studentId), order).find(
      payment => heldUntil(payment) > now,
    )
    if (rival !== undefined) throw beingPaid(await describeStart(tx, instituteId, rival))
    const owed = await readHeld(tx, key, now)
    const share = { lines: order.lines, lateFees }
    if (isCovered(share, withoutTaken(owed, others))) return true
    // It may be paid after all if what is on the way does not come.
    if (isCovered(share, owed)) throw alreadyOnTheWay(ofTheSame(others, order.lines))
    await closeUnpaid(tx, instituteId, [order.id], now)
    return false
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

function orderOf(
  dues: Dues,
  share: Share,
  { at, callbackUrl }: { at: Date; callbackUrl: string | null },
): Order {
  return orderFor(dues.context.student, { kind: 'student', lines: linesOf(share), at, callbackUrl })
}
