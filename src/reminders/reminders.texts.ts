import {
  VARIABLE,
  shortText,
  templatesOf,
  type NewMessage,
  type Template,
} from '../messages/messages.rules.ts'
import type { BankAccount, School } from '../institutes/school/school.rules.ts'
import { messageTextsIn } from '../messages/texts/texts.ts'
import { fill, type Language } from '../platform/languages.ts'
import { formatRupees, type Paise } from '../platform/money.ts'
import { totalAsked, type Placeholder, type Wording } from './reminders.rules.ts'

/** The text of a school that has not worded its own. Greeting and signature are written around it. */
export function ourWording(language: Language): Wording {
  const { subject, body } = messageTextsIn(language).feeReminder
  return { subject, body }
}

/** People write these into a transfer as they are, so they are the same in every language. */
const transfer = ({ holder, number, ifsc, bank, upiId }: BankAccount): string =>
  `${holder}, account ${number}, IFSC ${ifsc}, ${bank}${upiId === null ? '' : `, UPI ${upiId}`}`

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
  const { line } = messageTextsIn(language).feeReminder
  const total = formatRupees(totalAsked(children))
  const names = children.map(({ name }) => name).join(', ')
  const [account] = school.bankAccounts
  const values: Record<Placeholder, string> = {
    details: children
      .map(({ name, identifier, grade, amountPaise, url }) =>
        fill(line, { name, about: `${identifier}, ${grade}`, amount: formatRupees(amountPaise), url }),
      )
      .join('\n\n'),
    total,
    parent: to.name,
    names,
    school: school.name,
    bank_account: account === undefined ? '' : transfer(account),
  }
  const links = children.map(({ url }) => url).join(' ')
  return {
    subject: `${school.name}: ${fill(wording.subject, values)}`,
    body: fill(wording.body, values),
    // Registered with the operators, so the school cannot word it.
    short: shortText('fee_reminder', language, each =>
      fill(messageTextsIn(each).feeReminder.short, { school: school.name, total, names, links }),
    ),
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
  const common = { instituteId, about, at, inWakingHours: true }
  return channels.map(channel =>
    channel === 'email'
      ? { ...common, channel, recipient: to.email, subject, body, to: { name: to.name, language } }
      : { ...common, channel, recipient: to.phone, ...short },
  )
}

/** The short texts, as they are registered. */
export function feeReminderTemplates(): Template[] {
  const values = { school: VARIABLE, total: VARIABLE, names: VARIABLE, links: VARIABLE }
  return templatesOf('fee_reminder', language => fill(messageTextsIn(language).feeReminder.short, values))
}
