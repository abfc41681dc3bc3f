import { type Institute, branchFilter } from '../../institutes/institutes.rules.ts'
import { getInstitutesById } from '../../institutes/institutes.service.ts'
import { assertNever } from '../../platform/assert.ts'
import { BursarError, notFound, type FieldProblem } from '../../platform/errors.ts'
import { askErp, endpointOf, toFetch, type ErpEndpoint, type FetchedFor } from '../call.service.ts'
import type { ErpContext } from '../context.ts'
import { settingsFor } from '../settings/settings.rules.ts'
import { listSettings } from '../settings/settings.store.ts'
import {
  askedOf,
  YEAR_CHANGED,
  yearChangedMessage,
  type ErpAnswer,
  type ErpUser,
  type FoundAnswer,
  type RefusalCode,
  type Refused,
  type ScheduleRow,
  type UnavailableReason,
  fetchUrl,
  toAsked,
  type LookupValues,
  type NamedStudent,
  recordDifferences,
} from '../erp.rules.ts'
import * as store from './pull.store.ts'
import {
  branchAfter,
  decideUpdate,
  isOtherYear,
  type StoredStudent,
  type StudentChange,
  type SourceRecord,
} from '../../students/profile/profile.rules.ts'
import { readStoredStudents, readStudents, updateFromRecord } from '../../students/profile/update.service.ts'
import { mergeProfile, type Student } from '../../students/students.rules.ts'
import type { Context } from '../../platform/context.ts'
import { registerStudent } from '../../students/registration/register.service.ts'
import { getStudent, requireStudent, type StudentRecord } from '../../students/students.service.ts'
import { studentRecords } from '../../students/student.list.ts'
import { dayOf } from '../../platform/calendar.ts'
import type { Page, PageRange } from '../../platform/db/list.ts'
import { transact, type Command } from '../../platform/idempotency.ts'

export type { PullReason, Fetch } from './pull.store.ts'

export type PullRequest = { instituteId: number; studentId: string; reason: store.PullReason }

/** What came of pulling one student. What is stored of it is fresh after `found`, and counts so if `not_configured`. */
export type Pulled =
  /** The institute has no fetch URL: nothing was asked. */
  | { kind: 'not_configured' }
  | {
      kind: 'found'
      /** Another than asked about when a plan is set up and the ERP has gone on to the next academic year. */
      studentId: string
      fetchId: string
      /** Empty when the ERP said what was stored. */
      changes: readonly StudentChange[]
      /** Whether instalments follow the ERP's schedule; then there is one. */
      isCustomSchedule: boolean
      paymentSchedule: readonly ScheduleRow[] | null
      user: ErpUser | null
    }
  /** `code` as the ERP sent it, `actsAs` what to do about it; the message is for parents. Nothing was changed. */
  | { kind: 'refused'; fetchId: string; code: string; actsAs: RefusalCode; message: string }
  /** The message is for the people who run the ERP. */
  | {
      kind: 'unavailable'
      fetchId: string
      reason: UnavailableReason
      message: string
      problems: readonly FieldProblem[]
    }

/** Asks the ERP for a student and brings what is stored of it up to date. Not inside a transaction. */
export async function pullStudent(ctx: ErpContext, request: PullRequest): Promise<Pulled> {
  const [pulled] = await pullStudents(ctx, [request])
  if (pulled === undefined) throw new Error('one request has one result')
  return pulled
}

/**
 * The same for many; results in the order of the requests. ERPs are asked side by side, each as often at once as its
 * settings allow, and none waits for another's. A student of whom nothing changed costs no statement of its own: they
 * are read, and their log is written, a slice at a time. A student that changed is written by itself, in one
 * transaction with its log row. When it throws, some may have been pulled: to pull again is safe.
 */
export async function pullStudents(ctx: ErpContext, requests: readonly PullRequest[]): Promise<Pulled[]> {
  const results: Pulled[] = requests.map(() => ({ kind: 'not_configured' }))
  const numbered = requests.map((request, at) => ({ request, at }))
  const queues = Map.groupBy(numbered, ({ request }) => request.instituteId)
  await all(
    [...queues.values()].map(async queue => {
      const slices = slicesOf(queue).values()
      // All take from one iterator. While one slice is being written, the calls of the next keep the ERP busy.
      const runner = async (): Promise<void> => {
        for (const slice of slices) {
          const pulled = await pullSlice(
            ctx,
            slice.map(({ request }) => request),
          )
          for (const [index, one] of pulled.entries()) results[slice[index]?.at ?? -1] = one
        }
      }
      await all(Array.from({ length: SLICES_AT_ONCE }, runner))
    }),
  )
  return results
}

