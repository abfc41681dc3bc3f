import { branchFilter, type Institute } from '../../institutes/institutes.rules.ts'
import { dayOf } from '../../platform/calendar.ts'
import type { Page, PageRange } from '../../platform/db/list.ts'
import type { Context } from '../../platform/context.ts'
import type { FieldProblem } from '../../platform/errors.ts'
import { transact, type Command } from '../../platform/idempotency.ts'
import { askErp, endpointOf, toFetch } from '../call.service.ts'
import type { ErpContext } from '../context.ts'
import { settingsFor } from '../settings/settings.rules.ts'
import { listSettings } from '../settings/settings.store.ts'
import {
  askedOf,
  fetchUrl,
  toAsked,
  type LookupValues,
  type ErpAnswer,
  type NamedStudent,
} from '../erp.rules.ts'
import { recordDifferences } from './differences.rules.ts'
import * as store from './pull.store.ts'
import { listStudents, requireStudent, type StudentRecord } from '../../students/students.service.ts'

export type { Fetch } from './pull.store.ts'

export type FetchTest =
  | { kind: 'not_configured' }
  /** `url`: what was asked, without credentials. */
  | { kind: 'asked'; url: string; answer: ErpAnswer; differences: readonly FieldProblem[] }

/**
 * Asks the ERP as a pull would and tells what came back; nothing is stored but the log's row. A person waits for it,
 * perhaps while mending the ERP, so it is made even while the ERP is left alone otherwise.
 */
export async function testFetch(
  ctx: ErpContext,
  command: Command<FetchTest>,
  institute: Institute,
  named: NamedStudent,
): Promise<FetchTest> {
  const { collectorCode: sent } = named
  const branch = branchFilter(institute, sent)
  const known = await findOne(ctx, institute, named)
  const student = known?.student ?? null
  const all = await listSettings(ctx.db, [institute.id])
  const settings = settingsFor(all, branch ?? student?.collectorCode)
  if (settings === null) return transact(ctx.db, command, async () => ({ kind: 'not_configured' }))
  // What the caller left out is taken from the student, so that the ERP is asked what a pull would ask.
  const whole: LookupValues = { ...(student === null ? {} : askedOf(student)), ...toAsked(named) }
  const fetchedAt = ctx.clock.now()
  const answer = await askErp(ctx, endpointOf(ctx, institute, settings), whole, 'test')
  const fetchedFor = {
    instituteId: institute.id,
    studentId: student?.id ?? null,
    identifier: named.identifier,
    reason: 'test' as const,
    fetchedAt,
  }
  const rows = settings.customSchedule && answer.kind === 'found' ? answer.record.paymentSchedule : null
  const ofPlan =
    student === null || rows === null
      ? []
      : await ctx.erp.findPlanDifferences({ instituteId: institute.id, studentId: student.id }, rows)
  const ofRecord =
    answer.kind === 'found'
      ? recordDifferences(answer.record, {
          branches: institute.branches,
          student: known && { hasFees: known.fees.some(fee => fee.feePaise > 0), paid: known.paid },
          isCustomSchedule: settings.customSchedule,
          today: dayOf(fetchedAt),
        })
      : []
  const differences = [...ofRecord, ...ofPlan]
  return transact(ctx.db, command, async tx => {
    await store.insertFetches(tx, [toFetch(fetchedFor, answer, [])])
    return { kind: 'asked', url: fetchUrl(settings.url, settings.lookup, whole), answer, differences }
  })
}

/** The student that is meant, if there is exactly one. */
async function findOne(
  ctx: Context,
  institute: Institute,
  { customIdentifier: _second, ...named }: NamedStudent,
): Promise<StudentRecord | null> {
  const { rows } = await listStudents(ctx, institute, named, { limit: 2 })
  const [one, another] = rows
  return another === undefined ? (one ?? null) : null
}

/** Every time that a student's ERP was asked for it, newest first. */
export async function listStudentFetches(
  ctx: Context,
  institute: Institute,
  studentId: string,
  page: PageRange,
): Promise<Page<store.Fetch>> {
  const key = { instituteId: institute.id, studentId }
  await requireStudent(ctx, institute, studentId)
  return store.listFetches(ctx.db, key, page)
}
