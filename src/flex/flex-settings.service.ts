import type { Institute } from '../institutes/institutes.rules.ts'
import { badFields, type FieldProblem } from '../platform/errors.ts'
import type { Ground } from '../platform/ground.ts'
import { readSettings, saveSettings, type FlexSettings } from './flex.store.ts'
import { STANDARD_PLAN } from './schedule.rules.ts'

export type { FlexSettings } from './flex.store.ts'

export const STANDARD_SETTINGS: FlexSettings = { ...STANDARD_PLAN, productName: 'Fee instalments' }

/** What a plan of this institute looks like when nobody sends a schedule. */
export async function getFlexSettings({ db }: Ground, institute: Institute): Promise<FlexSettings> {
  return (await readSettings(db, institute.id)) ?? STANDARD_SETTINGS
}

/** Changes what is given and leaves the rest; plans that there are stay as they are. */
export async function setFlexSettings(
  { db }: Ground,
  institute: Institute,
  change: Partial<FlexSettings>,
): Promise<FlexSettings> {
  return db.transaction(async tx => {
    const settings = { ...((await readSettings(tx, institute.id)) ?? STANDARD_SETTINGS), ...change }
    const problems = problemsOf(settings)
    if (problems.length > 0) throw badFields(problems)
    await saveSettings(tx, institute.id, settings)
    return settings
  })
}

function problemsOf({ instalments, dayOfMonth, downpaymentPercent }: FlexSettings): FieldProblem[] {
  return [
    ...within('instalments', instalments, [1, 36]),
    // Every month has these days.
    ...within('day_of_month', dayOfMonth, [1, 28]),
    ...within('downpayment_percent', downpaymentPercent, [0, 90]),
  ]
}

function within(key: string, value: number, [least, most]: readonly [number, number]): FieldProblem[] {
  if (Number.isInteger(value) && value >= least && value <= most) return []
  return [{ key, message: `must be a whole number from ${least} to ${most}` }]
}
