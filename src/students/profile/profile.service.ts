import { checkCatalogue, joinCatalogue, type CodeInUse } from '../../institutes/catalogue.service.ts'
import { knownBranch, type Institute } from '../../institutes/institutes.rules.ts'
import { newEvent } from '../../events/define-event.ts'
import { recordEvents } from '../../events/events.service.ts'
import { dayOf } from '../../platform/calendar.ts'
import type { Transaction } from '../../platform/db/database.ts'
import { badFields, conflict, notFound, type BursarError } from '../../platform/errors.ts'
import type { Context } from '../../platform/context.ts'
import { transact, type Command } from '../../platform/idempotency.ts'
import { decideProfile, changesBetween, type SentProfile, type StudentChange } from './profile.rules.ts'
import { insertProfileChanges, listProfileChanges, type ProfileChange } from './profile.store.ts'
import { studentEvents } from '../student.events.ts'
import { readStudentContexts } from '../student-contexts.service.ts'
import { birthProblems, type Student } from '../students.rules.ts'
import { differInFees } from '../../fees/structures/structures.service.ts'
import { applyToArrived } from '../structures/apply-structure.service.ts'
import { NO_EFFECT, type Effect } from '../structures/plan-students.service.ts'
import * as store from '../students.store.ts'

export type { ProfileChange } from './profile.store.ts'

/** `isByOffice`: by a person, who may be kept from editing what the ERP keeps. */
type EditedStudent = { institute: Institute; id: string; isByOffice?: boolean }

export type ChangedProfile = {
  record: store.StudentRecord
  changes: StudentChange[]
  /** The effect of the fees of another class. */
  effect: Effect
}

/**
 * Corrects what is known of a student. It stays the same student under the same id, with its fees, payments and their
 * history, also when grade, branch or identifier change. Whom the office puts into another class, or a branch that costs
 * something else, gets the fees of that class where the structure set them; the ERP sends the fees of its students itself.
 */
export async function changeProfile(
  ctx: Context,
  command: Command<ChangedProfile>,
  target: EditedStudent,
  sent: SentProfile,
): Promise<ChangedProfile> {
  return knowingClashes(() => transact(ctx.db, command, tx => changeIn(tx, ctx, target, sent)))
}

async function changeIn(
  tx: Transaction,
  { clock }: Pick<Context, 'clock'>,
  { institute, id, isByOffice = false }: EditedStudent,
  sent: SentProfile,
): Promise<ChangedProfile> {
  const now = clock.now()
  const born = birthProblems(sent.dateOfBirth, dayOf(now), 'date_of_birth')
  if (born.length > 0) throw badFields(born)
  const codes: CodeInUse[] =
    sent.grade === undefined ? [] : [{ kind: 'grade', code: sent.grade, key: 'grade' }]
  await checkCatalogue(tx, institute, codes)
  await joinCatalogue(tx, institute, codes)
  const stored = await lock(tx, institute, id)
  if (isByOffice && stored.origin === 'erp' && institute.locksErpStudents) throw conflict(KEPT_BY_ERP)
  if (sent.collectorCode !== undefined) knownBranch(institute, sent.collectorCode, 'collector_code')
  const decision = decideProfile(stored, sent)
  if (decision.kind === 'invalid') throw badFields(decision.problems)
  if (decision.kind === 'other_year') throw conflict(OTHER_YEAR, { service_student_id: id })
  if (decision.kind === 'unchanged')
    return { record: await read(tx, institute, id), changes: [], effect: NO_EFFECT }
  const { student, isIdentityChanged } = decision
  const other = isIdentityChanged ? await store.findIdentical(tx, institute.id, student) : null
  if (other !== null) throw identityTaken({ service_student_id: other })
  await store.updateStudent(tx, institute.id, student, now)
  const changes = changesBetween(stored, student)
  await insertProfileChanges(tx, institute.id, { changedAt: now, source: 'update' }, [
    { studentId: id, changes },
  ])
  const isPriced =
    isByOffice && stored.origin !== 'erp' && (await hasOtherFees(tx, institute, stored, student))
  const effect = isPriced ? await applyToArrived(tx, { institute, now }, [{ id, year: student }]) : NO_EFFECT
  return { record: await read(tx, institute, id), changes, effect }
}

async function hasOtherFees(
  tx: Transaction,
  institute: Institute,
  before: Student,
  after: Student,
): Promise<boolean> {
  if (after.grade !== before.grade) return true
  if (after.collectorCode === before.collectorCode) return false
  return differInFees(tx, institute.id, after, [before.collectorCode, after.collectorCode])
}

/** Another got the identity between our look and our write. */
async function knowingClashes<Result>(change: () => Promise<Result>): Promise<Result> {
  try {
    return await change()
  } catch (error) {
    throw store.isIdentityClash(error) ? identityTaken() : error
  }
}

const KEPT_BY_ERP = 'The ERP keeps this student, and such students are locked. Change it in the ERP.'

const OTHER_YEAR =
  'The academic year of a student cannot be changed: a new academic year is a new student record. ' +
  'Register the student for that year, or roll the academic year over.'

const MOST_CHANGES = 100

/** What registrations, corrections and imports changed of a student, newest first. */
export async function listChanges(ctx: Context, { institute, id }: EditedStudent): Promise<ProfileChange[]> {
  if (!(await store.hasStudent(ctx.db, institute.id, id))) throw notFound('This student')
  return listProfileChanges(ctx.db, { instituteId: institute.id, studentId: id }, MOST_CHANGES)
}

/**
 * Marks a student dropped, or active again; the event tells of the change, so a repeat has none. The plans of who leaves are
 * ended by the caller (`leaving/status.service.ts`).
 */
export async function changeStatusWithin(
  tx: Transaction,
  { clock }: Pick<Context, 'clock'>,
  { institute, id }: EditedStudent,
  status: Student['status'],
): Promise<store.StudentRecord> {
  const { status: before, collectorCode } = await lock(tx, institute, id)
  if (before === status) return read(tx, institute, id)
  const now = clock.now()
  await store.updateStatus(tx, institute.id, id, { status, updatedAt: now })
  const context = (await readStudentContexts(tx, [{ instituteId: institute.id, studentId: id }])).get(id)
  if (context === undefined) throw notFound('This student')
  await recordEvents(tx, [
    newEvent(
      studentEvents,
      status === 'dropped' ? 'masterdata.student.dropped' : 'masterdata.student.activated',
      { instituteId: institute.id, collectorCode, resourceId: id, occurredAt: now },
      context,
    ),
  ])
  return read(tx, institute, id)
}

async function lock(tx: Transaction, institute: Institute, id: string): Promise<Student> {
  const student = await store.lockStudent(tx, institute.id, id)
  if (student === null) throw notFound('This student')
  return student
}

async function read(tx: Transaction, institute: Institute, id: string): Promise<store.StudentRecord> {
  const record = await store.readRecord(tx, institute.id, id)
  if (record === null) throw notFound('This student')
  return record
}

function identityTaken(other?: { service_student_id: string }): BursarError {
  return conflict(
    'Another student has this identifier in this grade, academic year and branch. Change that one first, or send others.',
    other,
  )
}
