import { VARIABLE, type NewMessage, type Template } from '../messages/messages.rules.ts'
import type { BankAccount, School } from '../institutes/school/school.rules.ts'
import { fill, LANGUAGES, type Language } from '../platform/languages.ts'
import { formatRupees, type Paise } from '../platform/money.ts'
import type { Placeholder, Wording } from './reminders.rules.ts'
import { totalAsked } from './reminders.rules.ts'

/** The text of a school that has not worded its own. Greeting and signature are written around it. */
const EN: Wording = {
  subject: 'Fees of {total} are due',
  body: 'This is a reminder from {school}. These fees are due:\n\n{details}\n\nIf you have paid already, please ignore this message. Thank you.',
}
const HI: Wording = {
  subject: '{total} फ़ीस देय है',
  body: '{school} की ओर से याद: यह फ़ीस देय है।\n\n{details}\n\nअगर आप भर चुके हैं तो इस संदेश पर ध्यान न दें। धन्यवाद।',
}

const KN: Wording = {
  subject: '{total} ಶುಲ್ಕ ಬಾಕಿ ಇದೆ',
  body: '{school} ವತಿಯಿಂದ ನೆನಪು: ಈ ಶುಲ್ಕ ಬಾಕಿ ಇದೆ.\n\n{details}\n\nನೀವು ಈಗಾಗಲೇ ಪಾವತಿಸಿದ್ದರೆ ಈ ಸಂದೇಶವನ್ನು ಕಡೆಗಣಿಸಿ. ಧನ್ಯವಾದಗಳು.',
}
const TA: Wording = {
  subject: '{total} கட்டணம் செலுத்த வேண்டியுள்ளது',
  body: '{school} நினைவூட்டல்: இந்தக் கட்டணம் செலுத்த வேண்டியுள்ளது.\n\n{details}\n\nஏற்கெனவே செலுத்தியிருந்தால் இந்தச் செய்தியைப் பொருட்படுத்த வேண்டாம். நன்றி.',
}

type Values = Record<'school' | 'total' | 'names' | 'links', string>
type Texts = {
  wording: Wording
  line: (name: string, about: string, amount: string, link: string) => string
  /** To a phone: registered with the operators, so the school cannot word it. */
  short: (values: Values) => string
  transfer: (account: BankAccount) => string
}

const transferEn = ({ holder, number, ifsc, bank, upiId }: BankAccount): string =>
  `${holder}, account ${number}, IFSC ${ifsc}, ${bank}${upiId === null ? '' : `, UPI ${upiId}`}`

const TEXTS: Record<Language, Texts> = {
  en: {
    wording: EN,
    line: (name, about, amount, link) => `${name} (${about}): ${amount}\nPay here: ${link}`,
    short: f => `${f.school}: fees of ${f.total} are due for ${f.names}. Pay here: ${f.links}`,
    transfer: transferEn,
  },
  hi: {
    wording: HI,
    line: (name, about, amount, link) => `${name} (${about}): ${amount}\nयहाँ भरें: ${link}`,
    short: f => `${f.school}: ${f.names} की ${f.total} फ़ीस देय है। यहाँ भरें: ${f.links}`,
    transfer: transferEn,
  },
  kn: {
    wording: KN,
    line: (name, about, amount, link) => `${name} (${about}): ${amount}\nಇಲ್ಲಿ ಪಾವತಿಸಿ: ${link}`,
    short: f => `${f.school}: ${f.names} ಅವರ ${f.total} ಶುಲ್ಕ ಬಾಕಿ ಇದೆ. ಇಲ್ಲಿ ಪಾವತಿಸಿ: ${f.links}`,
    transfer: transferEn,
  },
  ta: {
    wording: TA,
    line: (name, about, amount, link) => `${name} (${about}): ${amount}\nஇங்கே செலுத்தவும்: ${link}`,
    short: f => `${f.school}: ${f.names} - ${f.total} கட்டணம் செலுத்த வேண்டியுள்ளது. இங்கே செலுத்தவும்: ${f.links}`,
    transfer: transferEn,
  },
}

export function ourWording(language: Language): Wording {
  return TEXTS[language].wording
}

export type RemindedChild = {
  name: string
  identifier: string
  grade: string
  amountPaise: Paise
  url: string
}
export type Letter = {
  instituteId: number
  about: string
  to: { name: string; email: string; phone: string }
  language: Language
  school: School
  children: readonly RemindedChild[]
  wording: Wording
}

/** Both texts as the family reads them, without greeting and signature. */
export function writeReminder({ language, school, to, children, wording }: Letter) {
  const texts = TEXTS[language]
  const total = formatRupees(totalAsked(children))
  const names = children.map(({ name }) => name).join(', ')
  const [account] = school.bankAccounts
  const values: Record<Placeholder, string> = {
    details: children
      .map(({ name, identifier, grade, amountPaise, url }) =>
        texts.line(name, `${identifier}, ${grade}`, formatRupees(amountPaise), url),
      )
      .join('\n\n'),
    total,
    parent: to.name,
    names,
    school: school.name,
    bank_account: account === undefined ? '' : texts.transfer(account),
  }
  const links = children.map(({ url }) => url).join(' ')
  return {
    subject: `${school.name}: ${fill(wording.subject, values)}`,
    body: fill(wording.body, values),
    short: texts.short({ school: school.name, total, names, links }),
  }
}

export const CHANNELS = ['email', 'sms'] as const
export type ReminderChannel = (typeof CHANNELS)[number]

export function reminderMessages(
  letter: Letter,
  channels: readonly ReminderChannel[],
  at: Date,
): NewMessage[] {
  const { instituteId, about, to, language } = letter
  const { subject, body, short } = writeReminder(letter)
  const common = { instituteId, about, at, isReminder: true }
  return channels.map(channel =>
    channel === 'email'
      ? { ...common, channel, recipient: to.email, subject, body, to: { name: to.name, language } }
      : { ...common, channel, recipient: to.phone, body: short, template: templateName(language) },
  )
}

const templateName = (language: Language): string => `fee_reminder_${language}`

/** The short texts, as they are registered. */
export function feeReminderTemplates(): Template[] {
  const values = { school: VARIABLE, total: VARIABLE, names: VARIABLE, links: VARIABLE }
  return LANGUAGES.map(language => ({ name: templateName(language), text: TEXTS[language].short(values) }))
}
