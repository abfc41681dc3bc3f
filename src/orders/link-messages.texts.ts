import {
  VARIABLE,
  shortText,
  templatesOf,
  type NewMessage,
  type Template,
} from '../messages/messages.rules.ts'
import { messageTextsIn, feeNames, localMoment } from '../messages/texts/texts.ts'
import { totalOf, type OrderLine } from './orders.rules.ts'
import { lastMoment } from '../platform/calendar.ts'
import { fill, type Language } from '../platform/languages.ts'
import { formatRupees } from '../platform/money.ts'

/** The message with a link for a family, in its language. */
export const SEND_CHANNELS = ['email', 'sms'] as const
export type SendChannel = (typeof SEND_CHANNELS)[number]

/** What a message tells of an order. */
export type Payable = {
  id: string
  name: string
  phone: string
  email: string
  studentName: string | null
  expiresAt: Date | null
  lines: readonly Pick<OrderLine, 'componentType' | 'amountPaise'>[]
}

export function linkMessages(
  order: Payable,
  to: { instituteId: number; institute: string; url: string; language: Language; at: Date },
  channels: readonly SendChannel[],
): NewMessage[] {
  const { language, instituteId, at, institute, url } = to
  const amount = formatRupees(totalOf({ lines: order.lines as OrderLine[] }))
  // The payer's own name when no student is named.
  const values = { institute, url, amount, who: order.studentName ?? order.name }
  const common = { instituteId, about: order.id, at }
  return channels.map(channel =>
    channel === 'email'
      ? { ...common, ...mailOf(order, values, language) }
      : {
          ...common,
          channel,
          recipient: order.phone,
          ...shortText('payment_link', language, each => fill(messageTextsIn(each).link.short, values)),
        },
  )
}

function mailOf(order: Payable, common: Record<string, string>, language: Language) {
  const { subject, body, until, ignore } = messageTextsIn(language).link
  const types = order.lines.map(({ componentType }) => componentType)
  const values = { ...common, forWhat: feeNames(types, language) }
  // A link that ends at midnight is said to work through the day before.
  const end = order.expiresAt === null ? null : localMoment(lastMoment(order.expiresAt), language)
  const paragraphs = [body, ...(end === null ? [] : [until]), ignore]
  return {
    channel: 'email' as const,
    recipient: order.email,
    subject: fill(subject, values),
    body: paragraphs.map(text => fill(text, { ...values, until: end ?? '' })).join('\n\n'),
    to: { name: order.name, language },
  }
}

/** The short texts, as they are registered. */
export function linkTemplates(): Template[] {
  const values = { institute: VARIABLE, amount: VARIABLE, who: VARIABLE, url: VARIABLE }
  return templatesOf('payment_link', language => fill(messageTextsIn(language).link.short, values))
}
