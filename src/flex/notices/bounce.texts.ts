import { VARIABLE, type NewMessage, type Template } from '../../messages/messages.rules.ts'
import { formatRupees, sumPaise, type Paise } from '../../platform/money.ts'
import {
  formatDay,
  LANGUAGES,
  messagesToFamily,
  textToFamily,
  type FamilyPlan,
  type Language,
} from './family.texts.ts'
import { reasonIn } from './reasons.texts.ts'

/** The message about a returned debit. */
export type ReturnedDebit = {
  kind: 'bounced' | 'reversed'
  about: FamilyPlan
  instalmentId: string
  amountPaise: Paise
  reason: string
  /** When it is debited again. */
  day: string | undefined
  /** Names this return. */
  once: string
}

/** One message, whatever the number of children and debits. */
export function bounceMessages(all: readonly ReturnedDebit[], at: Date): NewMessage[] {
  const [first] = all
  if (first === undefined) return []
  const { about, kind, ...values } = first
  if (all.length === 1) return messagesToFamily(kind, about, { at, ...values })
  const { language, instituteName: institute } = about.plan
  const total = formatRupees(sumPaise(all.map(({ amountPaise }) => amountPaise)))
  const lines = all.map(one => LINE[language](one)).join('\n')
  const text = TEXTS[language]({ institute, total, debits: String(all.length) })
  const end = all.some(({ day }) => day !== undefined) ? `\n\n${text.end}` : ''
  const remindsOf = all.map(({ instalmentId }) => instalmentId)
  return textToFamily(
    about,
    { at, template: templateName(language), remindsOf, once: first.once },
    { subject: text.subject, body: `${text.head}\n\n${lines}${end}`, short: text.short },
  )
}

type Values = Record<'institute' | 'total' | 'debits', string>

const TEXTS: Record<Language, (values: Values) => Record<'subject' | 'head' | 'end' | 'short', string>> = {
  en: f => ({
    subject: `${f.total} could not be debited`,
    head: `Your bank did not pay these fees to ${f.institute}:`,
    end: 'Please keep in your account what is debited again.',
    short: `${f.institute}: ${f.debits} debits of ${f.total} in all came back from your bank. Please see your e-mail or ask the school.`,
  }),
  hi: f => ({
    subject: `${f.total} नहीं कट सके`,
    head: `आपके बैंक ने यह फ़ीस ${f.institute} को नहीं दी:`,
    end: 'जो फिर कटेगी, वह राशि कृपया खाते में रखें।',
    short: `${f.institute}: ${f.debits} कटौतियाँ, कुल ${f.total}, बैंक से लौट आईं। कृपया ई-मेल देखें या स्कूल से पूछें।`,
  }),
}

const LINE: Record<Language, (one: ReturnedDebit) => string> = {
  en: ({ about: { student, pageUrl }, amountPaise, reason, day }) =>
    `${student.student.fullname}: ${formatRupees(amountPaise)}. ${reason} ` +
    (day === undefined
      ? `Please pay it online: ${pageUrl}`
      : `It will be debited again on ${formatDay(day, 'en')}, or pay it online before: ${pageUrl}`),
  hi: ({ about: { student, pageUrl }, amountPaise, reason, day }) =>
    `${student.student.fullname}: ${formatRupees(amountPaise)}। ${reasonIn('hi', reason)} ` +
    (day === undefined
      ? `कृपया ऑनलाइन भरें: ${pageUrl}`
      : `यह ${formatDay(day, 'hi')} को फिर कटेगी, या पहले ही ऑनलाइन भरें: ${pageUrl}`),
}

const templateName = (language: Language): string => `family_bounced_${language}`

/** The short texts, as they are registered. */
export function bounceTemplates(): Template[] {
  const values = { institute: VARIABLE, total: VARIABLE, debits: VARIABLE }
  return LANGUAGES.map(language => ({ name: templateName(language), text: TEXTS[language](values).short }))
}
