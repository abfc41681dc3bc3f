import { checkCatalogue, joinCatalogue, type CodeInUse } from '../../institutes/catalogue.service.ts'
import { knownBranch, type Institute } from '../../institutes/institutes.rules.ts'
import { newEvent } from '../../events/define-event.ts'
import { recordEvents } from '../../events/events.service.ts'
import { dayOf } from '../../platform/calendar.ts'
import type { Transaction } from '../../platform/db/database.ts'
import { badFields, conflict, notFound, type BursarError } from '../../platform/errors.ts'
import type { Context } from '../../platform/context.ts'
import { transact, type Command } from '../../platform/idempotency.ts'
import { decideProfile, type SentProfile } from './profile.rules.ts'
import { insertProfileChanges, listProfileChanges, type ProfileChange } from './changes.store.ts'
import { studentEvents } from '../student.events.ts'
import { readStudentContexts } from '../student-contexts.service.ts'
import { changesBetween, type StudentChange } from './update.rules.ts'
import { birthProblems, type Student } from '../students.rules.ts'
import { applyToArrived } from '../structures/apply-structure.service.ts'
import * as store from '../students.store.ts'

export type { ProfileChange } from './changes.store.ts'

/** `isByOffice`: by a person, who may be kept from editing what the ERP keeps. */
type Target = { institute: Institute; id: string; isByOffice?: boolean }

export type ChangedProfile = { record: store.StudentRecord; changes: StudentChange[] }

/**
 * Corrects what is known of a student. It stays the same student under the same id, with its fees, payments and their
 * history, also when grade, branch or identifier change. Whom the office puts into another class gets the fees of that
 * class where the structure set them; the ERP sends the fees of its students itself.
 */
export async function changeProfile(
  ctx: Context,
  command: Command<ChangedProfile>,
  { institute, id, isByOffice = false }: Target,
  sent: SentProfile,
): Promise<ChangedProfile> {
  const born = birthProblems(sent.dateOfBirth, dayOf(ctx.clock.now()), 'date_of_birth')
  if (born.length > 0) throw badFields(born)
  const codes: CodeInUse[] =
    sent.grade === undefined ? [] : [{ kind: 'grade', code: sent.grade, key: 'grade' }]
  try {
    return await transact(ctx.db, command, async tx => {
      await checkCatalogue(tx, institute, codes)
      await joinCatalogue(tx, institute, codes)
      const stored = await lock(tx, institute, id)
      if (isByOffice && stored.origin === 'erp' && institute.locksErpStudents) throw conflict(KEPT_BY_ERP)
      if (sent.collectorCode !== undefined) knownBranch(institute, sent.collectorCode, 'collector_code')
      const decision = decideProfile(stored, sent)
      if (decision.kind === 'invalid') throw badFields(decision.problems)
      if (decision.kind === 'other_year') throw conflict(OTHER_YEAR, { service_student_id: id })
      let changes: StudentChange[] = []
      if (decision.kind === 'changed') {
        const { student, isIdentityChanged } = decision
        const other = isIdentityChanged ? await store.findIdentical(tx, institute.id, student) : null
        if (other !== null) throw identityTaken({ service_student_id: other })
        const changedAt = ctx.clock.now()
        await store.updateStudent(tx, institute.id, student, changedAt)
        changes = changesBetween(stored, student)
        const change = { studentId: id, changes }
        await insertProfileChanges(tx, institute.id, { changedAt, source: 'update' }, [change])
        if (isByOffice && stored.origin !== 'erp' && student.grade !== stored.grade)
          await applyToArrived(tx, { institute, now: changedAt }, [{ id, year: student }])
      }
      return { record: await read(tx, institute, id), changes }
    })
  } catch (error) {
    // Another got it between our look and our write.
    throw store.isIdentityClash(error) ? identityTaken() : error
  }
}

const KEPT_BY_ERP = 'The ERP keeps this student, and such students are locked. Change it in the ERP.'

const OTHER_YEAR =
  'The academic year of a student cannot be changed: a new academic year is a new student record. ' +
  'Register the student for that year, or roll the academic year over.'

const MOST_CHANGES = 100

/** What registrations, corrections and imports changed of a student, newest first. */
export async function listChanges(ctx: Context, { institute, id }: Target): Promise<ProfileChange[]> {
  if (!(await store.hasStudent(ctx.db, institute.id, id))) throw notFound('This student')
  return listProfileChanges(ctx.db, { instituteId: institute.id, studentId: id }, MOST_CHANGES)
}

/** Marks a student dropped, or active again; the event tells of the change, so a repeat has none. */
export async function changeStatus(
  ctx: Context,
  command: Command<store.StudentRecord>,
  { institute, id }: Target,
  status: Student['status'],
): Promise<store.StudentRecord> {
  return transact(ctx.db, command, async tx => {
    const { status: before, collectorCode } = await lock(tx, institute, id)
    if (before === status) return read(tx, institute, id)
    const now = ctx.clock.now()
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
  })
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
