import { internationalNumber } from '../../messages/messages.rules.ts'
import { isEmail } from '../../platform/contacts.ts'

/** Signing in with a code. Six digits are safe only behind limits: docs/adr/0037. */
export const CODE_DIGITS = 6
export const CODE_MINUTES = 10
export const MOST_TRIES = 5

/** A number or address that more users than this have is no family's own, but a placeholder or the school's. */
export const MOST_USERS = 5

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
  return digits.length === CODE_DIGITS && /^\d+$/.test(digits) ? digits : null
}

/** What was asked for before, of real and unknown contacts alike. */
export type Asked = {
  ofContactNow: number
  ofContactToday: number
  ofInstitute: number
  /** Codes tried at this institute within the hour. */
  tries: number
}

const MOST: Asked = { ofContactNow: 3, ofContactToday: 10, ofInstitute: 300, tries: 500 }

/** `ofContactNow` counts 15 minutes, `ofContactToday` a day, the others an hour. */
export function isTooMuch(asked: Asked): boolean {
  return (
    asked.ofContactNow >= MOST.ofContactNow ||
    asked.ofContactToday >= MOST.ofContactToday ||
    asked.ofInstitute >= MOST.ofInstitute ||
    asked.tries >= MOST.tries
  )
}
