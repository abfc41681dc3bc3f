import type { KeyKind, ProviderEntry, ProviderValues } from '../entry.ts'
import type { Rail, Accepts, PaymentMode, ProviderName } from '../port.ts'
import { formatRupees, minPaise, type Paise, paiseOf } from '../../platform/money.ts'
import type { FieldProblem } from '../../platform/errors.ts'

/** What new money needs an account for. */
export type Purpose = 'payments' | 'mandates'

/** What the school says of one way to pay; the provider's own limit counts beside it. */
export type WayTerms = {
  method: PaymentMode
  /** The most in one payment; null: as much as the provider takes. */
  maxPaise: Paise | null
  /** What the provider adds for the payer, in hundredths of a percent, where the school lets payers bear its fees. */
  payerFeeBp: number
}

/** An institute's own account at a provider, without its credentials. */
export type ProviderAccount = {
  instituteId: number
  id: string
  provider: ProviderName
  title: string
  /** Null: of the whole institute. */
  collectorCode: string | null
  methods: readonly PaymentMode[]
  rails: readonly Rail[]
  ways: readonly WayTerms[]
  keyKind: KeyKind
  keyHint: string
  version: number
  pausedAt: Date | null
  checkedAt: Date | null
  checkProblem: string | null
  heardAt: Date | null
  createdAt: Date
  createdBy: string
  changedAt: Date
  changedBy: string
}

export type RoutableAccount = Pick<
  ProviderAccount,
  'collectorCode' | 'methods' | 'rails' | 'keyKind' | 'pausedAt'
>

export function hasPurpose({ methods, rails }: RoutableAccount, purpose: Purpose): boolean {
  return (purpose === 'payments' ? methods : rails).length > 0
}

/** A test key moves no money and a live key moves real money: each is used in its own mode only. */
export function keyKindOf(mode: 'sandbox' | 'live'): KeyKind {
  return mode === 'live' ? 'live' : 'test'
}

/**
 * Where new money of a branch goes: to the branch's account, else to the institute's, else to the installation's. A paused
 * account is not passed over: the money would arrive at a bank account that nobody chose. It is `none` until it is resumed,
 * replaced by another of the same branch, or relieved of the purpose. Nor is one whose test key came into live mode with a
 * database; a sandbox ignores live keys, which came with a copy of the books.
 */
export function routeTo<Account extends RoutableAccount>(
  accounts: readonly Account[],
  { collectorCode, purpose, keyKind }: { collectorCode: string; purpose: Purpose; keyKind: KeyKind },
): Account | 'installation' | 'none' {
  const meant = accounts.filter(
    account => hasPurpose(account, purpose) && (keyKind === 'live' || account.keyKind === 'test'),
  )
  for (const branch of [collectorCode, null]) {
    const own = meant.filter(account => account.collectorCode === branch)
    if (own.length > 0) return own.find(one => one.pausedAt === null && one.keyKind === keyKind) ?? 'none'
  }
  return 'installation'
}

type OfferingAccount = {
  methods: readonly PaymentMode[]
  ways: readonly WayTerms[]
  port: { accepts: Accepts }
}

/** The most that one payment in a way may be: the provider's limit or the school's, whichever is lower; null without either. */
function mostIn({ ways, port: { accepts } }: OfferingAccount, mode: PaymentMode): Paise | null {
  const own = ways.find(one => one.method === mode)?.maxPaise
  const limits = [accepts.maxPaise, accepts.maxPaiseOf?.[mode], own].flatMap(limit => limit ?? [])
  return limits.length === 0 ? null : limits.reduce(minPaise)
}

export type OfferedWay = {
  mode: PaymentMode
  /** What the provider adds for the payer. */
  feePaise: Paise
}
/** How an amount can be paid through an account, and what each way takes at most. */
export type Ways = {
  offered: readonly OfferedWay[]
  limits: readonly { mode: PaymentMode; mostPaise: Paise | null }[]
}

