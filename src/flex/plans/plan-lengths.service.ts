import type { Institute } from '../../institutes/institutes.rules.ts'
import { dayOf } from '../../platform/calendar.ts'
import { conflict, notFound } from '../../platform/errors.ts'
import type { Paise } from '../../platform/money.ts'
import { readStudentContexts } from '../../students/student-contexts.service.ts'
import type { FlexContext } from '../context.ts'
import { sumLines } from '../rules/lines.rules.ts'
import type { LoadedPlan } from '../rules/plan.rules.ts'
import { addDays } from '../rules/rails.rules.ts'
import { offeredLengths } from '../rules/schedule.rules.ts'
import { getFlexSettings } from '../settings/settings.service.ts'
import { defaultRows, FIRST_DUE_DAYS } from './draft-plan.ts'
import { getPlan } from './plan-reads.service.ts'
import { createPlan } from './plans.service.ts'

/** How long a plan may be, and what each month takes then. */
export type PlanLength = {
  instalments: number
  /** Each instalment but the last, which has what is left over. */
  amountPaise: Paise
  lastPaise: Paise
  firstOn: string
  lastOn: string
  isChosen: boolean
}

/** None when there is nothing to choose: the plan is not the institute's default, has begun, or has one length alone. */
export async function listLengths(
  ctx: FlexContext,
  institute: Institute,
  loaded: LoadedPlan,
): Promise<PlanLength[]> {
  const lengths = await readFitting(ctx, institute, loaded)
  return lengths.length < 2 ? [] : lengths
}

/** Lengths that are offered and end inside the academic year. */
async function readFitting(
  ctx: FlexContext,
  institute: Institute,
  loaded: LoadedPlan,
): Promise<PlanLength[]> {
  if (!canChoose(loaded)) return []
  const { instituteId, studentId } = loaded.plan
  const student = (await readStudentContexts(ctx.db, [{ instituteId, studentId }])).get(studentId)
  if (student === undefined) throw notFound('This student')
  const settings = await getFlexSettings(ctx, institute)
  const today = dayOf(ctx.clock.now())
  const lengths = offeredLengths(settings, student.student, addDays(today, FIRST_DUE_DAYS))
  if (student.owed.length === 0) return []
  const now = loaded.instalments.filter(one => !one.isDownpayment).length
  return lengths.flatMap(instalments => {
    const rows = defaultRows({ student, settings, instalments, today }).filter(row => !row.isDownpayment)
    const [first] = rows
    const last = rows.at(-1)
    if (first === undefined || last === undefined) return []
    return [
      {
        instalments,
        amountPaise: sumLines(first.lines),
        lastPaise: sumLines(last.lines),
        firstOn: first.dueOn,
        lastOn: last.dueOn,
        isChosen: instalments === now,
      },
    ]
  })
}

/**
 * A draft of the institute's default plan was drawn when other lengths were offered, or more of the academic year was left:
 * it becomes the one that is offered now, so that nobody agrees to what is not. What the ERP or the office wrote stays.
 */
export async function redrawIfNotOffered(
  ctx: FlexContext,
  institute: Institute,
  loaded: LoadedPlan,
): Promise<void> {
  const lengths = await readFitting(ctx, institute, loaded)
  if (lengths.length === 0 || lengths.some(({ isChosen }) => isChosen)) return
  const { studentId } = loaded.plan
  await createPlan(ctx, { instituteId: institute.id }, institute, { studentId, rows: null })
}

/** Once money or a mandate is on its way the schedule stays. */
function canChoose({ plan, mandate, instalments }: LoadedPlan): boolean {
  const hasBegun = instalments.some(
    one => one.isDownpayment && (one.orderId !== null || one.state !== 'scheduled'),
  )
  return plan.state === 'draft' && plan.isDefault && !plan.isCustom && mandate === null && !hasBegun
}

/** Replaces the draft by one of that length. */
export async function chooseLength(
  ctx: FlexContext,
  institute: Institute,
  planId: string,
  instalments: number,
): Promise<void> {
  const loaded = await getPlan(ctx, institute, planId)
  const lengths = await listLengths(ctx, institute, loaded)
  if (!lengths.some(length => length.instalments === instalments))
    throw conflict('This number of instalments is not offered for this plan.')
  const { studentId } = loaded.plan
  await createPlan(ctx, { instituteId: institute.id }, institute, { studentId, rows: null, instalments })
}
