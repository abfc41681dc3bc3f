import type { Institute } from '../../institutes/institutes.rules.ts'
import { type Order, assertCancellable } from '../../orders/orders.rules.ts'
import {
  getOrder,
  createOrder,
  type AskedOrder,
  type CreatedOrder,
  cancelLocked,
} from '../../orders/orders.service.ts'
import type { PaymentContext } from '../../payments/context.ts'
import type { Dispute } from '../../payments/disputes/disputes.rules.ts'
import { listDisputesOf } from '../../payments/disputes/disputes.service.ts'
import { listPaymentRecords, type PaymentRecord } from '../../payments/payments.service.ts'
import type { Refund } from '../../payments/refunds/refunds.rules.ts'
import { listRefunds } from '../../payments/refunds/refunds.service.ts'
import type { Context } from '../../platform/context.ts'
import { ZERO, type Paise } from '../../platform/money.ts'
import { auditList } from '../audit/audit.list.ts'
import type { AuditRow } from '../audit/audit.service.ts'
import * as store from './detail.store.ts'
import {
  actsOn,
  hasCheckout,
  leftToRefund,
  type Acts,
  pickFee,
  MOST_MESSAGES_A_DAY,
  requireSendable,
} from './orders.rules.ts'
import { refuseOnTheWay } from '../../dues/on-the-way.service.ts'
import { refuseUnchargeable } from '../../payments/parts/parts.service.ts'
import { listEntries } from '../../institutes/catalogue.service.ts'
import { badFields, badField, conflict, notFound } from '../../platform/errors.ts'
import { type Command, transact } from '../../platform/idempotency.ts'
import { getStudent } from '../../students/students.service.ts'
import { internationalNumber } from '../../messages/messages.rules.ts'
import {
  countMessagesAbout,
  queueMessages,
  countMessagesAboutEach,
  languageOfFamily,
} from '../../messages/messages.service.ts'
import { lockOrder, readLocked } from '../../orders/order-payments.service.ts'
import { linkMessages, type SendChannel } from '../../orders/link-messages.texts.ts'
import type { Language } from '../../platform/languages.ts'
import { DAY_MS } from '../../platform/calendar.ts'
import { sendLinks, waysTo } from '../../orders/link-messages.service.ts'
import { refusalFrom, sift, type Bulk } from '../lists/bulk.rules.ts'

export type OrderDetail = Order &
  store.OrderOrigin &
  Acts & {
    branch: string
    /** Where it is paid. */
    url: string | null
    payments: PaymentRecord[]
    refunds: Refund[]
    disputes: Dispute[]
    refundablePaise: Paise
    receiptCancelledAt: Date | null
    receiptCancelReason: string | null
    messages: store.MessageRecord[]
    events: store.EventRecord[]
    audit: AuditRow[]
    paidTogether: store.PaidTogether[]
  }

const MOST_ACTS = 200

/** Everything of one order, whatever it is for. */
export async function readDetail(
  ctx: PaymentContext,
  institute: Institute,
  id: string,
): Promise<OrderDetail> {
  const { db } = ctx
  const order = await getOrder(ctx, institute, undefined, id)
  const [origin, paidTogether, payments, refunds, disputes, messages, events, { rows: audit }] =
    await Promise.all([
      store.readOrigin(db, institute.id, order),
      store.readPaidTogether(db, institute.id, id),
      listPaymentRecords(ctx, institute.id, id),
      listRefunds(ctx, institute.id, id),
      listDisputesOf(ctx, institute.id, id),
      store.readMessages(db, institute.id, id),
      store.readEvents(db, institute.id, order),
      auditList.page(ctx, institute, { about: id }, { limit: MOST_ACTS }),
    ])
  const handler = ctx.paymentHandlers[order.kind]
  const refundable = payments.filter(payment => (handler.refundRefusal?.(payment) ?? null) === null)
  const refundablePaise = leftToRefund(refundable, refunds)
  const branch = institute.branches.find(one => one.collectorCode === order.collectorCode)
  const paying = payments.find(payment => payment.receipt !== null)
  const acts = actsOn(order, { refundablePaise, now: ctx.clock.now() })
  return {
    ...order,
    ...origin,
    ...acts,
    branch: branch?.name ?? order.collectorCode,
    url: checkoutUrl(ctx, institute, order),
    payments,
    refunds,
    disputes,
    refundablePaise: acts.canRefund ? refundablePaise : ZERO,
    receiptCancelledAt: paying?.receiptCancelledAt ?? null,
    receiptCancelReason: paying?.receiptCancelReason ?? null,
    messages,
    events,
    audit: audit.toReversed(),
    paidTogether,
  }
}

/** Where its payer pays; null for what a bank debits or a lender pays. */
export function checkoutUrl(
  { publicUrl }: Context,
  institute: Institute,
  order: Pick<Order, 'id' | 'kind'>,
): string | null {
  return hasCheckout(order.kind) ? `${publicUrl}/pay/${institute.code}/${order.id}` : null
}

/** `hasNewFee`: a fee that the catalogue does not have yet is meant, not mistyped. */
type MadeOrder = AskedOrder & { hasNewFee: boolean }

/**
 * A link or order that somebody makes by hand. Its fees are those of the catalogue, also where they are written as the
 * console writes them: a fee under another name than the student's own would pay nothing of its dues.
 */
