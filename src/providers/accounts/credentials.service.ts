import type { Context } from '../../platform/context.ts'
import type { Transaction } from '../../platform/db/database.ts'
import { badField, badFields, BursarError, conflict } from '../../platform/errors.ts'
import { PROVIDERS } from '../catalogue.ts'
import {
  ProviderRefused,
  type Rail,
  type PaymentMode,
  type ProviderEntry,
  type ProviderValues,
} from '../port.ts'
import { keyProblem, readValues, type ProviderAccount, type EnteredValue } from './accounts.rules.ts'
import * as store from './accounts.store.ts'
import { openSettings, type AccountRegistry } from './registry.service.ts'

/** What is looked at before credentials are put into use. */
export type AccountsContext = Context & { readonly accounts: AccountRegistry }

/** What it is used for. */
export type Uses = { methods: readonly PaymentMode[]; rails: readonly Rail[] }

/** Credentials that are not accepted would stop every payer at once, and the old ones could not be brought back. */
export async function proveRotation(
  ctx: AccountsContext,
  account: store.SealedAccount,
  entered: readonly EnteredValue[],
): Promise<CheckedKey> {
  const entry = entryOf(account.provider)
  const { values } = openSettings(ctx.vault, account)
  const key = checkValues(ctx, entry, readValues(entry, entered, values))
  const isChanged = (field: string): boolean => key.values[field] !== values[field]
  const changed = entry.settings.filter(({ field }) => isChanged(field)).map(({ field }) => field)
  if (changed.length === 0) throw badField('settings', 'are the ones that the account has')
  // No call shows whether a webhook secret is right, and it may have to be replaced while the provider is away.
  if (changed.some(field => field !== 'webhook_secret'))
    await refuseUnproven(ctx, account.provider, key.values)
  return key
}

export async function refuseUnproven(
  ctx: AccountsContext,
  provider: string,
  values: ProviderValues,
): Promise<void> {
  if (ctx.accounts.hasKey(provider, values))
    throw conflict(
      'This key is that of the installation, which is used without an account of your own. Two accounts with one key would each report the other’s pay-outs.',
    )
  const flaw = await findConnectionProblem(ctx.accounts.makePort(provider, values))
  if (flaw !== null) throw conflict(`${flaw} Nothing was changed.`)
}

/** What the provider does not accept, in its words or ours; null when nothing. */
export async function findConnectionProblem(port: {
  checkConnection?(): Promise<void>
}): Promise<string | null> {
  try {
    await port.checkConnection?.()
    return null
  } catch (error) {
    if (error instanceof ProviderRefused || error instanceof BursarError) return error.message
    throw error
  }
}

export type CheckedKey = {
  values: ProviderValues
  described: Pick<ProviderAccount, 'keyKind' | 'keyHint'>
}

export function checkValues(
  { mode }: Pick<Context, 'mode'>,
  entry: ProviderEntry,
  { values, problems }: ReturnType<typeof readValues>,
): CheckedKey {
  if (problems.length > 0) throw badFields(problems)
  const { key, hint } = entry.describe(values)
  const problem = keyProblem(entry, values, mode)
  if (key === null || problem !== null) throw badFields(problem === null ? [] : [problem])
  return { values, described: { keyKind: key, keyHint: hint } }
}

/** Only what the provider can do. */
export function checkUses(entry: ProviderEntry, values: ProviderValues, { methods, rails }: Uses): Uses {
  const { accepts, mandates } = entry.create(values)
  const strange = methods.filter(method => !accepts.methods.includes(method))
  const strangeRails = rails.filter(rail => mandates?.rails.includes(rail) !== true)
  const problems = [
    ...strange.map(method => ({
      key: 'methods',
      message: `has ${method}, which ${entry.title} does not take`,
    })),
    ...strangeRails.map(rail => ({
      key: 'rails',
      message: `has ${rail}, on which ${entry.title} does not debit`,
    })),
  ]
  if (problems.length > 0) throw badFields(problems)
  return { methods: [...new Set(methods)], rails: [...new Set(rails)] }
}

/** The value that tells one account at a provider from another. */
export function identityOf(provider: string, values: ProviderValues): string {
  return values[entryOf(provider).describe(values).field] ?? ''
}

export function fingerprintOf({ vault }: Pick<Context, 'vault'>, provider: string, identity: string): string {
  return vault.deriveKey(`provider key ${provider} ${identity}`)
}

export async function refuseTakenKey(tx: Transaction, account: store.SealedAccount): Promise<void> {
  const other = await store.lockKey(tx, account.keyFingerprint)
  if (other === null || other.id === account.id) return
  const where = other.instituteId === account.instituteId ? `by your account "${other.title}"` : 'elsewhere'
  throw conflict(
    `This key is in use ${where}. Two accounts with one key would each report the other's pay-outs; use one account for both.`,
  )
}

export function entryOf(provider: string): ProviderEntry {
  const entry = PROVIDERS[provider]
  if (entry === undefined) throw badField('provider', `is not one of ${Object.keys(PROVIDERS).join(', ')}`)
  return entry
}
