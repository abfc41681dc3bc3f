import { defaultBranch, knownBranch, type Institute } from '../institutes/institutes.rules.ts'
import { badField, BursarError, conflict, notFound } from '../platform/errors.ts'
import { askErp, endpointOf, toFetch, type FetchedFor } from './call.service.ts'
import type { ErpContext } from './context.ts'
import { settingsFor } from './settings/settings.rules.ts'
import { listSettings } from './settings/settings.store.ts'
import {
  askedOf,
  toAsked,
  type LookupValues,
  type ErpAnswer,
  type ErpRecord,
  type ErpUser,
  type NamedStudent,
  type Refused,
} from './erp.rules.ts'
import { listUsersOf, findOrMakeUser, linkUsers, type Person } from '../students/users/users.service.ts'
import { insertFetches } from './pull/pull.store.ts'
import { registerStudent } from '../students/registration/register.service.ts'
import { updateFromRecord } from '../students/profile/update.service.ts'
import { branchAfter, isOtherYear } from '../students/profile/profile.rules.ts'
import type { Student } from '../students/students.rules.ts'
import { studentRecords } from '../students/student.list.ts'
import { largestOf } from '../platform/lists.ts'

export type InitStudent = { studentId: string; registrationId: string }

type InitRequest = { ctx: ErpContext; institute: Institute; named: NamedStudent; branch: string | undefined }

/** What the ERP said, and how the log names it. */
type ErpReply = { request: InitRequest; answer: ErpAnswer; about: (studentId: string | null) => FetchedFor }

const MOST_CANDIDATES = 50

/**
 * The student and the user that an ERP redirects. The ERP is asked first, and what it answers holds: a student that is
 * known is brought up to date, one that is not is made, and so is the user of its phone and e-mail. Without an address
 * to ask at, both must be known already. Not inside a transaction.
 */
export async function pullForInit(
  ctx: ErpContext,
  institute: Institute,
  named: NamedStudent,
): Promise<InitStudent> {
  const branch = branchOf(institute, named.collectorCode)
  const request: InitRequest = { ctx, institute, named, branch }
  const candidates = await findCandidates(request)
  const meant = candidates.filter(student => isMeant(student, named))
  const only = ofNewestYear(meant)
  const all = await listSettings(ctx.db, [institute.id])
  const settings = settingsFor(all, branch ?? only?.collectorCode)
  if (settings === null) return stored(request, meant)
  const asked: LookupValues = {
    ...(only === null ? {} : askedOf(only)),
    ...toAsked({ ...named, collectorCode: branch }),
  }
  const fetchedAt = ctx.clock.now()
  const answer = await askErp(ctx, endpointOf(ctx, institute, settings), asked, 'init')
  const reply: ErpReply = {
    request,
    answer,
    about: studentId => ({
      instituteId: institute.id,
      studentId,
      identifier: named.identifier,
      reason: 'init',
      fetchedAt,
    }),
  }
  const { record, user } = await usable(reply, only)
  const known = chooseKnown(candidates, record, { institute, only })
  if (known === null) return create(reply, { record, user, home: settings.collectorCode ?? branch })
  await update(reply, known.id, record)
  return { studentId: known.id, registrationId: await linkTo(request, known.id, userOf(record, user)) }
}

/** An institute with one branch compares no branch codes. */
function branchOf(institute: Institute, sent: string | undefined): string | undefined {
  if (sent === undefined || institute.branches.length === 1) return undefined
  return knownBranch(institute, sent, 'student.collector_code')
}

async function findCandidates({ ctx, institute, named, branch }: InitRequest): Promise<Student[]> {
  const filter = { identifier: named.identifier, collectorCode: branch }
  const { rows } = await studentRecords.page(ctx, institute, filter, { limit: MOST_CANDIDATES })
  return rows.map(record => record.student)
}

function isMeant(student: Student, named: NamedStudent): boolean {
  return (
    isSame(named.grade, student.grade) &&
    isSame(named.academicYearStart, student.academicYearStart) &&
    isSame(named.academicYearEnd, student.academicYearEnd) &&
    isSame(named.customIdentifier, student.customIdentifier)
  )
}

/** The child's record of the newest academic year; null when several records share that year. */
function ofNewestYear(students: readonly Student[]): Student | null {
  const newest = largestOf(students.map(student => student.academicYearStart))
  const [one, another] = students.filter(student => student.academicYearStart === newest)
  return another === undefined ? (one ?? null) : null
}

/** A field that was not sent, or is not stored, contradicts nothing. */
function isSame<Value>(sent: Value | undefined, stored: Value | null): boolean {
  return sent === undefined || stored === null || sent === stored
}

/**
 * Nothing is asked, so what was registered counts as fresh: the parent in front of the screen is the student's primary
 * contact, or its only user. Of several users never just any: each sees all children of their own.
 */