const SLICE = 250
const SLICES_AT_ONCE = 4

function slicesOf<Item>(items: readonly Item[]): Item[][] {
  const count = Math.ceil(items.length / SLICE)
  return Array.from({ length: count }, (_, n) => items.slice(n * SLICE, (n + 1) * SLICE))
}

/** Waits for every one, also when one fails: nothing goes on behind the caller's back. */
async function all(works: readonly Promise<void>[]): Promise<void> {
  const failure = (await Promise.allSettled(works)).find(end => end.status === 'rejected')
  if (failure !== undefined) throw failure.reason
}

async function pullSlice(ctx: ErpContext, requests: readonly PullRequest[]): Promise<Pulled[]> {
  const targets = await planTargets(ctx, requests)
  const asked = await Promise.allSettled(targets.map(async target => target && ask(ctx, target)))
  const answered = asked.map(one => (one.status === 'fulfilled' ? one.value : null))
  const results = await settle(
    ctx,
    answered.filter(one => one !== null),
  )
  // After the others are written down.
  const failure = asked.find(one => one.status === 'rejected')
  if (failure !== undefined) throw failure.reason
  return answered.map(one => (one === null ? null : results.get(one)) ?? { kind: 'not_configured' })
}

/** A student whose ERP is to be asked. */
type StudentToPull = FetchedFor & {
  studentId: string
  student: Student
  institute: Institute
  endpoint: ErpEndpoint
}
type AnsweredStudent = StudentToPull & { answer: ErpAnswer }
type AnsweredFound = StudentToPull & { answer: FoundAnswer }

/** Null for one whose institute has no ERP to ask. */
async function planTargets(
  ctx: ErpContext,
  requests: readonly PullRequest[],
): Promise<(StudentToPull | null)[]> {
  const ids = [...new Set(requests.map(request => request.instituteId))]
  const settings = await listSettings(ctx.db, ids)
  if (settings.length === 0) return requests.map(() => null)
  const [institutes, students] = await Promise.all([
    getInstitutesById(ctx, ids),
    readStudents(ctx.db, requests),
  ])
  const endpoints = new Map<unknown, ErpEndpoint>()
  const fetchedAt = ctx.clock.now()
  return requests.map((request, index) => {
    const student = students[index] ?? null
    const institute = institutes.find(one => one.id === request.instituteId)
    if (student === null || institute === undefined) throw notFound('This student')
    const own = settingsFor(
      settings.filter(one => one.instituteId === institute.id),
      student.collectorCode,
    )
    if (own === null) return null
    const endpoint = endpoints.get(own) ?? endpointOf(ctx, institute, own)
    endpoints.set(own, endpoint)
    return { ...request, identifier: student.identifier, fetchedAt, student, institute, endpoint }
  })
}

async function ask(ctx: ErpContext, target: StudentToPull): Promise<AnsweredStudent> {
  return { ...target, answer: await askErp(ctx, target.endpoint, askedOf(target.student), target.reason) }
}

async function settle(
  ctx: ErpContext,
  answered: readonly AnsweredStudent[],
): Promise<Map<AnsweredStudent, Pulled>> {
  const found = answered.filter((one): one is AnsweredFound => one.answer.kind === 'found')
  // After the calls: what was pushed while they were under way is part of what the answer is compared with.
  const stored = await readStoredStudents(ctx.db, found)
  const changed = found.filter((one, index) => isChanged(one, stored[index] ?? null))
  const isApart = new Set<AnsweredStudent>(changed)
  const results = new Map<AnsweredStudent, Pulled>()
  const fetches = answered.flatMap(one => {
    if (isApart.has(one)) return []
    const fetch = toFetch(one, one.answer, [])
    results.set(one, toPulled(one, one.answer, fetch.id, []))
    return [fetch]
  })
  await store.insertFetches(ctx.db, fetches)
  for (const one of changed) results.set(one, await applyChange(ctx, one))
  return results
}

