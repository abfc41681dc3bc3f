import { badField, BursarError } from '../platform/errors.ts'
import type { Language } from '../platform/languages.ts'
import { sumPaise, ZERO, type Paise } from '../platform/money.ts'

export type Branch = { collectorCode: string; name: string; isDefault: boolean }

export type Institute = {
  id: number
  code: string
  name: string
  strictCatalogue: boolean
  /** The school's own colour and the picture that stands on its pages, by the tag of its content. */
  color: string | null
  logoTag: string | null
  /** Language of families' pages until the payer chooses; null: the browser's. */
  familyLanguage: Language | null
  /** Parents may sign in with a code that is sent to their phone or mail. */
  hasParentSignIn: boolean
  /** Families pay from the school's poster: whoever knows the admission number and a fact about a child sees its fees. */
  hasPoster: boolean
  /** Students that the ERP keeps cannot be edited by the office. */
  locksErpStudents: boolean
  branches: readonly Branch[]
}

/** What an institute decides about the pages of its families. */
export type FamilyPages = Pick<Institute, 'familyLanguage' | 'hasParentSignIn' | 'hasPoster'>

const INSTITUTE_CODE = /^[a-z0-9][a-z0-9-]{0,62}$/

/** It stands in addresses and on the command line. */
export function isInstituteCode(text: string): boolean {
  return INSTITUTE_CODE.test(text)
}

/** A code of the institute's own vocabulary. */
export type CatalogueEntry = { kind: 'grade' | 'component' | 'discount'; code: string }

/** The institute and scopes of the API key that a request came with. */
export type Caller = {
  institute: Institute
  keyId: string
  scopes: readonly Scope[]
  ratePerSecond: number | null
  burst: number | null
}

/** The branch that a request is about: with one branch it is that one, whatever was sent. */
export function branchFor(
  institute: Institute,
  collectorCode: string | null | undefined,
  key = 'collector_code',
): string {
  const [only, second] = institute.branches
  if (only !== undefined && second === undefined) return only.collectorCode
  if (collectorCode === undefined || collectorCode === null) {
    throw badField(key, `is required, this institute has several branches: ${listBranches(institute)}`)
  }
  return knownBranch(institute, collectorCode, key)
}

/** The branch that a list is filtered by: with one branch it is that one, whatever was sent. */
export function branchFilter(institute: Institute, collectorCode: string | undefined): string | undefined {
  return collectorCode === undefined ? undefined : branchFor(institute, collectorCode)
}

export function knownBranch(institute: Institute, collectorCode: string, key: string): string {
  if (institute.branches.some(branch => branch.collectorCode === collectorCode)) return collectorCode
  throw badField(key, `is not a branch of this institute; its branches are: ${listBranches(institute)}`)
}

export function defaultBranch(institute: Institute): string {
  const branch = institute.branches.find(candidate => candidate.isDefault) ?? institute.branches[0]
  if (branch === undefined)
    throw badField('collector_code', 'cannot be chosen: the institute has no branch yet')
  return branch.collectorCode
}

function listBranches(institute: Institute): string {
  return institute.branches.map(branch => branch.collectorCode).join(', ')
}

/** What an API key may do; every operation of the API names the one that it needs. */
export const SCOPES = ['read', 'orders', 'students', 'refunds', 'settings'] as const
export type Scope = (typeof SCOPES)[number]

export const SCOPE_TEXTS: Readonly<Record<Scope, string>> = {
  read: 'Read everything: orders, students, payments, settlements.',
  orders: 'Ask for money: pay orders, payment links, payment pages.',
  students:
    'Change students: registration, fees and their rules, direct payments, Flex plans, loans, imports, sign-in of parents.',
  refunds: 'Send money back to payers.',
  settings: 'Change settings: webhooks, and test the fetch from the ERP.',
}

/** `write` is everything but read, as keys had it before there were finer scopes. */
export const SCOPE_NAMES = [...SCOPES, 'write'] as const
export type ScopeName = (typeof SCOPE_NAMES)[number]

/** `write` stands for every scope but `read`; the answer is in the order of SCOPES. */
export function expandScopes(names: readonly ScopeName[]): Scope[] {
  return SCOPES.filter(scope => names.includes(scope) || (scope !== 'read' && names.includes('write')))
}

export function requireScope({ scopes }: { scopes: readonly Scope[] }, scope: Scope): void {
  if (scopes.includes(scope)) return
  throw new BursarError('AUE00001', `This API key lacks the scope "${scope}". Use a key that has it.`)
}

/** Nobody makes a key that may do more than they may themselves. */
export function requireGrantable(wanted: readonly Scope[], grantable: readonly Scope[]): void {
  const missing = wanted.filter(scope => !grantable.includes(scope))
  if (missing.length === 0) return
  throw new BursarError(
    'AUE00001',
    `Your role here does not allow you to issue a key with the scope ${missing.map(scope => `"${scope}"`).join(' or ')}. Ask an owner.`,
  )
}

/** What one person may give away alone: by one act, and to one child in one academic year over all kinds of acts. */
export type ApprovalLimits = { perActPaise: Paise; perChildPaise: Paise }

/** What an act gives away, and to whom. */
export type MoneyGiven = {
  /**
   * A student, who is a child in one academic year. Where there is none: the order that is refunded, the class of a fee
   * structure, or the year that a rollover begins.
   */
  about: string
  amountPaise: Paise
  /** The refund, which gives nothing if it fails. */
  refundId?: string
  /** It grows by the day, so it may be more by the time that somebody approves it. */
  isLateFee?: boolean
}

/** `wholePaise`: what the act is a part of, where that is more than its gifts. `earlier`: what each got before. */
export function isBeyond(
  { perActPaise, perChildPaise }: ApprovalLimits,
  gifts: readonly MoneyGiven[],
  { wholePaise, earlier }: { wholePaise: Paise; earlier: ReadonlyMap<string, Paise> },
): boolean {
  if (Math.max(wholePaise, totalOf(gifts)) > perActPaise) return true
  return [...sumByAbout(gifts)].some(
    ([about, paise]) => sumPaise([earlier.get(about) ?? ZERO, paise]) > perChildPaise,
  )
}

export function totalOf(gifts: readonly Pick<MoneyGiven, 'amountPaise'>[]): Paise {
  return sumPaise(gifts.map(gift => gift.amountPaise))
}

function sumByAbout(gifts: readonly MoneyGiven[]): Map<string, Paise> {
  return new Map([...Map.groupBy(gifts, gift => gift.about)].map(([about, own]) => [about, totalOf(own)]))
}