async function stored(request: InitRequest, meant: readonly Student[]): Promise<InitStudent> {
  if (meant.length === 0) throw notFound('This student')
  const student = ofNewestYear(meant)
  if (student === null)
    throw badField(
      'student.identifier',
      'names several students; send grade, academic_year_start, academic_year_end or collector_code too',
    )
  const { ctx, institute } = request
  const [first, second] = await listUsersOf(ctx, { instituteId: institute.id, studentId: student.id })
  const isCertain = first !== undefined && (first.isContact || second === undefined)
  const { contactName: name, contactNumber: phone, contactEmail: email } = student
  const registrationId = isCertain
    ? first.registrationId
    : await linkTo(request, student.id, { name, phone, email })
  return { studentId: student.id, registrationId }
}

/** Answers a record that can be acted on; any other answer is logged and thrown as the caller's problem. */
async function usable(reply: ErpReply, only: Student | null): Promise<{ record: ErpRecord; user: ErpUser }> {
  const { answer, request, about } = reply
  if (answer.kind === 'found' && answer.record.user !== null)
    return { record: answer.record, user: answer.record.user }
  await insertFetches(request.ctx.db, [toFetch(about(only?.id ?? null), answer, [])])
  if (answer.kind === 'refused') throw conflict(answer.message, { erp_code: answer.code })
  if (answer.kind === 'unavailable')
    throw conflict(
      `Your fetch-student endpoint could not be used, so nothing was opened. ${answer.message}`,
      { erp_code: answer.reason },
    )
  throw conflict(
    'Your fetch-student endpoint answered without data.user. The init API needs its name and phone.',
    { erp_code: 'user_missing' },
  )
}

/**
 * The student that the record is about: the one of its identity; else the one that was meant, which has moved on to
 * another grade or branch of the same academic year as a pull would have it; else a new one.
 */
function chooseKnown(
  candidates: readonly Student[],
  record: ErpRecord,
  { institute, only }: { institute: Institute; only: Student | null },
): Student | null {
  const ofYear = candidates.filter(student => !isOtherYear(student, record))
  const same = ofYear.filter(
    student =>
      student.grade === record.identity.grade &&
      branchAfter(institute, student, record) === student.collectorCode,
  )
  const meant = ofYear.find(student => student.id === only?.id) ?? null
  if (same.length > 0) return same.length === 1 ? (same[0] ?? null) : meant
  return meant ?? (ofYear.length === 1 ? (ofYear[0] ?? null) : null)
}

async function update(reply: ErpReply, studentId: string, record: ErpRecord): Promise<void> {
  const { request, answer, about } = reply
  const outcome = await updateFromRecord(request.ctx, {
    institute: request.institute,
    studentId,
    record,
    log: (tx, changes) => insertFetches(tx, [toFetch(about(studentId), answer, changes)]),
  })
  if (outcome.kind === 'contradiction') throw await contradiction(reply, studentId, outcome.message)
}

async function create(
  reply: ErpReply,
  { record, user, home }: { record: ErpRecord; user: ErpUser; home: string | undefined },
): Promise<InitStudent> {
  const { ctx, institute, named } = reply.request
  const branch = branchAfter(institute, { collectorCode: home ?? defaultBranch(institute) }, record)
  if (branch === null)
    throw await contradiction(reply, null, erpMistake(`there is no branch ${record.collectorCode}`))
  const now = ctx.clock.now()
  const { registrationId } = await ctx.db.transaction(tx =>
    findOrMakeUser(tx, institute.id, userOf(record, user), now),
  )
  try {
    const { studentId } = await registerStudent(ctx, { instituteId: institute.id }, institute, {
      registrationIds: [registrationId],
      collectorCode: branch,
      identity: record.identity,
      profile: { ...record.profile, customIdentifier: named.customIdentifier ?? null },
      fees: record.fees.map(fee => ({ ...fee, discounts: [] })),
      payments: [],
    })
    await insertFetches(ctx.db, [toFetch(reply.about(studentId), reply.answer, [])])
    return { studentId, registrationId }
  } catch (error) {
    // A grade or component outside a closed catalogue is the record's mistake, not the caller's.
    const [problem] = error instanceof BursarError ? (error.problems ?? []) : []
    if (problem === undefined) throw error
    throw await contradiction(reply, null, erpMistake(`data.${problem.key} ${problem.message}`))
  }
}

function erpMistake(why: string): string {
  return `The school's data of this student need a correction: ${why}.`
}

/** The record contradicts what is known here: kept in the log as a refusal, as a pull does. */
async function contradiction(
  { request, answer, about }: ErpReply,
  studentId: string | null,
  message: string,
): Promise<BursarError> {
  const code = 'data_error'
  const { durationMs } = answer
  const refused: Refused = { kind: 'refused', httpStatus: 200, durationMs, code, actsAs: code, message }
  await insertFetches(request.ctx.db, [toFetch(about(studentId), refused, [])])
  return conflict(message, { erp_code: code })
}

function userOf(record: ErpRecord, user: ErpUser): Person {
  return { name: user.name, phone: user.phone, email: record.profile.contactEmail }
}

async function linkTo({ ctx, institute }: InitRequest, studentId: string, person: Person): Promise<string> {
  const now = ctx.clock.now()
  return ctx.db.transaction(async tx => {
    const { registrationId } = await findOrMakeUser(tx, institute.id, person, now)
    await linkUsers(tx, institute.id, [{ studentId, registrationId }], now)
    return registrationId
  })
}
