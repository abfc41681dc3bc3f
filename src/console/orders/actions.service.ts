import type { Institute } from '../../institutes/institutes.rules.ts'
import { internationalNumber } from '../../messages/messages.rules.ts'
import { queueMessages } from '../../messages/messages.service.ts'
import { lockOrder } from '../../orders/order-payments.service.ts'
import { cancelOrder } from '../../orders/orders.service.ts'
import type { Refund } from '../../payments/payments.rules.ts'
import { requestRefund, type RequestedRefund } from '../../payments/refunds/refunds.service.ts'
import type { PaymentContext } from '../../payments/context.ts'
import { badField, conflict, notFound } from '../../platform/errors.ts'
import type { Context } from '../../platform/context.ts'
import { innerCommand, transact, type Command } from '../../platform/idempotency.ts'
import { paiseOf, subtractPaise, type Paise } from '../../platform/money.ts'
import { MOST_MESSAGES_A_DAY, requireListed, requireOpen } from './orders.rules.ts'
import { checkoutUrl, getRecord } from './orders.service.ts'
import { countMessages } from './detail.store.ts'
import { linkMessages, type Language, type SendChannel } from '../../orders/link-messages.texts.ts'

type Target = { institute: Institute; orderId: string }

export type Cancelled = { orderId: string; kind: string; amountPaise: Paise }

/** Nobody can start to pay it any more; a payment on its way still wins. */
export async function cancelAny(
  ctx: Context,
  command: Command<Cancelled>,
  { institute, orderId }: Target,
): Promise<Cancelled> {
  const facts = await getRecord(ctx, institute, orderId)
  const kind = requireListed(facts.kind)
  const amountPaise = paiseOf(facts.lines.reduce((sum, line) => sum + line.amountPaise, 0))
  const done: Cancelled = { orderId, kind, amountPaise }
  await cancelOrder(
    ctx,
    innerCommand<null, Cancelled>(command, () => done),
    { institute, kind, id: orderId },
  )
  return done
}

export type Refunded = { refund: Refund; before: Paise; after: Paise }

/** All that is left, or a part of it; the bank is asked by the worker. */
export async function refundAny(
  ctx: PaymentContext,
  command: Command<Refunded>,
  { institute, orderId }: Target,
  asked: { amountPaise: Paise | undefined; reason: string },
): Promise<Refunded> {
  const facts = await getRecord(ctx, institute, orderId)
  const kind = requireListed(facts.kind)
  const inner = innerCommand(command, withRefundable)
  return withRefundable(await requestRefund(ctx, inner, { institute, kind, orderId }, asked))
}

function withRefundable(refund: RequestedRefund): Refunded {
  const before = refund.refundableBeforePaise
  return { refund, before, after: subtractPaise(before, refund.amountPaise) }
}

export type Sent = { orderId: string; recipients: string[] }

const DAY_MS = 86_400_000

/** Writes the messages down; the worker sends them. The order's lock lets two who press at once be counted in turn. */
export async function sendLink(
  ctx: Context,
  command: Command<Sent>,
  { institute, orderId }: Target,
  { channels, language }: { channels: readonly SendChannel[]; language: Language },
): Promise<Sent> {
  return transact(ctx.db, command, async tx => {
    const now = ctx.clock.now()
    const order = await lockOrder(tx, institute.id, orderId)
    if (order === null) throw notFound('This order')
    requireListed(order.kind)
    requireOpen(order, now)
    if (channels.includes('sms') && internationalNumber(order.phone) === null)
      throw badField('channels', `cannot include sms: ${order.phone} is no number that takes messages`)
    const since = new Date(now.getTime() - DAY_MS)
    const earlier = await countMessages(tx, institute.id, { orderId, since })
    if (earlier + channels.length > MOST_MESSAGES_A_DAY)
      throw conflict(`${earlier} messages about this order left within a day. Wait until tomorrow, or call.`)
    const url = checkoutUrl(ctx, institute, order) ?? ''
    const to = { instituteId: institute.id, institute: institute.name, url, language, at: now }
    const messages = linkMessages(order, to, channels)
    await queueMessages(tx, messages)
    return { orderId, recipients: messages.map(message => `${message.channel} ${message.recipient}`) }
  })
}
