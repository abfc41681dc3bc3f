import type { Institute } from '../../institutes/institutes.rules.ts'
import { getInstitutesById } from '../../institutes/institutes.service.ts'
import { assert } from '../../platform/assert.ts'
import type { Context } from '../../platform/context.ts'
import type { Transaction } from '../../platform/db/database.ts'
import { conflict, notFound } from '../../platform/errors.ts'
import { transact, type Command } from '../../platform/idempotency.ts'
import { isIdShaped } from '../../platform/ids.ts'
import { newSigningSecret, createProtocolLender, pingLender } from '../protocol/protocol.client.ts'
import type { LoanContext } from '../context.ts'
import type { Lender, LenderName } from '../lender-port.ts'
import {
  assertNewLender,
  limitsOf,
  PREVIOUS_SECRET_MS,
  termsOf,
  type LenderAccount,
  type NewLender,
} from './lenders.rules.ts'
import * as store from './lenders.store.ts'
import type { Clock } from '../../platform/clock.ts'

export type { ListedLender } from './lenders.store.ts'

/**
 * The lenders of the installation and which one an institute uses. They are read whenever one is asked for, not cached:
 * lenders are called rarely, and a rotation or a pause has to count in every process at once.
 */
type LenderContext = Pick<LoanContext, 'db' | 'clock' | 'vault' | 'sandboxLender'>

export async function lenderOf(ctx: LenderContext, name: LenderName): Promise<Lender> {
  if (name === ctx.sandboxLender?.name) return ctx.sandboxLender
  const account = await store.findLender(ctx.db, name)
  if (account === null) throw notFound('This lender')
  return toLender(ctx, account)
}

/** Where an institute's new applications go; null when it has no lender, or its lender is paused. */
export async function lenderFor(ctx: LenderContext, instituteId: number): Promise<Lender | null> {
  const account = await store.findChosenLender(ctx.db, instituteId)
  if (account === null) return ctx.sandboxLender
  return account.pausedAt === null ? toLender(ctx, account) : null
}

/** The lender that new applications go to. */
export async function requireLender(ctx: LenderContext, instituteId: number): Promise<Lender> {
  const lender = await lenderFor(ctx, instituteId)
  if (lender === null) throw conflict('Loans are not set up for this institute.')
  return lender
}

function toLender(ctx: Pick<Context, 'db' | 'clock' | 'vault'>, account: LenderAccount): Lender {
  const known = {
    name: account.code,
    title: account.title,
    limits: limitsOf(account),
    terms: termsOf(account),
  }
  if (account.kind === 'desk') return createDeskLender(known, ctx.clock)
  return createProtocolLender(known, {
    ...callOptions(ctx, account),
    findInstituteOf: applicationId => store.findInstituteOf(ctx.db, account.code, applicationId),
  })
}

function callOptions({ clock, vault }: Pick<Context, 'clock' | 'vault'>, account: LenderAccount) {
  const { code, apiUrl, secretSealed, previousSealed, previousUntil } = account
  assert(apiUrl !== null && secretSealed !== null, `the lender ${code} has no API`)
  const isPreviousGood = previousSealed !== null && previousUntil !== null && previousUntil > clock.now()
  const secrets = [secretSealed, ...(isPreviousGood ? [previousSealed] : [])].map(sealed =>
    vault.open(sealed, secretPurpose(code)),
  )
  return { apiUrl, secrets }
}

const secretPurpose = (code: string): string => `lender secret ${code}`

/** Writes down who did it, in the transaction of what was done. */
type Audit = (tx: Transaction) => Promise<void>

/** Answers the secret of a lender with an API: it is shown this once. */
export async function addLender(
  ctx: Context,
  lender: NewLender,
  audit?: Audit,
): Promise<{ secret: string | null }> {
  assertNewLender(lender, { isLive: ctx.mode === 'live' })
  const secret = lender.kind === 'api' ? newSigningSecret() : null
  await ctx.db.transaction(async tx => {
    const isNew = await store.insertLender(tx, {
      ...lender,
      secretSealed: secret === null ? null : ctx.vault.seal(secret, secretPurpose(lender.code)),
      previousSealed: null,
      previousUntil: null,
      pausedAt: null,
      createdAt: ctx.clock.now(),
    })
    if (!isNew) throw conflict(`There is a lender ${lender.code} already.`)
    await audit?.(tx)
  })
  return { secret }
}

export async function listLenders({ db }: Pick<Context, 'db'>): Promise<store.ListedLender[]> {
  return store.listLenders(db)
}

export async function pauseLender(
  ctx: Context,
  code: string,
  isPaused: boolean,
  audit?: Audit,
): Promise<void> {
  const change = (lender: LenderAccount): LenderAccount => ({
    ...lender,
    pausedAt: isPaused ? (lender.pausedAt ?? ctx.clock.now()) : null,
  })
  await changeLender(ctx, code, change, audit)
}

/**
 * A new secret signs from now on beside the old one, which is accepted for a week. A second rotation within that week
 * would end the secret that the lender still uses, so it has to be forced.
 */