/** What cannot take the amount is not offered to the payer; the cheapest way for the payer comes first. */
export function waysFor(account: OfferingAccount, amountPaise: Paise): Ways {
  const { accepts } = account.port
  const limits = accepts.methods
    .filter(mode => account.methods.includes(mode))
    .map(mode => ({ mode, mostPaise: mostIn(account, mode) }))
  const able = limits.filter(
    ({ mostPaise }) => amountPaise >= accepts.minPaise && (mostPaise === null || amountPaise <= mostPaise),
  )
  const offered = able.map(({ mode }) => ({ mode, feePaise: feeOf(account, mode, amountPaise) }))
  return { limits, offered: offered.toSorted((one, other) => one.feePaise - other.feePaise) }
}

function feeOf({ ways }: OfferingAccount, mode: PaymentMode, amountPaise: Paise): Paise {
  const { payerFeeBp = 0 } = ways.find(one => one.method === mode) ?? {}
  return paiseOf(Math.round((amountPaise * payerFeeBp) / 10_000))
}

const NAMES: Readonly<Record<PaymentMode, string>> = { upi: 'UPI', card: 'Card', netbanking: 'Net banking' }

/** Why a way does not take a payment. */
export function wayRefusal({ limits }: Ways, mode: PaymentMode, amountPaise: Paise): string {
  const most = limits.find(one => one.mode === mode)?.mostPaise ?? null
  return most === null || amountPaise <= most
    ? `${NAMES[mode]} is not offered here. Choose another way to pay.`
    : `${NAMES[mode]} takes at most ${formatRupees(most)} in one payment here, and this is ${formatRupees(amountPaise)}. Choose another way, or pay a part.`
}

/** One of the credentials as a person enters it. */
export type EnteredValue = { field: string; value: string }

const SHORTEST_WEBHOOK_SECRET = 16

/** What was entered over what is known, and what is wrong with it. The problems never repeat a value. */
export function readValues(
  { settings }: Pick<ProviderEntry, 'settings'>,
  entered: readonly EnteredValue[],
  known: ProviderValues = {},
): { values: ProviderValues; problems: FieldProblem[] } {
  const sent = new Map(entered.map(({ field, value }) => [field, value.trim()]))
  const problems: FieldProblem[] = []
  const values: Record<string, string> = {}
  for (const { field, isOptional } of settings) {
    const value = sent.get(field) || known[field]
    sent.delete(field)
    if (value !== undefined) values[field] = value
    const problem = problemOf(field, value, isOptional === true)
    if (problem !== null) problems.push({ key: `settings.${field}`, message: problem })
  }
  for (const field of sent.keys())
    problems.push({ key: 'settings', message: `has the field ${field}, which the provider does not have` })
  return { values, problems }
}

function problemOf(field: string, value: string | undefined, isOptional: boolean): string | null {
  if (value === undefined) return isOptional ? null : 'is required'
  if (/[\s\p{Cc}]/u.test(value)) return 'must not contain spaces'
  if (field === 'webhook_secret' && value.length < SHORTEST_WEBHOOK_SECRET)
    return `must have at least ${SHORTEST_WEBHOOK_SECRET} characters: a short one can be found by trying`
  return null
}

/** A sandbox must not move real money, and through a test key none arrives. So a rotation never changes the kind of a key. */
export function keyProblem(
  { title, describe }: Pick<ProviderEntry, 'title' | 'describe'>,
  values: ProviderValues,
  mode: 'sandbox' | 'live',
): FieldProblem | null {
  const { field, key } = describe(values)
  if (key === null)
    return { key: `settings.${field}`, message: `is neither a test nor a live key of ${title}` }
  if (key === 'live' && mode === 'sandbox')
    return { key: `settings.${field}`, message: 'is a live key: a sandbox takes test keys only' }
  return key === 'test' && mode === 'live'
    ? {
        key: `settings.${field}`,
        message: 'is a test key, through which no money arrives: live mode takes live keys only',
      }
    : null
}

export type AccountState = KeyKind | 'paused'

export function stateOf({ keyKind, pausedAt }: { keyKind: KeyKind; pausedAt: Date | null }): AccountState {
  return pausedAt === null ? keyKind : 'paused'
}
