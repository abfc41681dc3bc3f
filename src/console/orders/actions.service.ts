import type { Institute } from '../../institutes/institutes.rules.ts'
import { internationalNumber } from '../../messages/messages.rules.ts'
import { countMessagesAbout, queueMessages } from '../../messages/messages.service.ts'
import { lockOrder } from '../../orders/order-payments.service.ts'
import { badField, conflict, notFound } from '../../platform/errors.ts'
import type { Context } from '../../platform/context.ts'
import { transact, type Command } from '../../platform/idempotency.ts'
import { MOST_MESSAGES_A_DAY, requireSendable } from './orders.rules.ts'
import { checkoutUrl } from './orders.service.ts'
import { linkMessages, type SendChannel } from '../../orders/link-messages.texts.ts'
import type { Language } from '../../platform/languages.ts'
import { languageOfFamily } from '../../messages/family-languages.service.ts'
import { DAY_MS } from '../../platform/calendar.ts'

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
