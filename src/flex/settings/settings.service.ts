import type { Institute } from '../../institutes/institutes.rules.ts'
import type { Queryable } from '../../platform/db/database.ts'
import { badFields, type FieldProblem } from '../../platform/errors.ts'
import type { Context } from '../../platform/context.ts'
import { transact, type Command } from '../../platform/idempotency.ts'
import { STANDARD_PLAN, type FlexSettings } from '../rules/schedule.rules.ts'
import { readSettings, saveSettings } from './settings.store.ts'

const STANDARD_SETTINGS: FlexSettings = { ...STANDARD_PLAN, productName: 'Fee instalments' }

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
    const after = { ...before, ...change, offered }
    const problems = problemsOf(after)
    if (problems.length > 0) throw badFields(problems)
    await saveSettings(tx, institute.id, after)
    return { before, after }
  })
}

const MOST_OFFERED = 6

function problemsOf({ instalments, dayOfMonth, downpaymentPercent, offered }: FlexSettings): FieldProblem[] {
  return [
    ...within('instalments', instalments, [1, 36]),
    // Every month has these days.
    ...within('day_of_month', dayOfMonth, [1, 28]),
    ...within('downpayment_percent', downpaymentPercent, [0, 90]),
    ...offered.flatMap((count, index) => within(`offered.${index}`, count, [1, 36])),
    ...(offered.length > MOST_OFFERED
      ? [{ key: 'offered', message: `can be at most ${MOST_OFFERED}, so that a parent sees them all` }]
      : []),
  ]
}

function within(key: string, value: number, [least, most]: readonly [number, number]): FieldProblem[] {
  if (Number.isInteger(value) && value >= least && value <= most) return []
  return [{ key, message: `must be a whole number from ${least} to ${most}` }]
}
