import { knownBranch, type Institute } from '../../institutes/institutes.rules.ts'
import type { Context } from '../../platform/context.ts'
import type { Transaction } from '../../platform/db/database.ts'
import { badField, conflict, notFound, badFields, BursarError } from '../../platform/errors.ts'
import { transact, type Command } from '../../platform/idempotency.ts'
import { newId } from '../../platform/ids.ts'
import type { ProviderValues, ProviderSetting, ProviderEntry } from '../entry.ts'
import { type ProviderName, ProviderRefused, type Rail, type PaymentMode } from '../port.ts'
import {
  readValues,
  type ProviderAccount,
  type EnteredValue,
  type WayTerms,
  type Purpose,
  keyProblem,
} from './accounts.rules.ts'
import * as store from './accounts.store.ts'
import { openSettings, sealSettings, type AccountRegistry } from './registry.service.ts'
import { DAY_MS } from '../../platform/calendar.ts'
import { PROVIDERS } from '../catalogue.ts'

type NewAccount = AccountUses & {
  provider: string
  title: string
  collectorCode: string | null
  settings: readonly EnteredValue[]
}
export type AccountChange = { before: ProviderAccount; after: ProviderAccount }

export async function listAccounts(
  { db }: Pick<Context, 'db'>,
  { id }: Pick<Institute, 'id'>,
): Promise<ProviderAccount[]> {
  return (await store.listAccounts(db, id)).map(withoutSecrets)
}

/** Lists accounts of every institute, for the operator. */
export async function listAllAccounts({ db }: Pick<Context, 'db'>): Promise<ProviderAccount[]> {
  return (await store.listAllAccounts(db)).map(withoutSecrets)
}

/** Institutes' accounts with the key of an installation account that was configured after them. */
export async function listWithKeyOf(
  ctx: Pick<Context, 'db' | 'vault'>,
  installation: ReadonlyMap<ProviderName, ProviderValues>,
): Promise<ProviderAccount[]> {
  const keys = new Set(
    [...installation].map(([name, values]) => fingerprintOf(ctx, name, identityOf(name, values))),
  )
  const all = await store.listAllAccounts(ctx.db)
  return all.filter(({ keyFingerprint }) => keys.has(keyFingerprint)).map(withoutSecrets)
}

/** Sets an account up. From its commit on it takes what its branch, or the whole institute, has new. */
export async function addAccount(
  ctx: AccountsContext,
  command: Command<ProviderAccount>,
  { institute, by }: { institute: Institute; by: string },
  wanted: NewAccount,
): Promise<ProviderAccount> {
  const entry = entryOf(wanted.provider)
  const collectorCode =
    wanted.collectorCode === null ? null : knownBranch(institute, wanted.collectorCode, 'collector_code')
  const key = checkValues(ctx, entry, readValues(entry, wanted.settings))
  const { methods, rails, ways } = checkUses(entry, key.values, wanted)
  if (methods.length + rails.length === 0)
    throw badField('methods', 'are needed, or a rail for mandates: the account would take nothing')
  const { provider, title } = wanted
  await refuseUnproven(ctx, provider, key.values)
  const now = ctx.clock.now()
  const ids = { instituteId: institute.id, id: newId('pa') }
  const account: store.SealedAccount = {
    ...ids,
    provider,
    title,
    collectorCode,
    methods,
    rails,
    ways,
    ...key.described,
    keyFingerprint: fingerprintOf(ctx, provider, identityOf(provider, key.values)),
    settingsSealed: sealSettings(ctx.vault, ids, { values: key.values, previous: [] }),
    version: 1,
    pausedAt: null,
    checkedAt: now,
    checkProblem: null,
    heardAt: null,
    createdAt: now,
    createdBy: by,
    changedAt: now,
    changedBy: by,
  }
  return changed(ctx, institute, () =>
    transact(ctx.db, command, async tx => {
      await refuseTakenKey(tx, account)
      await store.insertAccount(tx, account)
      return withoutSecrets(account)
    }),
  )
}

type Changer = { institute: Institute; accountId: string; by: string }

/** Its name and what it is used for. One without any use is kept for what went through it. */
export async function changeAccount(
  ctx: AccountsContext,
  command: Command<AccountChange>,
  changer: Changer,
  wanted: AccountUses & { title: string },
): Promise<AccountChange> {
  return change(ctx, command, changer, account => {
    const { values } = openSettings(ctx.vault, account)
    const uses = { ...wanted, ways: wanted.ways ?? account.ways }
    return { title: wanted.title, ...checkUses(entryOf(account.provider), values, uses) }
  })
}

