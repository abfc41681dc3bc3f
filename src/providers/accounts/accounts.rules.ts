import type { Rail } from '../mandate-port.ts'
import type { Paise } from '../../platform/money.ts'
import type { Accepts, KeyKind, PaymentMode, ProviderName } from '../port.ts'

/** What new money needs an account for. */
export type Purpose = 'payments' | 'mandates'

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

export type Routed = Pick<ProviderAccount, 'collectorCode' | 'methods' | 'rails' | 'keyKind' | 'pausedAt'>

export function hasPurpose({ methods, rails }: Routed, purpose: Purpose): boolean {
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
export function routeTo<Account extends Routed>(
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

/** The ways to pay an amount that an account offers: what its provider cannot take is not offered to the payer. */
export function offeredMethods(
  { methods, port: { accepts } }: { methods: readonly PaymentMode[]; port: { accepts: Accepts } },
  amountPaise: Paise,
): PaymentMode[] {
  const { minPaise, maxPaise, maxPaiseOf } = accepts
  if (amountPaise < minPaise || (maxPaise !== null && amountPaise > maxPaise)) return []
  const isWithin = (method: PaymentMode): boolean => amountPaise <= (maxPaiseOf?.[method] ?? amountPaise)
  return accepts.methods.filter(method => methods.includes(method) && isWithin(method))
}
