import { ALL_SETTINGS, describeDefault } from '../config/settings.ts'
import { addAll } from '../../platform/lists.ts'

/** Small enough for a mail and for a page of questions. */
export const MOST_BYTES = 1_000_000

type Environment = Readonly<Record<string, string | undefined>>

/** Names of accounts and addresses of people, which `bursar config` shows to who sits at the machine. */
const PRIVATE = /KEY|TOKEN|SID|_IDS?\b|MAIL_FROM|CONTACT/

export function describeSettings(env: Environment): Record<string, string> {
  return Object.fromEntries(
    Object.entries(ALL_SETTINGS).map(([name, setting]) => {
      const value = env[name]?.trim() ?? ''
      if (value === '') return [name, `${describeDefault(setting) || 'not set'} (default)`]
      return [name, setting.isSecret === true || PRIVATE.test(name) ? 'set' : value]
    }),
  )
}

const SHORTEST_SECRET = 6

/** Every secret of the settings, and the password alone of those that are addresses. */
export function listSecrets(env: Environment): string[] {
  const found: string[] = []
  for (const [name, { isSecret }] of Object.entries(ALL_SETTINGS)) {
    const value = env[name]?.trim() ?? ''
    if (value === '' || (isSecret !== true && !PRIVATE.test(name))) continue
    const { password = '' } = URL.parse(value) ?? {}
    addAll(found, [value, password, decode(password)])
  }
  // A longer one may hold a shorter one.
  return [...new Set(found)]
    .filter(text => text.length >= SHORTEST_SECRET)
    .toSorted((one, other) => other.length - one.length)
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Phone, account and Aadhaar numbers; not a day with its time. */
const NUMBERS = /(?<![\w.])(?!\d{4}-\d\d-\d\d)\+?\d(?:[ -]?\d){8,}(?!\w)/g

/** Texts of providers, mail servers and the database may repeat what they were given; what they quote is data. */
export function withoutPeople(text: string, secrets: readonly string[]): string {
  const plain = secrets.reduce((left, secret) => left.replaceAll(secret, '[secret]'), text)
  const parts = plain.split(/["“”]/).map((part, at) => (at % 2 === 0 ? part : '[…]'))
  const words = parts.join('').replaceAll(/[^\s'<>()]+/g, word => (word.includes('@') ? '[address]' : word))
  return words.replaceAll(NUMBERS, '[number]')
}

const LONGEST_TEXT = 1_000
const MOST_ITEMS = [200, 50, 10] as const

/** The bundle as it is written: without people and secrets, lists cut until it is small enough. */
export function writeBundle(bundle: object, secrets: readonly string[]): string {
  for (const most of MOST_ITEMS) {
    const text = JSON.stringify(cut(bundle, most, secrets), null, 2)
    if (Buffer.byteLength(text) <= MOST_BYTES) return text
  }
  throw new Error(`a bundle of more than ${MOST_BYTES} bytes`)
}

function cut(value: unknown, most: number, secrets: readonly string[]): unknown {
  if (typeof value === 'string') return withoutPeople(value, secrets).slice(0, LONGEST_TEXT)
  if (value instanceof Date) return value.toISOString()
  if (Array.isArray(value)) {
    const kept = value.slice(0, most).map(item => cut(item, most, secrets))
    return value.length > most ? [...kept, `and ${value.length - most} more`] : kept
  }
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, cut(one, most, secrets)]))
}
