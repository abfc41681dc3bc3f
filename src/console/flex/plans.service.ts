import type { FlexContext } from '../../flex/context.ts'
import { readPlan } from '../../flex/plans/plan-reads.service.ts'
import { withAttempts } from '../../flex/plans/plan.schemas.ts'
import { debitContextOf } from '../../flex/rules/debit.rules.ts'
import type { Instalment, LoadedPlan } from '../../flex/rules/plan.rules.ts'
import { readDebitRules } from '../../flex/settings/settings.service.ts'
import type { Institute } from '../../institutes/institutes.rules.ts'
import { assert } from '../../platform/assert.ts'
import type { Page, PageRange } from '../../platform/db/list.ts'
import type { Context } from '../../platform/context.ts'
import { readableComponent } from '../../platform/names.ts'
import type { Report } from '../reports/export.service.ts'
import { count, day, money, text, type Column } from '../reports/reports.rules.ts'
import { statusOf } from './flex.rules.ts'
import { nextStepText, planObstacle } from './flex.texts.ts'
import type { PlanDetail } from './plans.output.ts'
import * as store from './plans.store.ts'
import { toWordQuery } from '../students/students.rules.ts'

export { PLAN_SORTING } from './plans.store.ts'

type WantedPlans = Omit<store.PlanFilter, 'search' | 'isHeld'> & {
  typed?: string | undefined
  held?: 'yes' | 'no' | undefined
}

function filterOf(institute: Institute, { typed, held, ...wanted }: WantedPlans): store.PlanFilter {
  const search =
    typed === undefined ? undefined : { typed: typed.trim(), words: toWordQuery(institute.id, typed) }
  return { ...wanted, isHeld: held === undefined ? undefined : held === 'yes', search }
}

export async function listPlans(
  { db }: Context,
  institute: Institute,
  wanted: WantedPlans,
  page: PageRange,
): Promise<Page<store.PlanRow>> {
  return store.listPlans(db, institute.id, filterOf(institute, wanted), page)
}

const COLUMNS: readonly Column<store.PlanRow>[] = [
  text('Student', row => row.student.fullname),
  text('Admission no.', row => row.student.identifier),
  text('Grade', row => row.student.grade),
  text('Status', row => readableComponent(row.status.toUpperCase())),
  text('Held', row => (row.isHeld ? 'Yes' : 'No')),
  money('Total', row => row.totalPaise),
  money('Paid', row => row.paidPaise),
  count('Instalments', row => row.instalments),
  count('Paid instalments', row => row.paidInstalments),
  count('Bounced', row => row.bounced),
  day('Next debit', row => row.nextOn),
  money('Next amount', row => row.nextPaise),
  text('Branch', row => row.collectorCode),
  text('UMRN', row => row.umrn),
  text('Plan', row => row.id),
]

export function plansReport(institute: Institute, wanted: WantedPlans): Report<store.PlanRow> {
  const filter = filterOf(institute, wanted)
  return {
    name: 'plans',
    title: 'Plans',
    query: store.plansQuery(institute.id, filter),
    counted: store.countedPlans(institute.id, filter),
    columns: COLUMNS,
  }
}

const NEWEST = 200

/** A plan with everything that was tried, decided, told and done. */
export async function readPlanDetail(
  flex: FlexContext,
  institute: Institute,
  planId: string,
): Promise<PlanDetail> {
  const [loaded, student, entries, debitRules] = await Promise.all([
    readPlan(flex, institute, planId),
    store.readPlanStudent(flex.db, institute.id, planId),
    store.readTimeline(flex.db, institute.id, planId, NEWEST),
    readDebitRules(flex),
  ])
  assert(student !== null, 'a plan has a student')
  const planned = withAttempts(loaded).map(one => {
    const presentedAt = one.attempts.at(-1)?.presentedAt ?? null
    const context = debitContextOf(loaded, one, debitRules)
    return { ...one, plan: loaded.plan, next: nextTextOf(loaded, one, { context, presentedAt }) }
  })
  return { ...loaded, student, obstacle: planObstacle(loaded.plan), planned, entries }
}

function nextTextOf(
  { plan }: LoadedPlan,
  instalment: Instalment,
  known: Pick<Parameters<typeof nextStepText>[0], 'context' | 'presentedAt'>,
): string {
  if (instalment.isDownpayment && instalment.state === 'scheduled')
    return 'The family pays it online when it sets the plan up.'
  if (plan.state === 'draft') return 'Nothing happens before the family has set the plan up.'
  const status = statusOf(instalment, plan)
  // The page says once why the plan waits.
  if (status === 'stopped') return 'Waits until the plan goes on.'
  return status === 'cancelled' ? 'Nothing is debited: it was cancelled.' : nextStepText({ status, ...known })
}
