import { checkCatalogue, joinCatalogue } from '../../institutes/catalogue.service.ts'
import type { Institute } from '../../institutes/institutes.rules.ts'
import type { Queryable } from '../../platform/db/database.ts'
import { isUniqueViolation } from '../../platform/db/errors.ts'
import { badField, badFields, BursarError, conflict } from '../../platform/errors.ts'
import { transact, type Command } from '../../platform/idempotency.ts'
import { listAccounts, type AccountsContext } from '../accounts/accounts.service.ts'
import type { Account } from '../accounts/registry.service.ts'
import { PROVIDERS } from '../catalogue.ts'
import { ProviderRefused, type LinkedState } from '../port.ts'
import { destinationOf } from './destinations.rules.ts'
import * as store from './settlement-accounts.store.ts'

export type { NamedSettlementAccount } from './settlement-accounts.store.ts'

/** What the parts of payments through an account are, or were, settled to. */
export function listLinkedIds(
  db: Queryable,
  { id, instituteId }: { id: string; instituteId: number | null },
): Promise<string[]> {
  return instituteId === null ? store.listLinkedIds(db, id) : store.listLinkedIdsOfSchool(db, instituteId, id)
}

/** An account at a provider that takes payments, and whether it can settle parts of them elsewhere. */
export type TakingAccount = {
  id: string
  title: string
  collectorCodes: string[]
  canSplit: boolean
  idLabel: string | null
  idHelp: string | null
}

/** A component that names a bank account, and the branches in which it cannot be paid online for that. */
export type SettledComponent = {
  componentType: string
  bankAccountId: string
  bankAccount: string
  closed: { collectorCode: string; why: string }[]
}

export type SettlementSetup = {
  taking: TakingAccount[]
  linked: store.NamedSettlementAccount[]
  components: SettledComponent[]
}

/** All that a person decides about: where payments are taken, where they can be settled, and what is settled where. */
export async function describeSettlementSetup(
  ctx: AccountsContext,
  institute: Institute,
): Promise<SettlementSetup> {
  const taking = await readTaking(ctx, institute)
  const [linked, components] = await Promise.all([
    store.listSettlementAccounts(ctx.db, institute.id),
    store.listComponentAccounts(ctx.db, institute.id),
  ])
  const all = linked.map(store.toLinked)
  return {
    taking: taking.map(toShown),
    linked,
    components: components.map(({ name: bankAccount, ...one }) => ({
      ...one,
      bankAccount,
      closed: taking.flatMap(({ account, collectorCodes }) => {
        const { bankAccountId: id } = one
        const through = { id: account.id, canSplit: account.port.splits !== undefined }
        const named = { namedBy: () => ({ id, name: bankAccount }), linked: all }
        const destination = destinationOf(named, through, one.componentType)
        return destination.kind === 'closed'
          ? collectorCodes.map(collectorCode => ({ collectorCode, why: destination.why }))
          : []
      }),
    })),
  }
}

type Taking = { account: Account; title: string; collectorCodes: string[] }

/** The accounts through which payments of the branches go, each with its branches. */
async function readTaking(ctx: AccountsContext, institute: Institute): Promise<Taking[]> {
  const titles = new Map((await listAccounts(ctx, institute)).map(({ id, title }) => [id, title]))
  const taking = new Map<string, Taking>()
  for (const { collectorCode } of institute.branches) {
    const account = await ctx.accounts.accountFor({ instituteId: institute.id, collectorCode }, 'payments')
    if (account === null) continue
    const known = taking.get(account.id)
    if (known === undefined) {
      const title = titles.get(account.id) ?? titleOf(account)
      taking.set(account.id, { account, title, collectorCodes: [collectorCode] })
    } else known.collectorCodes.push(collectorCode)
  }
  return [...taking.values()]
}

function titleOf({ id, provider }: Account): string {
  return id === 'sandbox'
    ? 'The sandbox bank'
    : `The account of this installation at ${PROVIDERS[provider]?.title ?? provider}`
}

function toShown({ account, title, collectorCodes }: Taking): TakingAccount {
  const { splits } = account.port
  return {
    id: account.id,
    title,
    collectorCodes,
    canSplit: splits !== undefined,
    idLabel: splits?.idLabel ?? null,
    idHelp: splits?.idHelp ?? null,
  }
}

/** The bank accounts in which single fees can be settled, each once. */
export async function listLinkedBankAccounts(
  db: Queryable,
  instituteId: number,
): Promise<{ id: string; name: string }[]> {
  const linked = await store.listSettlementAccounts(db, instituteId)
  return [...new Map(linked.map(one => [one.bankAccountId, one.name]))].map(([id, name]) => ({ id, name }))
}

type Linking = { bankAccountId: string; accountId: string; linkedId: string }
export type LinkChange = {
  before: store.SettlementAccount | null
  after: store.NamedSettlementAccount
}

/**
 * Says how an account at a provider knows a bank account of the school; the provider is asked whether it can settle there.
 * The same again asks anew.
 */
