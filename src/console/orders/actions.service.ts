import type { Institute } from '../../institutes/institutes.rules.ts'
import { internationalNumber } from '../../messages/messages.rules.ts'
import { countMessagesAbout, queueMessages, countMessagesAboutEach } from '../../messages/messages.service.ts'
import { lockOrder, readLocked } from '../../orders/order-payments.service.ts'
import { badField, conflict, notFound } from '../../platform/errors.ts'
import type { Context } from '../../platform/context.ts'
import { transact, type Command } from '../../platform/idempotency.ts'
import { MOST_MESSAGES_A_DAY, requireSendable } from './orders.rules.ts'
import { checkoutUrl } from './orders.service.ts'
import { linkMessages, type SendChannel } from '../../orders/link-messages.texts.ts'
import type { Language } from '../../platform/languages.ts'
import { languageOfFamily } from '../../messages/family-languages.service.ts'
import { DAY_MS } from '../../platform/calendar.ts'
import { sendLinks, waysTo } from '../../orders/link-messages.service.ts'
import { assertCancellable } from '../../orders/orders.rules.ts'
import { cancelLocked } from '../../orders/orders.service.ts'
import { refusalFrom, sift, type Bulk } from '../lists/bulk.rules.ts'

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

type How = {
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
  { channels, language, isForced }: How,
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
