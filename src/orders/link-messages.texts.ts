import { VARIABLE, type NewMessage, type Template } from '../messages/messages.rules.ts'
import { totalOf, type OrderLine } from './orders.rules.ts'
import { readableComponent } from '../platform/names.ts'
import { formatMoment, INDIA, lastMoment } from '../platform/calendar.ts'
import { formatRupees } from '../platform/money.ts'

/** The message with a link for a family: short, polite, in its language, written in each. */
export const LANGUAGES = ['en', 'hi'] as const
export type Language = (typeof LANGUAGES)[number]
export const SEND_CHANNELS = ['email', 'sms'] as const
export type SendChannel = (typeof SEND_CHANNELS)[number]

type Values = {
  institute: string
  amount: string
  /** Of whom the fees are; the payer's own name when no student is named. */
  who: string
  forWhat: string
  url: string
  until: string | null
}
type Text = { subject: string; body: string; short: string }

const TEXTS: Record<Language, (values: Values) => Text> = {
  en: f => ({
    subject: `Fees for ${f.who}: ${f.amount}`,
    body: [
      `${f.institute} requests you to pay ${f.amount} for ${f.who} (${f.forWhat}).`,
      `You can pay here:\n${f.url}`,
      ...(f.until === null ? [] : [`The link works until ${f.until}.`]),
      'If you have paid already, please ignore this message. Thank you.',
    ].join('\n\n'),
    short: `${f.institute}: please pay ${f.amount} for ${f.who} here: ${f.url} If you have paid already, please ignore this.`,
  }),
  hi: f => ({
    subject: `${f.who} की फ़ीस: ${f.amount}`,
    body: [
      `${f.institute} आपसे ${f.who} की फ़ीस के ${f.amount} (${f.forWhat}) भरने का अनुरोध करता है।`,
      `यहाँ भरें:\n${f.url}`,
      ...(f.until === null ? [] : [`यह लिंक ${f.until} तक काम करेगा।`]),
      'अगर आप भर चुके हैं तो इस संदेश पर ध्यान न दें। धन्यवाद।',
    ].join('\n\n'),
    short: `${f.institute}: कृपया ${f.who} की फ़ीस के ${f.amount} यहाँ भरें: ${f.url} भर चुके हों तो ध्यान न दें।`,
  }),
}

const HINDI_MOMENT = new Intl.DateTimeFormat('hi-IN-u-nu-latn', {
  timeZone: INDIA,
  day: 'numeric',
  month: 'long',
  year: 'numeric',
  hour: 'numeric',
  minute: '2-digit',
})

/** As much of an order as a message tells of. */
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
  const { language, instituteId, at } = to
  const text = TEXTS[language]({
    institute: to.institute,
    amount: formatRupees(totalOf({ lines: order.lines as OrderLine[] })),
    who: order.studentName ?? order.name,
    forWhat: [...new Set(order.lines.map(line => readableComponent(line.componentType)))].join(', '),
    url: to.url,
    until: order.expiresAt === null ? null : untilWords(order.expiresAt, language),
  })
  const common = { instituteId, about: order.id, at }
  return channels.map(channel =>
    channel === 'email'
      ? {
          ...common,
          channel,
          recipient: order.email,
          subject: text.subject,
          body: text.body,
          to: { name: order.name, language },
        }
      : { ...common, channel, recipient: order.phone, body: text.short, template: templateName(language) },
  )
}

const templateName = (language: Language): string => `payment_link_${language}`

/** The short texts, as they are registered. */
export function linkTemplates(): Template[] {
  const values: Values = {
    institute: VARIABLE,
    amount: VARIABLE,
    who: VARIABLE,
    forWhat: VARIABLE,
    url: VARIABLE,
    until: null,
  }
  return LANGUAGES.map(language => ({ name: templateName(language), text: TEXTS[language](values).short }))
}

/** A link that ends at midnight is said to work through the day before. */
function untilWords(expiresAt: Date, language: Language): string {
  const last = lastMoment(expiresAt)
  return language === 'en' ? formatMoment(last) : HINDI_MOMENT.format(last)
}