export async function linkBankAccount(
  ctx: AccountsContext,
  command: Command<LinkChange>,
  { institute, by }: { institute: Institute; by: string },
  { bankAccountId, accountId, linkedId }: Linking,
): Promise<LinkChange> {
  const name = (await store.readBankAccountNames(ctx.db, institute.id)).get(bankAccountId)
  if (name === undefined) throw badField('bank_account_id', 'is not a bank account of this institute')
  const taking = (await readTaking(ctx, institute)).find(({ account }) => account.id === accountId)
  if (taking === undefined) throw badField('account_id', 'takes no payments of this institute')
  const { splits } = taking.account.port
  if (splits === undefined)
    throw conflict(
      `${taking.title} cannot settle a part of a payment in another bank account. Fees for another account need an account of their own at a provider.`,
    )
  if (!splits.idPattern.test(linkedId)) throw badField('linked_id', `is not a ${splits.idLabel}`)
  const found = await ask(splits.readLinked({ instituteId: institute.id, linkedId }))
  const now = ctx.clock.now()
  try {
    return await transact(ctx.db, command, async tx => {
      const known = await store.listSettlementAccounts(tx, institute.id)
      const before =
        known.find(one => one.bankAccountId === bankAccountId && one.accountId === accountId) ?? null
      const after: store.SettlementAccount = {
        instituteId: institute.id,
        bankAccountId,
        accountId,
        linkedId,
        formerIds: formerOf(before, linkedId),
        state: found.isVerified ? 'verified' : 'unverified',
        problem: found.isVerified ? null : found.problem,
        checkedAt: now,
        createdAt: before?.createdAt ?? now,
        createdBy: before?.createdBy ?? by,
        changedAt: now,
        changedBy: by,
      }
      await store.putSettlementAccount(tx, after)
      return { before, after: { ...after, name } }
    })
  } catch (error) {
    if (!isUniqueViolation(error, 'settlement_accounts_institute_id_account_id_linked_id_key')) throw error
    throw badField('linked_id', 'is that of another bank account')
  } finally {
    ctx.accounts.forget(institute.id)
  }
}

function formerOf(before: store.SettlementAccount | null, linkedId: string): string[] {
  const known = before === null ? [] : [...before.formerIds, before.linkedId]
  return [...new Set(known)].filter(id => id !== linkedId)
}

/** A provider that does not know the id says so; one that cannot be reached leaves everything as it was. */
async function ask(asked: Promise<LinkedState>): Promise<LinkedState> {
  try {
    return await asked
  } catch (error) {
    if (error instanceof ProviderRefused) throw badField('linked_id', `is refused: ${error.message}`)
    if (error instanceof BursarError) throw conflict(`${error.message} Nothing was changed.`)
    throw error
  }
}

export type ComponentChange = {
  before: store.ComponentAccount[]
  after: store.ComponentAccount[]
}

/** Says in which bank account each component is settled; one that is not named goes where the provider's account is settled. */
export async function settleComponents(
  ctx: AccountsContext,
  command: Command<ComponentChange>,
  institute: Institute,
  wanted: readonly { componentType: string; bankAccountId: string }[],
): Promise<ComponentChange> {
  const taking = await readTaking(ctx, institute)
  const codes = wanted.map(({ componentType: code }, index) => {
    return { kind: 'component' as const, code, key: `components.${index}.component_type` }
  })
  try {
    return await transact(ctx.db, command, async tx => {
      await checkCatalogue(tx, institute, codes)
      await joinCatalogue(tx, institute, codes)
      await refuseUnlinked(tx, institute, { taking, wanted })
      const before = await store.listComponentAccounts(tx, institute.id)
      await store.writeComponentAccounts(tx, institute.id, wanted)
      return { before, after: await store.listComponentAccounts(tx, institute.id) }
    })
  } finally {
    ctx.accounts.forget(institute.id)
  }
}

/** What could be paid online nowhere is refused here, and not when a family wants to pay it. */
async function refuseUnlinked(
  db: Queryable,
  institute: Institute,
  {
    taking,
    wanted,
  }: { taking: readonly Taking[]; wanted: readonly { componentType: string; bankAccountId: string }[] },
): Promise<void> {
  const names = await store.readBankAccountNames(db, institute.id)
  const linked = await store.listSettlementAccounts(db, institute.id)
  const able = taking.filter(({ account }) => account.port.splits !== undefined)
  const problems = wanted.flatMap(({ componentType, bankAccountId }, index) => {
    const key = `components.${index}.bank_account_id`
    if (wanted.findIndex(other => other.componentType === componentType) !== index)
      return [{ key: `components.${index}.component_type`, message: 'stands twice' }]
    if (!names.has(bankAccountId)) return [{ key, message: 'is not a bank account of this institute' }]
    if (taking.length > 0 && able.length === 0)
      return [
        { key, message: 'cannot be chosen: the provider pays all of a payment out to one bank account' },
      ]
    const isLinked = linked.some(
      one => one.bankAccountId === bankAccountId && able.some(({ account }) => account.id === one.accountId),
    )
    return isLinked
      ? []
      : [{ key, message: 'is not set up at the account that takes payments: enter its id there first' }]
  })
  if (problems.length > 0) throw badFields(problems)
}
