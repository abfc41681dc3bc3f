import type { Addressee } from './texts/texts.ts'
import { EARLIEST_HOUR, LATEST_HOUR, type School } from '../institutes/school/school.rules.ts'
import { dayAfter, dayOf, startOfDay } from '../platform/calendar.ts'
import { LANGUAGES, type Language } from '../platform/languages.ts'

export const CHANNELS = ['email', 'sms', 'whatsapp'] as const
export type Channel = (typeof CHANNELS)[number]

export type MessageState = 'queued' | 'sent' | 'failed'

export type NewMessage = {
  instituteId: number
  channel: Channel
  /** One e-mail address, or one phone number. */
  recipient: string
  /** E-mails only. */
  subject?: string | undefined
  body: string
  /** Set for mails to families: the body is written into a letter of the school. */
  to?: Addressee
  /** The id of the resource it is about. */
  about: string
  at: Date
  /** When it is to leave, if not at once. */
  leavesAt?: Date | undefined
  /** Names what is told: it is told once by each channel, however often it is asked for. */
  once?: string | undefined
  /** Leaves in the hours that the school has set, however often it has to be tried. */
  inWakingHours?: boolean
  /** The name of the text, of short ones only. */
  template?: string
  /** The same to a phone whose language is not registered with DLT. */
  inEnglish?: string | undefined
  /** The ids of what a reminder reminds of; once all of it is done the reminder is not sent any more. */
  concerns?: readonly string[]
  /** The payment whose receipt goes along with a mail. */
  attachment?: string
}

/** A text that lets its reader in, such as a link to choose a password: stored sealed, and only for as long as it works. */
export type Secret = { text: string; until: Date }

/** A line of the body by itself, where the secret goes. */
export const SECRET_PLACE = '{secret}'

/** The last such line: a name further up may be anything. */
export function placeSecret(body: string, secret: string): string {
  const lines = body.split('\n')
  const at = lines.lastIndexOf(SECRET_PLACE)
  return at < 0 ? body : lines.with(at, secret).join('\n')
}

/** A short text as it is registered: what changes from one to the next is a variable. */
export type Template = { name: string; text: string }

/** A text has a name in each language, such as notice_kn. */
export function englishName(template: string): string {
  return template.replace(/_[a-z]{2}$/, '_en')
}

/** DLT writes variables of a template so. */
export const VARIABLE = '{#var#}'

export type Message = {
  instituteId: number
  id: string
  channel: Channel
  recipient: string
  subject: string | null
  body: string
  about: string
  state: MessageState
  createdAt: Date
  sentAt: Date | null
  /** What the last try that failed was told. */
  failure: string | null
  /** Where answers to a mail go. */
  replyTo: string | null
  tries: number
  /** A try has begun, and its end is not known. */
  isSending: boolean
  nextTryAt: Date | null
  inWakingHours: boolean
  template: string | null
  inEnglish: string | null
  attachment: string | null
  secretSealed: Buffer | null
  secretUntil: Date | null
}

/** Whether a repeat can be told from a second message: mail servers and readers know it by its Message-ID. */
export function isRepeatable(channel: Channel): boolean {
  return channel === 'email'
}

const MINUTE_MS = 60_000
const RETRY_AFTER_MS = [1, 5, 30, 120, 360].map(minutes => minutes * MINUTE_MS)

/** How long those wait that were not tried because their server is away. */
export const AWAY_MS = MINUTE_MS

/** When to try again after so many tries; null when it is given up. */
export function nextTry(tries: number, now: Date): Date | null {
  const afterMs = RETRY_AFTER_MS[tries - 1]
  return afterMs === undefined ? null : new Date(now.getTime() + afterMs)
}

const FAILURE_LENGTH = 500

/** A server's reason as we keep them: readable, in one line, bounded. */
export function plainWords(reason: string): string {
  return reason
    .replaceAll(/[\p{Cc}\s]+/gu, ' ')
    .trim()
    .slice(0, FAILURE_LENGTH)
}

/** Providers want `+91…` unless the number names another country; null when no message can go there. */
export function internationalNumber(text: string): string | null {
  const plain = text.replaceAll(/[\s\-().[\]]/g, '')
  const indian = /^(?:(?:\+|00)?91)?0?([6-9]\d{9})$/.exec(plain)?.[1]
  if (indian !== undefined) return `+91${indian}`
  return /^\+(?!91)[1-9]\d{7,14}$/.test(plain) ? plain : null
}

/** The text, or the number as text, at a place in somebody's JSON; empty when there is none. */
export function textAt(json: unknown, ...path: (string | number)[]): string {
  let value = json
  for (const step of path) {
    if (typeof value !== 'object' || value === null) return ''
    value = (value as Record<string | number, unknown>)[step]
  }
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}

/** Reminders reach people only while they are awake, 09:00 to 20:00 in India; a school may choose fewer hours. */
type MessageHours = Pick<School, 'messagesFrom' | 'messagesUntil'>
const HOURS: MessageHours = { messagesFrom: EARLIEST_HOUR, messagesUntil: LATEST_HOUR }
const HOUR_MS = 3_600_000

export function isWakingHour(moment: Date, hours = HOURS): boolean {
  return nextWakingMoment(moment, hours).getTime() === moment.getTime()
}

/** Answers the moment itself within waking hours, else the next morning. */
export function nextWakingMoment(moment: Date, hours = HOURS): Date {
  const today = dayOf(moment)
  if (moment < morningOf(today, hours)) return morningOf(today, hours)
  const isEvening = moment.getTime() >= startOfDay(today).getTime() + hours.messagesUntil * HOUR_MS
  return isEvening ? morningOf(dayAfter(today), hours) : moment
}

export function morningOf(day: string, { messagesFrom } = HOURS): Date {
  return new Date(startOfDay(day).getTime() + messagesFrom * HOUR_MS)
}

/** Writes a text to a phone; everything in it that depends on the language is written in it. */
type Write = (language: Language) => string

/** A text to a phone, with the name it is registered under, and in English for where its language is not. */
export function shortText(
  name: string,
  language: Language,
  write: Write,
): Pick<NewMessage, 'body' | 'template' | 'inEnglish'> {
  const template = `${name}_${language}`
  return language === 'en'
    ? { body: write('en'), template }
    : { body: write(language), template, inEnglish: write('en') }
}

/** The text in each language, as DLT registers it. */
export function templatesOf(name: string, write: Write): Template[] {
  return LANGUAGES.map(language => ({ name: `${name}_${language}`, text: write(language) }))
}
