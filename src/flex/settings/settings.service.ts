import type { Institute } from '../../institutes/institutes.rules.ts'
import type { Queryable, Database, Transaction } from '../../platform/db/database.ts'
import { badFields, type FieldProblem } from '../../platform/errors.ts'
import type { Context } from '../../platform/context.ts'
import { transact, type Command } from '../../platform/idempotency.ts'
import { checkCatalogue } from '../../institutes/catalogue.service.ts'
import { mayBeCharged } from '../rules/charge.rules.ts'
import { STANDARD_PLAN, type FlexSettings } from '../rules/schedule.rules.ts'
import { readSettings, saveSettings } from './settings.store.ts'
import { knownHolidays } from '../../payments/holidays.service.ts'
import { lockSetting, readSetting, writeSetting } from '../../platform/db/instance-settings.ts'
import type { DebitRules } from '../rules/debit.rules.ts'
import { figuresOf, rulesWith, type Figures } from './figures.rules.ts'
import { STANDARD_RULES, type FlexRules } from '../rules/rails.rules.ts'

const STANDARD_SETTINGS: FlexSettings = {
  ...STANDARD_PLAN,
  productName: 'Fee instalments',
  chargeComponents: [],
}

/** What a plan of this institute looks like when nobody sends a schedule. */
export async function getFlexSettings(
  { db }: { db: Queryable },
  institute: Institute,
): Promise<FlexSettings> {
  return (await readSettings(db, institute.id)) ?? STANDARD_SETTINGS
}

/** Changes what is given and leaves the rest; plans that there are stay as they are. */
export async function setFlexSettings(
  ctx: Context,
  institute: Institute,
  change: Partial<FlexSettings>,
): Promise<FlexSettings> {
  return (await changeFlexSettings(ctx, { instituteId: institute.id }, institute, change)).after
}

export type SettingsChange = { before: FlexSettings; after: FlexSettings }

/** The same as an command, which leaves behind what was before. */
export async function changeFlexSettings(
  { db }: Context,
  command: Command<SettingsChange>,
  institute: Institute,
  change: Partial<FlexSettings>,
): Promise<SettingsChange> {
  return transact(db, command, async tx => {
    const before = await getFlexSettings({ db: tx }, institute)
    const offered = [...new Set(change.offered ?? before.offered)].toSorted((one, other) => one - other)
    const chargeComponents = [...new Set(change.chargeComponents ?? before.chargeComponents)]
    const after = { ...before, ...change, offered, chargeComponents }
    const problems = problemsOf(after)
    if (problems.length > 0) throw badFields(problems)
    const codes = chargeComponents.map((code, index) => {
      return { kind: 'component' as const, code, key: `charge_components.${index}` }
    })
    await checkCatalogue(tx, institute, codes)
    await saveSettings(tx, institute.id, after)
    return { before, after }
  })
}

const MOST_OFFERED = 6
const MOST_CHARGE_COMPONENTS = 10

function problemsOf(settings: FlexSettings): FieldProblem[] {
  const { instalments, dayOfMonth, downpaymentPercent, offered, chargeComponents } = settings
  return [
    ...within('instalments', instalments, [1, 36]),
    // Every month has these days.
    ...within('day_of_month', dayOfMonth, [1, 28]),
    ...within('downpayment_percent', downpaymentPercent, [0, 90]),
    ...offered.flatMap((count, index) => within(`offered.${index}`, count, [1, 36])),
    ...(offered.length > MOST_OFFERED
      ? [{ key: 'offered', message: `can be at most ${MOST_OFFERED}, so that a parent sees them all` }]
      : []),
    ...(chargeComponents.length > MOST_CHARGE_COMPONENTS
      ? [
          {
            key: 'charge_components',
            message: `can be at most ${MOST_CHARGE_COMPONENTS}, so that a parent sees them all`,
          },
        ]
      : []),
    ...chargeComponents.flatMap((code, index) =>
      mayBeCharged(code)
        ? []
        : [{ key: `charge_components.${index}`, message: 'is kept by Bursar itself: use another fee' }],
    ),
  ]
}

function within(key: string, value: number, [least, most]: readonly [number, number]): FieldProblem[] {
  if (Number.isInteger(value) && value >= least && value <= most) return []
  return [{ key, message: `must be a whole number from ${least} to ${most}` }]
}

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
