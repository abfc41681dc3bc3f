import { knownHolidays } from '../../payments/holidays.service.ts'
import type { Database, Queryable, Transaction } from '../../platform/db/database.ts'
import { badFields } from '../../platform/errors.ts'
import type { Context } from '../../platform/context.ts'
import { lockSetting, readSetting, writeSetting } from '../../platform/db/instance-settings.ts'
import type { DebitRules } from '../rules/debit.rules.ts'
import { figuresOf, rulesWith, type Figures } from './figures.rules.ts'
import { STANDARD_RULES, type FlexRules } from '../rules/rails.rules.ts'

/** Reads what debits are made by at this moment: the figures, the holidays and the time. */
export async function readDebitRules(
  ctx: Pick<Context, 'db' | 'clock'>,
  tx?: Transaction,
): Promise<DebitRules> {
  const reader = tx ?? ctx.db
  const holidays = await knownHolidays(ctx.db, reader)
  return { rules: await knownRules(ctx.db, reader), holidays, now: ctx.clock.now() }
}

const KNOWN_FOR_MS = 10_000
const known = new WeakMap<Database, { rules: FlexRules; until: number }>()

/** Figures are read every few seconds of real time and not for each debit. */
async function knownRules(db: Database, reader: Queryable): Promise<FlexRules> {
  const remembered = known.get(db)
  if (remembered !== undefined && performance.now() < remembered.until) return remembered.rules
  const { rules } = rulesWith(await readFigures(reader))
  known.set(db, { rules, until: performance.now() + KNOWN_FOR_MS })
  return rules
}

export async function listFigures({ db }: Context): Promise<{ now: Figures; standard: Figures }> {
  const { rules } = rulesWith(await readFigures(db))
  return { now: figuresOf(rules), standard: figuresOf(STANDARD_RULES) }
}

/** Changes these and leaves the rest. Processes that run know within seconds; what was announced goes its way. */
export async function setFigures({ db }: Context, change: Figures): Promise<Figures> {
  const figures = await db.transaction(async tx => {
    await lockSetting(tx, 'flex_figures')
    const after = { ...(await readFigures(tx)), ...change }
    const { rules, problems } = rulesWith(after)
    if (problems.length > 0) throw badFields(problems)
    await writeSetting(tx, 'flex_figures', JSON.stringify(after))
    return figuresOf(rules)
  })
  known.delete(db)
  return figures
}

async function readFigures(db: Queryable): Promise<Figures> {
  return JSON.parse((await readSetting(db, 'flex_figures')) ?? '{}') as Figures
}
