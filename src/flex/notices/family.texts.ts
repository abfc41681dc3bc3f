import {
  VARIABLE,
  shortText,
  templatesOf,
  type NewMessage,
  type Template,
} from '../../messages/messages.rules.ts'
import { feeName, messageTextsIn, type MessageTexts } from '../../messages/texts/texts.ts'
import { fill, formatDayIn, type Language } from '../../platform/languages.ts'
import { formatRupees, ZERO, type Paise, sumPaise } from '../../platform/money.ts'
import type { StudentContext } from '../../students/student-contexts.service.ts'
import type { LoadedPlan, ToldCharge } from '../rules/plan.rules.ts'

type InstalmentTexts = MessageTexts['instalments']
/** Texts about one child; a text about several has a line for each. */
type TextName = Exclude<keyof InstalmentTexts, 'family_reminder' | 'family_bounced'>

/** What happened. One that is debited again, or has a part to be paid online, has other words than one that has not. */
export type MessageKind = Exclude<
  TextName,
  | 'bounced_again'
  | 'owed_again_debit'
  | `notice_retried${string}`
  | `${string}_and_online`
  | `charge_notice${string}`
  | 'charge_reminder'
>

/** A plan and whose it is: what every message to a family is about. */
type FamilyPlan = Pick<LoadedPlan, 'plan' | 'mandate'> & { student: StudentContext; pageUrl: string }

export type MessageDetails = {
  amountPaise?: Paise
  /** What is to be paid online beside it. */
  onlinePaise?: Paise
  day?: string | undefined
  /** A notice names the last day on which the debit is tried, if that is a later one. */
  until?: string | undefined
  reason?: string
  /** The single charge that it is about. */
  charge?: ToldCharge | undefined
  /** The instalment that a reminder is about. */
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
  {
    day,
    until,
    onlinePaise = ZERO,
    charge,
  }: Pick<MessageDetails, 'day' | 'until' | 'onlinePaise' | 'charge'>,
) {
  if (kind === 'bounced' && day !== undefined) return 'bounced_again'
  if (kind === 'owed_again' && day !== undefined) return 'owed_again_debit'
  if (charge !== undefined && onlinePaise === 0) {
    if (kind === 'reminder') return 'charge_reminder'
    if (kind === 'notice') return until === undefined ? 'charge_notice' : 'charge_notice_retried'
  }
  const name = kind === 'notice' && until !== undefined ? 'notice_retried' : kind
  if (
    onlinePaise > 0 &&
    (name === 'notice' || name === 'notice_retried' || name === 'reminder' || name === 'set_up')
  )
    return `${name}_and_online` as const
  return name
}

type Details = Pick<MessageDetails, 'amountPaise' | 'onlinePaise' | 'day' | 'until' | 'reason' | 'charge'>

/** What may stand in a text about one child. */
function valuesOf(
  { plan, student, mandate, pageUrl }: FamilyPlan,
  { amountPaise, onlinePaise, day, until, reason = '', charge }: Details,
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
    what: charge === undefined ? '' : feeName(charge.componentType, language),
    note: charge?.reason ?? '',
  }
}

type Text = { subject: string; body: string; short: string }

/** A value that is empty leaves no gap. */
function fillAll({ subject, body, short }: Text, values: Record<string, string>): Text {
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
function textToFamily(
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
  const isNotice = name.startsWith('notice') || name.startsWith('charge_notice')
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

const VARIABLES =
  'student institute amount online link day until reference reason total count what note'.split(' ')

/** The short texts, as they are registered. */
export function instalmentTemplates(): Template[] {
  const variables = Object.fromEntries(VARIABLES.map(name => [name, VARIABLE]))
  const names = Object.keys(messageTextsIn('en').instalments) as (keyof InstalmentTexts)[]
  return names.flatMap(name =>
    templatesOf(name, language => fill(messageTextsIn(language).instalments[name].short, variables)),
  )
}

/** One instalment that a family is reminded of. */
export type RemindedInstalment = {
  about: FamilyPlan
  instalmentId: string
  /** What the mandate takes, and what is to be paid online beside it. */
  amountPaise: Paise
  onlinePaise: Paise
  day: string
  charge?: ToldCharge | undefined
  /** Names this reminder of it. */
  once: string
}

/** One message, whatever the number of children: each with its own amount, day and mandate. */
export function reminderMessages(all: readonly RemindedInstalment[], at: Date): NewMessage[] {
  const sorted = all.toSorted((one, other) => (one.day < other.day ? -1 : 1))
  const [first] = sorted
  if (first === undefined) return []
  const { about, ...details } = first
  if (sorted.length === 1) return messagesToFamily('reminder', about, { at, ...details })
  const remindsOf = sorted.map(({ instalmentId }) => instalmentId)
  const sending = { at, name: 'family_reminder' as const, remindsOf, once: first.once }
  return textToFamily(about, sending, language =>
    fillAll(messageTextsIn(language).instalments.family_reminder, {
      institute: about.plan.instituteName,
      total: formatRupees(sumPaise(sorted.map(({ amountPaise }) => amountPaise))),
      count: String(sorted.length),
      day: formatDayIn(first.day, language),
      lines: sorted.map(one => reminderLine(one, language)).join('\n'),
    }),
  )
}

function reminderLine(one: RemindedInstalment, language: Language): string {
  const { line, online } = messageTextsIn(language).instalments.family_reminder
  const values = valuesOf(one.about, one, language)
  return one.onlinePaise > 0 ? `${fill(line, values)}; ${fill(online, values)}` : fill(line, values)
}

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
  const remindsOf = all.map(({ instalmentId }) => instalmentId)
  const sending = { at, name: 'family_bounced' as const, remindsOf, once: first.once }
  return textToFamily(about, sending, language => {
    const texts = messageTextsIn(language).instalments.family_bounced
    const { body, ...text } = fillAll(texts, {
      institute: about.plan.instituteName,
      total: formatRupees(sumPaise(all.map(({ amountPaise }) => amountPaise))),
      count: String(all.length),
      lines: all.map(one => bounceLine(one, language)).join('\n'),
    })
    const isAgain = all.some(({ day }) => day !== undefined)
    return { ...text, body: isAgain ? `${body}\n\n${texts.keep}` : body }
  })
}

function bounceLine(one: ReturnedDebit, language: Language): string {
  const { line, again } = messageTextsIn(language).instalments.family_bounced
  return fill(one.day === undefined ? line : again, valuesOf(one.about, one, language))
}

type ReasonName = keyof MessageTexts['reasons']

const NAMES = new Map(
  Object.entries(messageTextsIn('en').reasons).map(([name, text]) => [text, name as ReasonName]),
)

/**
 * Reasons are written down in English, and a family is told them in its language. One of one plan alone, such as two
 * amounts, has no words there: the message does without it.
 */
export function reasonIn(language: Language, reason: string): string {
  if (language === 'en') return reason
  const name = NAMES.get(reason)
  return name === undefined ? '' : messageTextsIn(language).reasons[name]
}
