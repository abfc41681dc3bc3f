import { BursarError } from '../platform/errors.ts'

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

/** Always in the same order. */
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