function isChanged({ institute, answer }: AnsweredFound, stored: StoredStudent | null): boolean {
  if (stored === null) throw new Error('a student vanished')
  if (isOtherYear(stored.student, answer.record)) return true
  const branch = branchAfter(institute, stored.student, answer.record)
  return branch === null || decideUpdate(stored, answer.record, branch).changes.length > 0
}

async function applyChange(ctx: ErpContext, one: AnsweredFound): Promise<Pulled> {
  const { institute, student, answer, endpoint } = one
  const isOther = isOtherYear(student, answer.record)
  if (isOther && one.reason !== 'flex_setup') {
    const message = yearChangedMessage(student, answer.record.identity, endpoint.settings.lookup)
    return refuse(ctx, one, YEAR_CHANGED, message)
  }
  if (!isOther) return updateStored(ctx, one, student.id)
  try {
    return await updateStored(ctx, one, await registerNextYear(ctx, institute, student, answer.record))
  } catch (error) {
    // Such as a grade outside a closed catalogue: the record's mistake.
    if (!(error instanceof BursarError)) throw error
    return refuse(ctx, one, 'data_error', error.message)
  }
}

async function updateStored(ctx: ErpContext, one: AnsweredFound, studentId: string): Promise<Pulled> {
  const { institute, answer } = one
  let fetchId = ''
  const outcome = await updateFromRecord(ctx, {
    institute,
    studentId,
    record: answer.record,
    log(tx, changes) {
      const fetch = toFetch({ ...one, studentId }, answer, changes)
      fetchId = fetch.id
      return store.insertFetches(tx, [fetch])
    },
  })
  if (outcome.kind === 'updated') return toPulled({ ...one, studentId }, answer, fetchId, outcome.changes)
  return refuse(ctx, one, 'data_error', outcome.message)
}

async function refuse(ctx: ErpContext, one: AnsweredFound, code: string, message: string): Promise<Pulled> {
  const { httpStatus, durationMs } = one.answer
  const refused: Refused = { kind: 'refused', httpStatus, durationMs, code, actsAs: 'data_error', message }
  const fetch = toFetch(one, refused, [])
  await store.insertFetches(ctx.db, [fetch])
  return toPulled(one, refused, fetch.id, [])
}

function toPulled(
  { endpoint, studentId }: StudentToPull,
  answer: ErpAnswer,
  fetchId: string,
  changes: readonly StudentChange[],
): Pulled {
  switch (answer.kind) {
    case 'found': {
      const { paymentSchedule, user } = answer.record
      const isCustomSchedule = endpoint.settings.customSchedule
      return { kind: 'found', studentId, fetchId, changes, isCustomSchedule, paymentSchedule, user }
    }
    case 'refused': {
      const { code, actsAs, message } = answer
      return { kind: 'refused', fetchId, code, actsAs, message }
    }
    case 'unavailable': {
      const { reason, message, problems } = answer
      return { kind: 'unavailable', fetchId, reason, message, problems }
    }
    default:
      return assertNever(answer)
  }
}

/**
 * The record of the academic year that the ERP has gone on to: the one that is known of the same child, or a new one
 * under the same users. Its fees are brought up to date by the caller; last year's record stays as it is.
 */
async function registerNextYear(
  ctx: Context,
  institute: Institute,
  student: Student,
  record: SourceRecord,
): Promise<string> {
  const { registrationIds, otherYears } = await getStudent(ctx, institute, student.id)
  const ofYear = otherYears.filter(one => !isOtherYear({ ...student, ...one }, record))
  const known = ofYear.find(one => one.grade === record.identity.grade) ?? ofYear[0]
  if (known !== undefined) return known.id
  const { studentId } = await registerStudent(ctx, { instituteId: institute.id }, institute, {
    registrationIds,
    collectorCode: branchAfter(institute, student, record) ?? student.collectorCode,
    identity: { ...record.identity, identifier: student.identifier },
    profile: mergeProfile(student, record.profile),
    fees: [],
    payments: [],
  })
  return studentId
}

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
  const { rows } = await studentRecords.page(ctx, institute, named, { limit: 2 })
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
