import { internationalNumber } from '../../messages/messages.rules.ts'
import { isEmail } from '../../platform/names.ts'
import { ATTACK, LIMITS, type Codes } from '../../platform/rate-limits.rules.ts'

/** Signing in with a code. Six digits are safe only behind limits: docs/adr/0037 and 0055. */
const CODE_DIGITS = 6
const LONG_CODE_DIGITS = 8
export const { minutes: CODE_MINUTES, tries: MOST_TRIES } = LIMITS.familyCode

export type Contact = { phone: string } | { email: string }

const LONGEST_CONTACT = 200

/** What was typed as an Indian or international phone number or an e-mail address; null when it is neither. */
export function readContact(typed: string): Contact | null {
  const text = typed.trim()
  if (text.length > LONGEST_CONTACT) return null
  if (text.includes('@')) return isEmail(text) ? { email: text.toLowerCase() } : null
  const phone = internationalNumber(text)
  return phone === null ? null : { phone }
}

/** The digits of what was typed, spaces and dashes left out; null when it cannot be a code. */
export function readCode(typed: string): string | null {
  const digits = typed.replaceAll(/[\s-]/g, '')
  const isLong = digits.length === LONG_CODE_DIGITS
  return (isLong || digits.length === CODE_DIGITS) && /^\d+$/.test(digits) ? digits : null
}

/** Codes asked for before. Those of unknown contacts count like the others, so that no answer tells them apart. */
export type CodeRequestCounts = {
  /** Requests for this contact: in this browser if the family signed in with it before, else by strangers from this network. */
  own: { now: number; unusedToday: number }
  /** Requests for this contact by strangers from all networks. */
  contact: { now: number; unusedToday: number }
  /** Not used, at this institute, from this network. */
  networkUnused: number
  /** Not used, at this institute, from all networks within an hour; counted up to the figure of an attack. */
  instituteUnused: number
}

type CodeDecision = { kind: 'too many' } | { kind: 'send'; digits: number }

/**
 * Who asks too often waits a quarter of an hour at most. A school or contact under attack is not closed: its codes get
 * longer, which guesses feel and families hardly.
 */
export function decideCode(asked: CodeRequestCounts, isKnownBrowser: boolean): CodeDecision {
  const isSchoolAttacked = asked.instituteUnused >= ATTACK.unusedAnHour
  const isTooMany = isKnownBrowser
    ? exceeds(LIMITS.familyBrowser.codes, asked.own)
    : exceeds(LIMITS.familyContactAtNetwork.codes, asked.own) ||
      asked.contact.now >= LIMITS.familyContact.codes.most ||
      (isSchoolAttacked && asked.networkUnused >= LIMITS.familyUnderAttack.codes.most)
  if (isTooMany) return { kind: 'too many' }
  const isAttacked = isSchoolAttacked || asked.contact.unusedToday >= ATTACK.unusedADay
  return { kind: 'send', digits: isAttacked ? LONG_CODE_DIGITS : CODE_DIGITS }
}

function exceeds(limit: Required<Codes>, { now, unusedToday }: CodeRequestCounts['own']): boolean {
  return now >= (unusedToday >= limit.unusedADay ? limit.mostThen : limit.most)
}

export const PRODUCTS = ['flex', 'pay', 'cred'] as const
export type Product = (typeof PRODUCTS)[number]

export type Destination = { studentId: string | null; product: Product | null; callbackUrl: string | null }

export function pathOfStudent(studentId: string): string {
  return `/parents/students/${studentId}`
}

/** Answers the list of children when no student is given. */
export function pathOf(studentId: string | null, product: Product | null): string {
  if (studentId === null) return '/parents'
  const path = pathOfStudent(studentId)
  if (product === 'flex') return `${path}/plan`
  return product === 'cred' ? `${path}/cred` : path
}