/** It takes nothing new; what went through it is still reported, debited, refunded and settled. */
export async function pauseAccount(
  ctx: AccountsContext,
  command: Command<AccountChange>,
  changer: Changer,
): Promise<AccountChange> {
  return change(ctx, command, changer, ({ pausedAt }) => {
    if (pausedAt !== null) throw conflict('This account is paused already.')
    return { pausedAt: ctx.clock.now() }
  })
}

export async function resumeAccount(
  ctx: AccountsContext,
  command: Command<AccountChange>,
  changer: Changer,
): Promise<AccountChange> {
  return change(ctx, command, changer, ({ pausedAt }) => {
    if (pausedAt === null) throw conflict('This account is not paused.')
    return { pausedAt: null }
  })
}

/** Providers repeat a callback for a day and longer, signed as it was the first time. */
const PREVIOUS_VALID_MS = 3 * DAY_MS
const MOST_PREVIOUS = 3

/**
 * Replaces credentials without a gap: from the commit on calls are made with the new ones, and callbacks signed with the
 * old ones are accepted for three days more. What is not entered stays as it is.
 */
export async function rotateAccount(
  ctx: AccountsContext,
  command: Command<AccountChange>,
  changer: Changer,
  entered: readonly EnteredValue[],
): Promise<AccountChange> {
  const before = await findAccount(ctx, changer)
  const key = await proveRotation(ctx, before, entered)
  return change(ctx, command, changer, async (account, tx) => {
    const known = openSettings(ctx.vault, account)
    if (account.version !== before.version)
      throw conflict('The account was changed at this moment. Please try again.')
    const now = ctx.clock.now()
    const until = new Date(now.getTime() + PREVIOUS_VALID_MS).toISOString()
    const previous = [
      { values: known.values, until },
      ...known.previous.filter(one => new Date(one.until) > now),
    ]
    const rotated = {
      ...key.described,
      checkedAt: now,
      checkProblem: null,
      keyFingerprint: fingerprintOf(ctx, account.provider, identityOf(account.provider, key.values)),
      settingsSealed: sealSettings(ctx.vault, account, {
        values: key.values,
        previous: previous.slice(0, MOST_PREVIOUS),
      }),
    }
    await refuseTakenKey(tx, { ...account, ...rotated })
    return rotated
  })
}

export type CheckedAccount = { account: ProviderAccount; problem: string | null }

/** One harmless call with the account's credentials; what is wrong with them is kept beside it. */
export async function checkAccount(
  ctx: AccountsContext,
  command: Command<CheckedAccount>,
  { institute, accountId }: Omit<Changer, 'by'>,
): Promise<CheckedAccount> {
  const account = withoutSecrets(await findAccount(ctx, { institute, accountId }))
  ctx.accounts.forget(institute.id)
  const { port } = await ctx.accounts.accountOf({ instituteId: institute.id, accountId })
  const problem = await findConnectionProblem(port)
  const at = ctx.clock.now()
  return transact(ctx.db, command, async tx => {
    await store.recordCheck(tx, account, { at, problem })
    return { account: { ...account, checkedAt: at, checkProblem: problem }, problem }
  })
}

type ChangedFields = Partial<store.SealedAccount>

async function change(
  ctx: AccountsContext,
  command: Command<AccountChange>,
  { institute, accountId, by }: Changer,
  decide: (account: store.SealedAccount, tx: Transaction) => ChangedFields | Promise<ChangedFields>,
): Promise<AccountChange> {
  return changed(ctx, institute, () =>
    transact(ctx.db, command, async tx => {
      const before = await store.lockAccount(tx, institute.id, accountId)
      if (before === null) throw notFound('This account')
      const decided = await decide(before, tx)
      const version = before.version + 1
      const after = { ...before, ...decided, version, changedAt: ctx.clock.now(), changedBy: by }
      await store.updateAccount(tx, after)
      return { before: withoutSecrets(before), after: withoutSecrets(after) }
    }),
  )
}

/** This process follows its own change at once. */
async function changed<Result>(
  { accounts }: AccountsContext,
  { id }: Institute,
  act: () => Promise<Result>,
): Promise<Result> {
  try {
    return await act()
  } finally {
    accounts.forget(id)
  }
}

