import { DEVELOPERS } from '../developers/developers.rules.ts'
import { AT_COUNTER, TAKERS, type ConsoleRole } from '../console.rules.ts'
import { FINANCE_ROLES } from '../students/students.rules.ts'

/** What a personal token may do beyond reading: see who somebody is, and one scope for each kind of act. */
export const TOKEN_SCOPES = ['personal', 'links', 'reminders', 'payments', 'webhooks'] as const
export type TokenScope = (typeof TOKEN_SCOPES)[number]

const MEANINGS: Readonly<Record<TokenScope, string>> = {
  personal: 'See names, phone numbers, e-mail addresses and what people wrote.',
  links: 'Make payment links and send them to families.',
  reminders: 'Remind families of their dues.',
  payments: 'Record payments that were taken at the counter.',
  webhooks: 'Send webhook deliveries again.',
}

/** Who may do it in the console; each act asks for the role again. */
const HOLDERS: Readonly<Record<TokenScope, readonly ConsoleRole[]>> = {
  personal: AT_COUNTER,
  links: FINANCE_ROLES,
  reminders: FINANCE_ROLES,
  payments: TAKERS,
  webhooks: DEVELOPERS,
}

export type ScopeMeaning = { scope: TokenScope; means: string }

export function scopesFor(role: ConsoleRole): ScopeMeaning[] {
  return TOKEN_SCOPES.filter(scope => HOLDERS[scope].includes(role)).map(scope => ({
    scope,
    means: MEANINGS[scope],
  }))
}

export const LONGEST_DAYS = 365
export const MOST_TOKENS = 20

/** The school's code stands before the point, so that a proxy finds its cell. */
export function writeToken(instituteCode: string, secret: string): string {
  return `${instituteCode}.${secret}`
}

export function readToken(text: string): { code: string; secret: string } | null {
  const { code, secret } = /^(?<code>[a-z0-9-]{1,63})\.(?<secret>[\w-]{43})$/.exec(text)?.groups ?? {}
  return code === undefined || secret === undefined ? null : { code, secret }
}