export async function rotateLender(
  ctx: Context,
  code: string,
  { isForced = false, audit }: { isForced?: boolean; audit?: Audit } = {},
): Promise<{ secret: string; until: Date }> {
  const secret = newSigningSecret()
  const until = new Date(ctx.clock.now().getTime() + PREVIOUS_SECRET_MS)
  const change = (lender: LenderAccount): LenderAccount => {
    const { previousUntil } = lender
    if (previousUntil !== null && previousUntil > ctx.clock.now() && !isForced)
      throw conflict(
        'The secret was changed less than a week ago, and the one before it would end at once. Wait, or force it.',
      )
    if (lender.kind !== 'api') throw conflict('This lender works in the console and has no secret.')
    return {
      ...lender,
      secretSealed: ctx.vault.seal(secret, secretPurpose(code)),
      previousSealed: lender.secretSealed,
      previousUntil: until,
    }
  }
  await changeLender(ctx, code, change, audit)
  return { secret, until }
}

async function changeLender(
  { db }: Context,
  code: string,
  change: (lender: LenderAccount) => LenderAccount,
  audit: Audit | undefined,
): Promise<void> {
  await db.transaction(async tx => {
    const lender = await store.lockLender(tx, code)
    if (lender === null) throw notFound('This lender')
    await store.writeLender(tx, change(lender))
    await audit?.(tx)
  })
}

/** Null: the institute offers no loans, or in a sandbox those of the sandbox's lender. */
export async function chooseLender(
  { db }: Pick<Context, 'db'>,
  institute: Institute,
  code: string | null,
  audit?: Audit,
): Promise<void> {
  await db.transaction(async tx => {
    await choose(tx, institute, code)
    await audit?.(tx)
  })
}

type ChosenLender = { before: string | null; after: string | null }

/** The same by an owner in the console. */
export async function changeLenderOf(
  { db }: Pick<Context, 'db'>,
  command: Command<ChosenLender>,
  institute: Institute,
  code: string | null,
): Promise<ChosenLender> {
  return transact(db, command, async tx => {
    const before = await store.findChosenLender(tx, institute.id)
    await choose(tx, institute, code)
    return { before: before?.code ?? null, after: code }
  })
}

async function choose(tx: Transaction, institute: Institute, code: string | null): Promise<void> {
  if (code !== null && (await store.findLender(tx, code)) === null) throw notFound('This lender')
  await store.chooseLender(tx, institute.id, code)
}

export type LenderChoice = { chosen: string | null; lenders: LenderAccount[] }

/** What an institute can choose from, and what it has chosen. */
export async function readLenderChoice(
  { db }: Pick<Context, 'db'>,
  institute: Institute,
): Promise<LenderChoice> {
  const lenders = await store.listLenders(db)
  const chosen = await store.findChosenLender(db, institute.id)
  return { chosen: chosen?.code ?? null, lenders }
}

/** Finds the institute of an application that was sent to this lender. */
export async function findInstituteOfApplication(
  ctx: Context,
  lender: string,
  applicationId: string,
): Promise<Institute | null> {
  const id = isIdShaped(applicationId) ? await store.findInstituteOf(ctx.db, lender, applicationId) : null
  if (id === null) return null
  const [institute] = await getInstitutesById(ctx, [id])
  return institute ?? null
}

/** Throws unless its people work in the console. */
export async function requireDeskLender({ db }: Pick<Context, 'db'>, code: string): Promise<void> {
  const account = await store.findLender(db, code)
  if (account === null) throw notFound('This lender')
  if (account.kind !== 'desk') throw conflict('This lender has an API; only a lender without one has a desk.')
}

/** One harmless signed call; answers what is wrong, or null. A lender without an API has nothing to call. */
export async function checkLender(
  ctx: Context,
  code: string,
): Promise<{ kind: LenderAccount['kind']; flaw: string | null }> {
  const account = await store.findLender(ctx.db, code)
  if (account === null) throw notFound('This lender')
  const { kind } = account
  return { kind, flaw: kind === 'desk' ? null : await pingLender(callOptions(ctx, account)) }
}

/**
 * A lender without an API: its people read applications and record what they decide in the console (desk.service.ts), so
 * there is nothing to ask. The borrower fills in no form there: with the consent the application is complete.
 */
function createDeskLender(known: Pick<Lender, 'name' | 'title' | 'limits' | 'terms'>, clock: Clock): Lender {
  return {
    ...known,
    async start({ instituteId, applicationId, returnUrl }) {
      const lenderRef = applicationId
      const update = { kind: 'filled', at: clock.now() } as const
      return {
        lenderRef,
        lenderUrl: returnUrl,
        reports: [{ instituteId, applicationId, lenderRef, update }],
      }
    },
    // Its people see the acceptance in the console.
    async accept() {},
    status: async () => [],
    // Nothing is to be ended elsewhere.
    end: async () => [],
    readCallback: async () => null,
  }
}
