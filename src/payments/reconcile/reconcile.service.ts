import type { Institute } from '../../institutes/institutes.rules.ts'
import { dayOf } from '../../platform/calendar.ts'
import type { Queryable, Transaction } from '../../platform/db/database.ts'
import {
  CHECK_NAMES,
  findDifferences,
  listOverdue,
  listToCompare,
  type ComparedPayment,
  type Difference,
} from './reconcile.store.ts'
import { providerOf, type PaymentContext } from '../context.ts'
import { askAboutCredit, isUnasked } from '../credits/credits.service.ts'
import { atProvider } from '../payments.rules.ts'
import { addAll } from '../../platform/lists.ts'
import type { PaymentOutcome } from '../../providers/port.ts'
import { listInstitutes } from '../../institutes/institutes.service.ts'
import type { Context } from '../../platform/context.ts'
import { lockSetting, readSetting, writeSetting } from '../../platform/db/instance-settings.ts'
import type { Log } from '../../platform/log.ts'
import {
  completed,
  firstRound,
  isFree,
  leased,
  withChecked,
  type NightlyCheck,
  type NightlyRound,
} from './nightly.rules.ts'

export type Reconciliation = {
  institute: string
  checks: readonly string[]
  /** What does not agree. */
  differences: Difference[]
  /** Paid, due at the bank and not reported yet. */
  expected: { id: string; dueOn: string; amountPaise: number }[]
}

const PAGE = 200

/** Holds ledger, orders and provider against each other and says what differs; changes nothing. */
export async function reconcile(
  ctx: PaymentContext,
  institute: Institute,
  onProgress?: (compared: number) => void,
): Promise<Reconciliation> {
  const differences = await findDifferences(ctx.db, institute.id)
  addAll(differences, await compareWithProvider(ctx, institute, onProgress))
  return {
    institute: institute.code,
    checks: [...CHECK_NAMES, PROVIDER_CHECK],
    differences,
    expected: await listOverdue(ctx.db, institute.id, dayOf(ctx.clock.now())),
  }
}

export type BooksCheck = { check: string; differences: { subject: string; detail: string }[] }

/** The same without asking the provider about every payment: what our own books say of each other. */
export async function checkBooks(
  { db }: { readonly db: Queryable },
  institute: Pick<Institute, 'id'>,
): Promise<BooksCheck[]> {
  const found = await findDifferences(db, institute.id)
  return CHECK_NAMES.map(check => ({ check, differences: found.filter(one => one.check === check) }))
}

const PROVIDER_CHECK = 'the provider says of every payment what we say'

async function compareWithProvider(
  ctx: PaymentContext,
  institute: Institute,
  onProgress: ((compared: number) => void) | undefined,
): Promise<Difference[]> {
  const differences: Difference[] = []
  // A provider that does not answer is asked once; what it would have said is not known, and the rest is.
  const unreachable = new Set<string>()
  let compared = 0
  for (let after = ''; ;) {
    const payments = await listToCompare(ctx.db, institute.id, { after, limit: PAGE })
    if (payments.length === 0) return differences
    for (const payment of payments) {
      if (unreachable.has(payment.accountId)) continue
      try {
        addAll(differences, await compareOne(ctx, institute.id, payment))
      } catch (error) {
        if (!(error instanceof Error)) throw error
        unreachable.add(payment.accountId)
        const detail = `could not be asked: ${reasonOf(error)}`
        differences.push({ check: PROVIDER_CHECK, subject: `account ${payment.accountId}`, detail })
      }
    }
    after = payments.at(-1)?.id ?? ''
    compared += payments.length
    onProgress?.(compared)
  }
}

async function compareOne(
  ctx: PaymentContext,
  instituteId: number,
  compared: ComparedPayment,
): Promise<Difference[]> {
  const { id, state } = compared
  const kind = await askProvider(ctx, { ...compared, instituteId })
  // A payment under way here may have ended there already: the reconciler learns of that, and it is no difference.
  const isSettledHere = state === 'captured' || state === 'failed'
  if (!isSettledHere || (kind === 'captured') === (state === 'captured')) return []
  const detail = `${state} here, ${kind} at the provider`
  return [{ check: PROVIDER_CHECK, subject: id, detail }]
}

async function askProvider(
  ctx: PaymentContext,
  payment: ComparedPayment & { instituteId: number },
): Promise<PaymentOutcome['kind'] | 'unknown'> {
  // Nobody asked the provider for a transfer, so it knows it by its own number alone.
  if (await isUnasked(ctx.db, payment)) return (await askAboutCredit(ctx, payment))?.kind ?? 'unknown'
  const { outcome } = await (await providerOf(ctx, payment)).status(atProvider(payment))
  return outcome.kind
}

function reasonOf(error: Error): string {
  return error.cause instanceof Error ? `${error.message} ${error.cause.message}` : error.message
}

export type { NightlyCheck } from './nightly.rules.ts'

type NightlyContext = Pick<Context, 'db' | 'clock'> & { readonly log: Log }

/**
 * Holds the books of one institute against each other, those of the next one at the next call; answers how many were
 * checked. A process that dies on the way leaves the institute to the next after its lease.
 */
export async function checkNextBooks(ctx: NightlyContext): Promise<number> {
  const institute = await takeNext(ctx)
  if (institute === null) return 0
  const differences = await countDifferences(ctx, institute)
  await ctx.db.transaction(async tx => {
    const round = await lockRound(tx)
    if (round !== null && round.after < institute.id)
      await writeRound(tx, withChecked(round, institute, differences))
  })
  return 1
}

/** What the last complete round found; null: there was none yet. */
export async function readBooksCheck(db: Queryable): Promise<NightlyCheck | null> {
  return parseRound(await readSetting(db, 'books_check'))?.last ?? null
}

async function takeNext(ctx: NightlyContext): Promise<Institute | null> {
  const institutes = (await listInstitutes(ctx)).toSorted((one, other) => one.id - other.id)
  return ctx.db.transaction(async tx => {
    const now = ctx.clock.now()
    const round = await lockRound(tx)
    if (round === null) await writeRound(tx, firstRound(now))
    if (round === null || !isFree(round, now)) return null
    const next = institutes.find(({ id }) => id > round.after) ?? null
    await writeRound(tx, next === null ? completed(round, now) : leased(round, now))
    return next
  })
}

/** One whose books take too long, or cannot be read, keeps nobody else from being checked. */
async function countDifferences(ctx: NightlyContext, institute: Institute): Promise<number | null> {
  try {
    const differing = (await checkBooks(ctx, institute)).filter(({ differences }) => differences.length > 0)
    for (const { check, differences } of differing)
      ctx.log.error({ institute: institute.code, check, differences: differences.length }, 'the books differ')
    return differing.reduce((sum, { differences }) => sum + differences.length, 0)
  } catch (err) {
    ctx.log.error({ err, institute: institute.code }, 'the books could not be checked')
    return null
  }
}

async function lockRound(tx: Transaction): Promise<NightlyRound | null> {
  await lockSetting(tx, 'books_check')
  return parseRound(await readSetting(tx, 'books_check'))
}

async function writeRound(tx: Transaction, round: NightlyRound): Promise<void> {
  await writeSetting(tx, 'books_check', JSON.stringify(round))
}

function parseRound(text: string | null): NightlyRound | null {
  return text === null ? null : (JSON.parse(text) as NightlyRound)
}