export async function makeOrder(
  ctx: PaymentContext,
  command: Command<CreatedOrder>,
  institute: Institute,
  { hasNewFee, ...asked }: MadeOrder,
): Promise<CreatedOrder> {
  const known = (await listEntries(ctx, institute, 'component')).map(({ code }) => code)
  const picked = asked.lines.map(line => ({ ...line, fee: pickFee(line.componentType, known) }))
  const problems = picked.flatMap(({ fee }, index) =>
    fee === null && !hasNewFee
      ? [
          {
            key: `details.${index}.component_type`,
            message: 'is no fee of this institute; choose one, or add it as a new fee',
          },
        ]
      : [],
  )
  if (problems.length > 0) throw badFields(problems)
  const lines = picked.map(({ fee, ...line }) => ({ ...line, componentType: fee ?? line.componentType }))
  return createOrder(
    ctx,
    command,
    institute,
    { ...asked, lines, ...(await childOf(ctx, institute, asked)) },
    { onTheWay: refuseOnTheWay, unchargeable: one => refuseUnchargeable(ctx, one) },
  )
}

/** Who a picked student is stands on the order, so that lists, receipts and the payer's page name it. */
async function childOf(
  ctx: Context,
  institute: Institute,
  { studentId, ...asked }: AskedOrder,
): Promise<Partial<AskedOrder>> {
  if (studentId === null || studentId === undefined) return {}
  const { student } = await getStudent(ctx, institute, studentId)
  return {
    studentName: asked.studentName ?? student.fullname,
    identifier: asked.identifier ?? student.identifier,
    grade: asked.grade ?? student.grade,
    academicYearStart: student.academicYearStart,
    academicYearEnd: student.academicYearEnd,
    collectorCode: asked.collectorCode ?? student.collectorCode,
  }
}

type OrderTarget = { institute: Institute; orderId: string }

export type SentLink = { orderId: string; recipients: string[] }

/** Writes the messages down; the worker sends them. The order's lock lets two who press at once be counted in turn. */
export async function sendLink(
  ctx: Context,
  command: Command<SentLink>,
  { institute, orderId }: OrderTarget,
  { channels, language: wanted }: { channels: readonly SendChannel[]; language: Language | null },
): Promise<SentLink> {
  return transact(ctx.db, command, async tx => {
    const now = ctx.clock.now()
    const order = await lockOrder(tx, institute.id, orderId)
    if (order === null) throw notFound('This order')
    requireSendable(order, now)
    if (channels.includes('sms') && internationalNumber(order.phone) === null)
      throw badField('channels', `cannot include sms: ${order.phone} is no number that takes messages`)
    const since = new Date(now.getTime() - DAY_MS)
    const earlier = await countMessagesAbout(tx, institute.id, { about: orderId, since })
    if (earlier + channels.length > MOST_MESSAGES_A_DAY)
      throw conflict(`${earlier} messages about this order left within a day. Wait until tomorrow, or call.`)
    const url = checkoutUrl(ctx, institute, order) ?? ''
    const family = { instituteId: institute.id, phone: order.phone }
    const language = wanted ?? (await languageOfFamily(tx, family))
    const to = { instituteId: institute.id, institute: institute.name, url, language, at: now }
    const messages = linkMessages(order, to, channels)
    await queueMessages(tx, messages)
    return { orderId, recipients: messages.map(message => `${message.channel} ${message.recipient}`) }
  })
}

type PickedOrders = { institute: Institute; orderIds: readonly string[] }

/** All of them or, if it fails, none; who repeats it finds those cancelled already and leaves them out. */
export async function cancelPicked(
  ctx: Context,
  command: Command<Bulk>,
  { institute, orderIds }: PickedOrders,
): Promise<Bulk> {
  return transact(ctx.db, command, async tx => {
    const now = ctx.clock.now()
    const found = await readLocked(tx, institute.id, orderIds)
    const { good, leftOut } = sift(orderIds, found, order => refusalFrom(() => assertCancellable(order, now)))
    await cancelLocked(tx, institute.id, good, now)
    return { done: good.map(({ id }) => id), leftOut }
  })
}

type LinkSending = {
  channels: readonly SendChannel[]
  language: Language | null
  /** Also those that were told within a day. */
  isForced: boolean
}

/** Sends each its link once more. Who was told within a day is left out, so that repeating it tells nobody twice. */
export async function sendPicked(
  ctx: Context,
  command: Command<Bulk>,
  { institute, orderIds }: PickedOrders,
  { channels, language, isForced }: LinkSending,
): Promise<Bulk> {
  return transact(ctx.db, command, async tx => {
    const now = ctx.clock.now()
    const found = await readLocked(tx, institute.id, orderIds)
    const since = new Date(now.getTime() - DAY_MS)
    const earlier = await countMessagesAboutEach(tx, institute.id, { about: orderIds, since })
    const most = isForced ? MOST_MESSAGES_A_DAY - channels.length : 0
    const { good, leftOut } = sift(orderIds, found, order => {
      const refusal = refusalFrom(() => requireSendable(order, now))
      if (refusal !== null) return refusal
      if (waysTo(order, channels).length === 0) return 'The order has no address that this can be sent to.'
      const told = earlier.get(order.id) ?? 0
      if (told <= most) return null
      return isForced
        ? `${told} messages about it left within a day. Wait until tomorrow, or call.`
        : 'The family was told of it within the last day.'
    })
    await sendLinks(tx, { institute, publicUrl: ctx.publicUrl, at: now }, good, { channels, language })
    return { done: good.map(({ id }) => id), leftOut }
  })
}
