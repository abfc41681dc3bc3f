import {
  VARIABLE,
  shortText,
  templatesOf,
  type NewMessage,
  type Template,
} from '../../messages/messages.rules.ts'
import { messageTextsIn, type MessageTexts } from '../../messages/texts/texts.ts'
import { fill, formatDayIn, type Language } from '../../platform/languages.ts'
import { formatRupees, ZERO, type Paise } from '../../platform/money.ts'
import type { StudentContext } from '../../students/student-contexts.service.ts'
import type { LoadedPlan } from '../rules/plan.rules.ts'
import { reasonIn } from './reasons.texts.ts'

type InstalmentTexts = MessageTexts['instalments']
/** Texts about one child; a text about several has a line for each. */
type TextName = Exclude<keyof InstalmentTexts, 'family_reminder' | 'family_bounced'>

/** What happened. One that is debited again, or has a part to be paid online, has other words than one that has not. */
export type MessageKind = Exclude<
  TextName,
  'bounced_again' | 'owed_again_debit' | `notice_retried${string}` | `${string}_and_online`
>

/** A plan and whose it is: what every message to a family is about. */
export type FamilyPlan = Pick<LoadedPlan, 'plan' | 'mandate'> & { student: StudentContext; pageUrl: string }

export type MessageDetails = {
  amountPaise?: Paise
  /** What is to be paid online beside it. */
  onlinePaise?: Paise
  day?: string | undefined
  /** In a notice, the last day on which the debit is tried, if that is a later one. */
  until?: string | undefined
  reason?: string
  /** In a reminder, the instalment that it reminds of. */
  instalmentId?: string
} & Pick<NewMessage, 'once' | 'leavesAt'>

/** One e-mail and one SMS to the primary contact; what waits for the morning is to be sent then. */
export function messagesToFamily(
  kind: MessageKind,
  to: FamilyPlan,
  { at, once, leavesAt, instalmentId, ...details }: MessageDetails & { at: Date },
): NewMessage[] {
  const name = textName(kind, details)
  const remindsOf = instalmentId === undefined ? [] : [instalmentId]
  const write = (language: Language): Text =>
    fillAll(messageTextsIn(language).instalments[name], valuesOf(to, details, language))
  return textToFamily(to, { at, name, remindsOf, once, leavesAt }, write)
}

function textName(
  kind: MessageKind,
  { day, until, onlinePaise = ZERO }: Pick<MessageDetails, 'day' | 'until' | 'onlinePaise'>,
) {
  if (kind === 'bounced' && day !== undefined) return 'bounced_again'
  if (kind === 'owed_again' && day !== undefined) return 'owed_again_debit'
  const name = kind === 'notice' && until !== undefined ? 'notice_retried' : kind
  if (
    onlinePaise > 0 &&
    (name === 'notice' || name === 'notice_retried' || name === 'reminder' || name === 'set_up')
  )
    return `${name}_and_online` as const
  return name
}

type Details = Pick<MessageDetails, 'amountPaise' | 'onlinePaise' | 'day' | 'until' | 'reason'>

/** What may stand in a text about one child. */
export function valuesOf(
  { plan, student, mandate, pageUrl }: FamilyPlan,
  { amountPaise, onlinePaise, day, until, reason = '' }: Details,
  language: Language,
) {
  return {
    student: student.student.fullname,
    institute: plan.instituteName,
    amount: amountPaise === undefined ? '' : formatRupees(amountPaise),
    online: onlinePaise === undefined ? '' : formatRupees(onlinePaise),
    link: pageUrl,
    day: day === undefined ? '' : formatDayIn(day, language),
    until: until === undefined ? '' : formatDayIn(until, language),
    reference: mandate?.umrn ?? mandate?.upiReference ?? mandate?.id ?? '',
    reason: reasonIn(language, reason),
  }
}

type Text = { subject: string; body: string; short: string }

/** A value that is empty leaves no gap. */
export function fillAll({ subject, body, short }: Text, values: Record<string, string>): Text {
  const filled = (text: string): string => fill(text, values).replaceAll(/ {2,}/g, ' ')
  return { subject: filled(subject), body: filled(body), short: filled(short) }
}

type Sending = {
  at: Date
  /** The short text is registered under this name and the language. */
  name: keyof InstalmentTexts
  /** Empty if it is no reminder. */
  remindsOf: readonly string[]
} & Pick<NewMessage, 'once' | 'leavesAt'>

/** The same words to the primary contact's e-mail address, at once unless they remind, and to the phone in waking hours. */
export function textToFamily(
  { plan, student: { student } }: FamilyPlan,
  { name, remindsOf, ...moments }: Sending,
  write: (language: Language) => Text,
): NewMessage[] {
  const { instituteId, id: about, language } = plan
  const common = { ...moments, instituteId, about, concerns: remindsOf }
  const { subject, body } = write(language)
  const to = { name: student.contactName, language }
  const short = shortText(name, language, each => write(each).short)
  const isReminder = remindsOf.length > 0
  // A debit is announced in time, by night if need be.
  const isNotice = name.startsWith('notice')
  return [
    {
      ...common,
      channel: 'email',
      recipient: student.contactEmail,
      subject,
      body,
      to,
      inWakingHours: isReminder,
    },
    { ...common, channel: 'sms', recipient: student.contactNumber, ...short, inWakingHours: !isNotice },
  ]
}

const VARIABLES = 'student institute amount online link day until reference reason total count'.split(' ')

/** The short texts, as they are registered. */
export function instalmentTemplates(): Template[] {
  const variables = Object.fromEntries(VARIABLES.map(name => [name, VARIABLE]))
  const names = Object.keys(messageTextsIn('en').instalments) as (keyof InstalmentTexts)[]
  return names.flatMap(name =>
    templatesOf(name, language => fill(messageTextsIn(language).instalments[name].short, variables)),
  )
}
