import type { Institute } from '../../institutes/institutes.rules.ts'
import { listInstitutes } from '../../institutes/institutes.service.ts'
import type { Context } from '../../platform/context.ts'
import type { Queryable, Transaction } from '../../platform/db/database.ts'
import { lockSetting, readSetting, writeSetting } from '../../platform/db/instance-settings.ts'
import type { Log } from '../../platform/log.ts'
import {
  completed,
  firstRound,
  isFree,
  leased,
  withChecked,
  type BooksCheck,
  type Round,
} from './nightly.rules.ts'
import { checkBooks } from './reconcile.service.ts'

export type { BooksCheck } from './nightly.rules.ts'

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
export async function readBooksCheck(db: Queryable): Promise<BooksCheck | null> {
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

async function lockRound(tx: Transaction): Promise<Round | null> {
  await lockSetting(tx, 'books_check')
  return parseRound(await readSetting(tx, 'books_check'))
}

async function writeRound(tx: Transaction, round: Round): Promise<void> {
  await writeSetting(tx, 'books_check', JSON.stringify(round))
}

function parseRound(text: string | null): Round | null {
  return text === null ? null : (JSON.parse(text) as Round)
}
