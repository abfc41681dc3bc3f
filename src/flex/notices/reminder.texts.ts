import { VARIABLE, type NewMessage, type Template } from '../../messages/messages.rules.ts'
import { formatRupees, sumPaise, type Paise } from '../../platform/money.ts'
import {
  formatDay,
  LANGUAGES,
  messagesToFamily,
  referenceOf,
  textToFamily,
  type FamilyPlan,
  type Language,
  type Text,
} from './family.texts.ts'

/** One instalment that a family is reminded of. */
export type Reminded = {
  about: FamilyPlan
  instalmentId: string
  /** What the mandate takes, and what is to be paid online beside it. */
  amountPaise: Paise
  onlinePaise: Paise
  day: string
  /** Names this reminder of it. */
  once: string
}

/** One message, whatever the number of children: each with its own amount, day and mandate. */
export function reminderMessages(all: readonly Reminded[], at: Date): NewMessage[] {
  const sorted = all.toSorted((one, other) => (one.day < other.day ? -1 : 1))
  const [first] = sorted
  if (first === undefined) return []
  const { about, ...details } = first
  const kind = first.onlinePaise > 0 ? 'reminder_and_online' : 'reminder'
  if (sorted.length === 1) return messagesToFamily(kind, about, { at, ...details })
  const { language } = about.plan
  const template = `family_reminder_${language}`
  const remindsOf = sorted.map(({ instalmentId }) => instalmentId)
  return textToFamily(about, { at, template, remindsOf, once: first.once }, TEXTS[language](sorted))
}

/** The short texts, as they are registered. */
export function familyTemplates(): Template[] {
  const values = { institute: VARIABLE, total: VARIABLE, instalments: VARIABLE, day: VARIABLE }
  return LANGUAGES.map(language => ({ name: `family_reminder_${language}`, text: SHORT[language](values) }))
}

/** Each amount is in the e-mail; what varies in length could not be registered. */
type ShortValues = Record<'institute' | 'total' | 'instalments' | 'day', string>
const SHORT: Record<Language, (values: ShortValues) => string> = {
  en: f =>
    `${f.institute}: ${f.instalments} instalments, ${f.total} in all, are due from ${f.day} on and will be debited by your mandates.`,
  hi: f => `${f.institute}: ${f.instalments} किस्तें, कुल ${f.total}, ${f.day} से मैंडेट से कटेंगी।`,
}

function shortOf(all: readonly Reminded[], language: Language): string {
  const { total, institute } = headOf(all)
  const day = formatDay(all[0]?.day ?? '', language)
  return SHORT[language]({ institute, total, instalments: String(all.length), day })
}

const TEXTS: Record<Language, (all: readonly Reminded[]) => Text> = {
  en(all) {
    const { total, institute } = headOf(all)
    const lines = all.map(
      one =>
        `${nameOf(one)}: ${amountOf(one)} on ${dayOf(one, 'en')}, mandate ${referenceOf(one.about.mandate)}${onlineEn(one)}`,
    )
    return {
      subject: `${total} is due for your children`,
      body: `A reminder from ${institute}. These fees are due and will be debited by your mandates:\n\n${lines.join('\n')}\n\n${all.some(isPartlyOnline) ? 'Please keep' : 'There is nothing to do but to keep'} the amounts in your account.`,
      short: shortOf(all, 'en'),
    }
  },
  hi(all) {
    const { total, institute } = headOf(all)
    const lines = all.map(
      one =>
        `${nameOf(one)}: ${dayOf(one, 'hi')} को ${amountOf(one)}, मैंडेट ${referenceOf(one.about.mandate)}${onlineHi(one)}`,
    )
    return {
      subject: `आपके बच्चों की फ़ीस के ${total} देय हैं`,
      body: `${institute} की याद। यह फ़ीस देय है और आपके मैंडेट से कटेगी:\n\n${lines.join('\n')}\n\nबस खाते में राशि रखें।`,
      short: shortOf(all, 'hi'),
    }
  },
}

function headOf(all: readonly Reminded[]): { total: string; institute: string } {
  const total = formatRupees(sumPaise(all.map(({ amountPaise }) => amountPaise)))
  return { total, institute: all[0]?.about.plan.instituteName ?? '' }
}

const isPartlyOnline = ({ onlinePaise }: Reminded): boolean => onlinePaise > 0

/** What the mandate may not take. */
function onlineEn({ onlinePaise, about }: Reminded): string {
  return onlinePaise > 0 ? `; please pay the other ${formatRupees(onlinePaise)} online: ${about.pageUrl}` : ''
}

function onlineHi({ onlinePaise, about }: Reminded): string {
  return onlinePaise > 0 ? `; बाकी ${formatRupees(onlinePaise)} ऑनलाइन भरें: ${about.pageUrl}` : ''
}

const nameOf = ({ about }: Reminded): string => about.student.student.fullname
const amountOf = ({ amountPaise }: Reminded): string => formatRupees(amountPaise)
const dayOf = ({ day }: Reminded, language: Language): string => formatDay(day, language)