async function findAccount(
  { db }: Pick<Context, 'db'>,
  { institute, accountId }: Pick<Changer, 'institute' | 'accountId'>,
): Promise<store.SealedAccount> {
  const account = (await store.listAccounts(db, institute.id)).find(({ id }) => id === accountId)
  if (account === undefined) throw notFound('This account')
  return account
}

function withoutSecrets(sealed: store.SealedAccount): ProviderAccount {
  const { settingsSealed: _settings, keyFingerprint: _fingerprint, ...account } = sealed
  return account
}

/** What a person needs to know before setting an account up, and what follows from those that are there. */
export type AccountSetup = {
  providers: { name: string; title: string; settings: Required<ProviderSetting>[] }[]
  branches: { collectorCode: string; name: string; payments: string; mandates: string }[]
  callbackBase: string
}

export async function describeAccountSetup(
  ctx: AccountsContext,
  institute: Institute,
): Promise<AccountSetup> {
  const titles = new Map((await listAccounts(ctx, institute)).map(({ id, title }) => [id, title]))
  const destination = async (collectorCode: string, purpose: Purpose): Promise<string> => {
    const account = await ctx.accounts.accountFor({ instituteId: institute.id, collectorCode }, purpose)
    if (account === null) return 'Nowhere: nothing is set up, or it is paused'
    const title = titles.get(account.id)
    if (title !== undefined) return title
    return account.id === 'sandbox'
      ? 'The sandbox bank'
      : `The account of this installation at ${account.provider}`
  }
  return {
    providers: Object.entries(PROVIDERS).map(([name, { title, settings }]) => ({
      name,
      title,
      settings: settings.map(setting => ({ isSecret: false, isOptional: false, ...setting })),
    })),
    branches: await Promise.all(
      institute.branches.map(async ({ collectorCode, name }) => ({
        collectorCode,
        name,
        payments: await destination(collectorCode, 'payments'),
        mandates: await destination(collectorCode, 'mandates'),
      })),
    ),
    callbackBase: `${ctx.publicUrl}/callbacks`,
  }
}

/** What is looked at before credentials are put into use. */
export type AccountsContext = Context & { readonly accounts: AccountRegistry }

/** What it is used for. */
type AccountUses = {
  methods: readonly PaymentMode[]
  rails: readonly Rail[]
  ways?: readonly WayTerms[] | null
}

/** Credentials that are not accepted would stop every payer at once, and the old ones could not be brought back. */
async function proveRotation(
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

async function refuseUnproven(ctx: AccountsContext, provider: string, values: ProviderValues): Promise<void> {
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

type CheckedKey = {
  values: ProviderValues
  described: Pick<ProviderAccount, 'keyKind' | 'keyHint'>
}

function checkValues(
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
function checkUses(
  entry: ProviderEntry,
  values: ProviderValues,
  { methods, rails, ways }: AccountUses,
): Pick<ProviderAccount, 'methods' | 'rails' | 'ways'> {
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
  const twice = (ways ?? []).findIndex((one, no) =>
    ways?.some((other, at) => at < no && other.method === one.method),
  )
  if (twice >= 0) problems.push({ key: `ways.${twice}.method`, message: 'stands twice' })
  if (problems.length > 0) throw badFields(problems)
  return { methods: [...new Set(methods)], rails: [...new Set(rails)], ways: ways ?? [] }
}

/** The value that tells one account at a provider from another. */
function identityOf(provider: string, values: ProviderValues): string {
  return values[entryOf(provider).describe(values).field] ?? ''
}

function fingerprintOf({ vault }: Pick<Context, 'vault'>, provider: string, identity: string): string {
  return vault.deriveKey(`provider key ${provider} ${identity}`)
}

async function refuseTakenKey(tx: Transaction, account: store.SealedAccount): Promise<void> {
  const other = await store.lockKey(tx, account.keyFingerprint)
  if (other === null || other.id === account.id) return
  const where = other.instituteId === account.instituteId ? `by your account "${other.title}"` : 'elsewhere'
  throw conflict(
    `This key is in use ${where}. Two accounts with one key would each report the other's pay-outs; use one account for both.`,
  )
}

function entryOf(provider: string): ProviderEntry {
  const entry = PROVIDERS[provider]
  if (entry === undefined) throw badField('provider', `is not one of ${Object.keys(PROVIDERS).join(', ')}`)
  return entry
}
