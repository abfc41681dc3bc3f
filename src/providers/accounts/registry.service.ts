import type { CallCounts, CallOutcome } from '../../platform/http-client/call-counts.ts'
import type { Context } from '../../platform/context.ts'
import type { Queryable } from '../../platform/db/database.ts'
import { PROVIDERS } from '../catalogue.ts'
import type { ProviderEntry, ProviderValues } from '../entry.ts'
import type { Rail, Callback, PaymentMode, Provider, ProviderName, Report } from '../port.ts'
import {
  keyKindOf,
  routeTo,
  type ProviderAccount,
  type Purpose,
  type RoutableAccount,
  type WayTerms,
} from './accounts.rules.ts'
import * as store from './accounts.store.ts'
import { DestinationReader } from '../settlement-accounts/destinations.service.ts'
import type { Vault } from '../../platform/secrets.ts'

/** An account that money moves through: one of an institute, or one of the installation, whose id is its provider's name. */
export type Account = {
  readonly id: string
  /** Null: of the installation, for every institute that has none of its own. */
  readonly instituteId: number | null
  readonly provider: ProviderName
  readonly port: Provider
  /** What it offers to payers. */
  readonly methods: readonly PaymentMode[]
  readonly rails: readonly Rail[]
  readonly ways: readonly WayTerms[]
  /** Unlike the port's it also accepts credentials that were replaced a short time ago. */
  readCallback(callback: Callback): Promise<Report[] | null>
}

type OwnAccount = Account & Omit<RoutableAccount, 'methods' | 'rails'> & { version: number }
type CachedAccounts = { readAt: number; accounts: Promise<OwnAccount[]> }

/** What the operator set: where APIs are, and the credentials of the installation's own accounts. */
export type InstallationSettings = {
  apiUrls?: ReadonlyMap<ProviderName, string> | undefined
  values?: ReadonlyMap<ProviderName, ProviderValues> | undefined
  /** They take nothing new. */
  paused?: readonly ProviderName[] | undefined
  /** Where calls are counted, by the account. */
  calls?: CallCounts | undefined
}

export type BranchKey = { instituteId: number; collectorCode: string }

const FRESH_MS = 5_000
const HEARD_EVERY_MS = 60_000
/** When a process has read the accounts of so many, it forgets them all and begins anew. */
const MOST_INSTITUTES = 10_000

/**
 * The accounts of the installation and of each institute, ready to be used. An institute's are read again after 5 s, so
 * that every process follows a change within that time without hearing of it: until then a paused account may take a
 * payment more, which is harmless, and where being late would hurt (an account not known yet, a signature that does not
 * fit) they are read at once. What was made of an account is kept as long as its version stands, with its connections.
 */
export class AccountRegistry {
  /** The preferred one first. */
  readonly installation: ReadonlyMap<ProviderName, Provider>
  /** Where what each component brings is settled. */
  readonly destinations: DestinationReader
  readonly #ctx: Pick<Context, 'db' | 'vault' | 'clock' | 'mode'>
  readonly #apiUrls: ReadonlyMap<ProviderName, string>
  readonly #paused: ReadonlySet<ProviderName>
  readonly #keys: ReadonlySet<string>
  readonly #calls: CallCounts | undefined
  readonly #cache = new Map<number, CachedAccounts>()
  readonly #made = new Map<string, OwnAccount>()
  readonly #instituteOf = new Map<string, number>()
  readonly #heard = new Map<string, number>()

  constructor(
    ctx: Pick<Context, 'db' | 'vault' | 'clock' | 'mode'>,
    installation: ReadonlyMap<ProviderName, Provider>,
    { apiUrls = new Map(), values = new Map(), paused = [], calls }: InstallationSettings = {},
  ) {
    this.#ctx = ctx
    this.destinations = new DestinationReader(ctx.db)
    this.#apiUrls = apiUrls
    this.#calls = calls
    this.#paused = new Set(paused)
    this.#keys = new Set([...values].map(([provider, one]) => keyOf(provider, one)))
    this.installation = installation
  }

