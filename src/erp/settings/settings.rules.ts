import type { FieldProblem } from '../../platform/errors.ts'
import { LOOKUP_PARAMETERS, type LookupParameter } from '../erp.rules.ts'

/** How an ERP is told who we are; the secret itself stays sealed. */
export type ErpAuth =
  | { kind: 'none' }
  | { kind: 'basic'; username: string }
  | { kind: 'header'; headerName: string }

export type ErpSettings = {
  /** Null for the whole institute. */
  collectorCode: string | null
  url: string
  auth: ErpAuth
  lookup: readonly LookupParameter[]
  customSchedule: boolean
  maxCalls: number
  updatedAt: Date
}

/** Settings as somebody enters them; absent ones get their defaults. */
export type WantedSettings = {
  collectorCode?: string | undefined
  url: string
  username?: string | undefined
  password?: string | undefined
  header?: { name: string; value?: string | undefined } | undefined
  /** A password or a header's value that is absent stays as it is set. */
  keepsSecret?: boolean | undefined
  /** The person may not change fees, so may not say from which host they are read. */
  staysAtHost?: boolean
  lookup?: readonly LookupParameter[] | undefined
  customSchedule?: boolean | undefined
  maxCalls?: number | undefined
}

export const STANDARD_LOOKUP: readonly LookupParameter[] = ['identifier']
export const STANDARD_MAX_CALLS = 4
export const MOST_CALLS = 256

const HEADER_NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
// Visible ASCII with inner blanks: what every server accepts, and nothing that could start another header.
const HEADER_VALUE = /^[\x21-\x7e]([\x20-\x7e\t]*[\x21-\x7e])?$/
const RESERVED_HEADER =
  /^(host|accept|accept-encoding|content-.*|transfer-encoding|connection|keep-alive|te|trailer|upgrade|expect|proxy-.*)$/i

export function settingsProblems(wanted: WantedSettings, mode: 'sandbox' | 'live'): FieldProblem[] {
  const { lookup, maxCalls } = wanted
  const problems = [...urlProblems(wanted.url, mode), ...authProblems(wanted)]
  if (lookup !== undefined && !lookup.includes('identifier')) {
    problems.push({ key: 'lookup', message: 'must include identifier; an answer has to name the student' })
  }
  if (maxCalls !== undefined && (maxCalls < 1 || maxCalls > MOST_CALLS)) {
    problems.push({ key: 'max_calls', message: `must be a whole number from 1 to ${MOST_CALLS}` })
  }
  return problems
}

function urlProblems(text: string, mode: 'sandbox' | 'live'): FieldProblem[] {
  const { protocol, username, password } = new URL(text)
  if (username !== '' || password !== '') {
    return [{ key: 'url', message: 'must not carry credentials; send them as username and password' }]
  }
  if (mode === 'live' && protocol !== 'https:') return [{ key: 'url', message: 'must be an https URL' }]
  return []
}

function authProblems({ username, password, header, keepsSecret }: WantedSettings): FieldProblem[] {
  const problems: FieldProblem[] = []
  if (username === undefined && password !== undefined) {
    problems.push({ key: 'username', message: 'is required with password' })
  }
  if (username?.includes(':') === true) {
    problems.push({
      key: 'username',
      message: 'must not contain a colon; Basic authentication cannot send it',
    })
  }
  if (header === undefined) return problems
  if (username !== undefined) {
    problems.push({ key: 'header', message: 'cannot go with username; choose one of the two' })
  }
  if (!HEADER_NAME.test(header.name)) {
    problems.push({ key: 'header.name', message: 'is not a valid HTTP header name' })
  } else if (RESERVED_HEADER.test(header.name)) {
    problems.push({ key: 'header.name', message: 'is set by the service itself; choose another' })
  }
  if (header.value === undefined ? keepsSecret !== true : !HEADER_VALUE.test(header.value)) {
    problems.push({ key: 'header.value', message: 'must be printable ASCII without line breaks' })
  }
  return problems
}

/** A secret goes on only to where it went: anyone who could redirect it without knowing it would soon learn it. */
export function mayKeepSecret(
  before: Pick<ErpSettings, 'url' | 'auth'>,
  after: Pick<ErpSettings, 'url' | 'auth'>,
): boolean {
  return isSameHost(before, after) && isSameAuth(before.auth, after.auth)
}

export function isSameHost(one: { url: string }, other: { url: string }): boolean {
  return new URL(one.url).origin === new URL(other.url).origin
}

function isSameAuth(one: ErpAuth, other: ErpAuth): boolean {
  if (one.kind === 'basic') return other.kind === 'basic' && one.username === other.username
  return one.kind === 'header' && other.kind === 'header' && one.headerName === other.headerName
}

/** Once each, in the contract's order. */
export function tidyLookup(lookup: readonly LookupParameter[]): LookupParameter[] {
  return LOOKUP_PARAMETERS.filter(name => lookup.includes(name))
}

/** The settings that hold for a branch: its own, or else the institute's. */
export function settingsFor<Settings extends { collectorCode: string | null }>(
  all: readonly Settings[],
  collectorCode: string | undefined,
): Settings | null {
  return (
    all.find(settings => settings.collectorCode === collectorCode) ??
    all.find(settings => settings.collectorCode === null) ??
    null
  )
}