  /** Where providers are that are not at their own address: emulators, whose pages are there too. */
  get apiOrigins(): string[] {
    return [...this.#apiUrls.values()].map(url => new URL(url).origin)
  }

  /** The account for new money of a branch; null when nothing is set up for it. */
  async accountFor(target: BranchKey, purpose: Purpose): Promise<Account | null> {
    return this.#route(this.#ctx.db, target, purpose)
  }

  async #route(
    db: Queryable,
    { instituteId, collectorCode }: BranchKey,
    purpose: Purpose,
  ): Promise<Account | null> {
    const own = await this.#list(instituteId, { db })
    const route = routeTo(own, { collectorCode, purpose, keyKind: keyKindOf(this.#ctx.mode) })
    if (route === 'none') return null
    return route === 'installation' ? this.preferred(purpose) : route
  }

  /** The account that a lender's transfer for a branch goes to; few providers take transfers in. */
  async accountForTransfers(db: Queryable, target: BranchKey): Promise<Account | null> {
    const account = await this.#route(db, target, 'payments')
    if (account?.port.transfers !== undefined) return account
    const able = [...this.installation.values()].find(({ transfers }) => transfers !== undefined)
    return able === undefined ? null : ofInstallation(able)
  }

  /** The account that something went through, also when it takes nothing new any more. */
  async accountOf({ instituteId, accountId }: { instituteId: number; accountId: string }): Promise<Account> {
    const account = await this.#find(instituteId, accountId)
    if (account === null) throw new Error(`the provider account ${accountId} is not configured`)
    return account
  }

  accountOfInstallation(name: ProviderName): Account | null {
    const provider = this.installation.get(name)
    return provider === undefined ? null : ofInstallation(provider)
  }

  /** The account that a provider posts to; null when there is none. */
  async accountOfCallback(provider: ProviderName, accountId: string): Promise<Account | null> {
    const instituteId =
      this.#instituteOf.get(accountId) ?? (await store.findInstituteOf(this.#ctx.db, accountId))
    if (instituteId === null) return null
    this.#instituteOf.set(accountId, instituteId)
    const account = await this.#find(instituteId, accountId)
    return account?.provider === provider ? account : null
  }

  /** Reads a callback with an account's credentials as they are at this moment, however fresh what is known of them. */
  async readCallback(account: Account, callback: Callback): Promise<Report[] | null> {
    const reports = await account.readCallback(callback)
    if (reports !== null || account.instituteId === null) return reports
    const now = (await this.#list(account.instituteId, { isFresh: true })).find(({ id }) => id === account.id)
    return now === undefined || now === account ? null : now.readCallback(callback)
  }

  /** Records that callbacks arrive, for the people who set the account up. */
  async noteHeard({ instituteId, id }: Account): Promise<void> {
    const now = this.#ctx.clock.now()
    const before = this.#heard.get(id)
    if (instituteId === null || (before !== undefined && now.getTime() - before < HEARD_EVERY_MS)) return
    this.#heard.set(id, now.getTime())
    await store.recordHeard(this.#ctx.db, { instituteId, id }, now)
  }

  /** All whose pay-outs are read: also paused ones, because money is still on its way. */
  async all(): Promise<Account[]> {
    const own = await store.listAllAccounts(this.#ctx.db)
    return [
      ...[...this.installation.values()].map(ofInstallation),
      ...own
        .filter(account => account.keyKind === keyKindOf(this.#ctx.mode))
        .map(account => this.#make(account)),
    ]
  }

  /** Whether the installation's own account at the provider has this key. */
  hasKey(provider: ProviderName, values: ProviderValues): boolean {
    return this.#keys.has(keyOf(provider, values))
  }

  /** A port with credentials that no account has yet, to try them. */
  makePort(provider: ProviderName, values: ProviderValues): Provider {
    return this.#makePort(provider, values)
  }

  #makePort(provider: ProviderName, values: ProviderValues, accountId?: string): Provider {
    const onCall = accountId === undefined ? undefined : counterOf(this.#calls, accountId)
    const apiUrl = this.#apiUrls.get(provider)
    return entryOf(provider).create(values, { apiUrl, now: () => this.#ctx.clock.now(), onCall })
  }

  /** After a change in this process. */
  forget(instituteId: number): void {
    this.#cache.delete(instituteId)
    this.destinations.forget(instituteId)
  }

  async #find(instituteId: number, accountId: string): Promise<Account | null> {
    const ofAll = this.accountOfInstallation(accountId)
    if (ofAll !== null) return ofAll
    const isIt = ({ id }: Account): boolean => id === accountId
    return (
      (await this.#list(instituteId)).find(isIt) ??
      (await this.#list(instituteId, { isFresh: true })).find(isIt) ??
      null
    )
  }

  /** The installation's own, by what it takes new. */
  preferred(purpose: Purpose): Account | null {
    const providers = [...this.installation.values()].filter(({ name }) => !this.#paused.has(name))
    const able =
      purpose === 'payments'
        ? providers.find(({ accepts }) => accepts.methods.length > 0)
        : providers.find(({ mandates }) => mandates !== undefined)
    return able === undefined ? null : ofInstallation(able)
  }

  async #list(
    instituteId: number,
    { db = this.#ctx.db, isFresh = false }: { db?: Queryable; isFresh?: boolean } = {},
  ): Promise<OwnAccount[]> {
    const cached = this.#cache.get(instituteId)
    const now = performance.now()
    if (!isFresh && cached !== undefined && now - cached.readAt < FRESH_MS) return cached.accounts
    if (this.#cache.size >= MOST_INSTITUTES) this.#cache.clear()
    const accounts = store.listAccounts(db, instituteId).then(rows => rows.map(row => this.#make(row)))
    this.#cache.set(instituteId, { readAt: now, accounts })
    // A failed read is not cached; its callers get the error.
    accounts.catch(() => this.forget(instituteId))
    return accounts
  }

  #make(row: store.SealedAccount): OwnAccount {
    const known = this.#made.get(row.id)
    if (known?.version === row.version) return known
    const account = toAccount(this.#ctx, row, values => this.#makePort(row.provider, values, row.id))
    this.#made.set(row.id, account)
    return account
  }
}

/** Counts the calls of one account. */
export function counterOf(calls: CallCounts | undefined, accountId: string): (outcome: CallOutcome) => void {
  return outcome => calls?.add(accountId, outcome)
}

function toAccount(
  { vault, clock }: Pick<Context, 'vault' | 'clock'>,
  row: store.SealedAccount,
  makePort: (values: ProviderValues) => Provider,
): OwnAccount {
  const { values, previous } = openSettings(vault, row)
  const port = makePort(values)
  const earlier = previous.map(one => ({ until: new Date(one.until), port: makePort(one.values) }))
  return {
    ...describe(row),
    port,
    async readCallback(callback) {
      const reports = await port.readCallback(callback)
      if (reports !== null) return reports
      for (const one of earlier) {
        const read = one.until > clock.now() ? await one.port.readCallback(callback) : null
        if (read !== null) return read
      }
      return null
    },
  }
}

function describe(row: ProviderAccount): Omit<OwnAccount, 'port' | 'readCallback'> {
  const { id, instituteId, provider, collectorCode, methods, rails, ways, keyKind, pausedAt, version } = row
  return { id, instituteId, provider, collectorCode, methods, rails, ways, keyKind, pausedAt, version }
}

function entryOf(provider: ProviderName): ProviderEntry {
  const entry = PROVIDERS[provider]
  if (entry === undefined) throw new Error(`the provider ${provider} is not known`)
  return entry
}

/** What tells one account at a provider from another. */
function keyOf(provider: ProviderName, values: ProviderValues): string {
  return `${provider} ${values[entryOf(provider).describe(values).field]}`
}

function ofInstallation(port: Provider): Account {
  return {
    id: port.name,
    instituteId: null,
    provider: port.name,
    port,
    methods: port.accepts.methods,
    rails: port.mandates?.rails ?? [],
    ways: [],
    readCallback: callback => port.readCallback(callback),
  }
}

/** The credentials of an account, and those before them while callbacks may still be signed with theirs. */
export type AccountSettings = {
  values: ProviderValues
  previous: readonly { values: ProviderValues; until: string }[]
}

type Key = Pick<ProviderAccount, 'instituteId' | 'id'>

const purposeOf = ({ instituteId, id }: Key): string => `provider account ${instituteId} ${id}`

export function sealSettings(vault: Vault, key: Key, settings: AccountSettings): Buffer {
  return vault.seal(JSON.stringify(settings), purposeOf(key))
}

export function openSettings(vault: Vault, account: Key & { settingsSealed: Buffer }): AccountSettings {
  return JSON.parse(vault.open(account.settingsSealed, purposeOf(account))) as AccountSettings
}
