import { gradeName } from '../institutes/catalogue.service.ts'
import { defaultBranch } from '../institutes/institutes.rules.ts'
import { recordEvents, type NewEvent } from '../events/events.service.ts'
import type { Transaction } from '../platform/db/database.ts'
import { newId } from '../platform/ids.ts'
import type { StudentRow } from './import-rows.schemas.ts'
import { identityText, type ImportHandler, type ImportScene, type Outcome } from './import-scene.ts'
import {
  mergeStudent,
  twinProblem,
  type Placed,
  type RowProblem,
  type SaidStudent,
  type Unit,
} from './import-units.rules.ts'
import * as bulk from './imports-bulk.store.ts'
import { digestOfProfile } from '../students/registration/registration-digest.ts'
import { studentBlock } from '../students/student-blocks.ts'
import { insertProfileChanges } from '../students/profile/changes.store.ts'
import { changesBetween, type StudentChange } from '../students/profile/update.rules.ts'
import {
  isSomeoneElse,
  mergeProfile,
  pickRegistered,
  type Profile,
  type Student,
} from '../students/students.rules.ts'
import type { KnownStudent } from '../students/students.store.ts'

type SaidUnit = Unit<SaidStudent, StudentRow>

/** A student of the file, and what becomes of the one registered. */
type Plan = SaidUnit & { student: Student } & (
    | { kind: 'new'; isBranchAssumed: boolean; digest: Buffer }
    /** Its digest is set even when its profile is the same. */
    | { kind: 'known'; changes: StudentChange[]; digest: Buffer }
    | { kind: 'same' }
  )

/** A file of students: each row does what Register Student does, without fees and payments. */
export const studentImport: ImportHandler<'students'> = {
  codesOf: row => [{ kind: 'grade', code: row.identity.grade, column: 'grade' }],
  async judge(db, scene, groups, options) {
    const merged = groups.map(group => mergeStudent(group.filter(isRead)))
    const said = merged.flatMap(({ units }) => units)
    const identities = said.map(unit => unit.said.identity)
    const found = await bulk.findByIdentities(db, scene.institute.id, identities, options)
    const known = Map.groupBy(found, ({ student }) => identityText(student))
    const plans = new Map<string, Plan>()
    const problems = merged.flatMap(one => one.problems)
    for (const unit of said) {
      const decided = decide(scene, unit, known.get(identityText(unit.said.identity)) ?? [])
      const twin = Array.isArray(decided) ? undefined : plans.get(decided.student.id)
      if (Array.isArray(decided)) problems.push(...decided)
      else if (twin === undefined) plans.set(decided.student.id, decided)
      else problems.push(...unit.rows.map(({ rowNo }) => ({ rowNo, ...twinProblem(twin.rows) })))
    }
    return { problems, apply: tx => apply(tx, scene, [...plans.values()]) }
  },
}

function isRead(placed: Placed<StudentRow | null>): placed is Placed<StudentRow> {
  return placed.row !== null
}

function decide(scene: ImportScene, unit: SaidUnit, known: readonly KnownStudent[]): Plan | RowProblem[] {
  const { said, rows } = unit
  const { identity, profile, collectorCode } = said
  const branch = collectorCode ?? defaultBranch(scene.institute)
  const found = pickRegistered(known, collectorCode, branch)
  const digest = digestOfProfile(said)
  if (found === undefined) {
    const student: Student = {
      ...identity,
      ...profile,
      id: newId('student'),
      collectorCode: branch,
      status: 'active',
      createdAt: scene.now,
      updatedAt: scene.now,
    }
    return { ...unit, kind: 'new', student, isBranchAssumed: collectorCode === undefined, digest }
  }
  const { student } = found
  if (found.digest?.equals(digest) === true) return { ...unit, kind: 'same', student }
  if (isSomeoneElse(student, profile)) return rows.map(({ rowNo }) => ({ rowNo, ...SOMEONE_ELSE }))
  const { profile: after, isChanged } = mergeProfile(profileOf(student), profile)
  const updatedAt = isChanged ? scene.now : student.updatedAt
  const current = { ...student, ...after, updatedAt }
  return { ...unit, kind: 'known', student: current, changes: changesBetween(student, current), digest }
}

const SOMEONE_ELSE = {
  column: 'fullname',
  message:
    'and date_of_birth both differ from the registered student with this identifier, grade and year; correct one of them',
}

async function apply(tx: Transaction, scene: ImportScene, plans: readonly Plan[]): Promise<Outcome> {
  const { institute, now } = scene
  const added = plans.filter(plan => plan.kind === 'new')
  await bulk.insertStudents(
    tx,
    institute.id,
    added.map(({ student, digest, isBranchAssumed }) => ({ ...student, digest, isBranchAssumed })),
  )
  const known = plans.filter(plan => plan.kind === 'known')
  await bulk.updateStudents(
    tx,
    institute.id,
    known.map(({ student, digest }) => ({ ...student, digest })),
  )
  const changed = known.map(({ student, changes }) => ({ studentId: student.id, changes }))
  await insertProfileChanges(tx, institute.id, { changedAt: now, source: 'import' }, changed)
  const users = plans.flatMap(({ said }) =>
    said.registrationIds.map(registrationId => ({ ...said, registrationId })),
  )
  await bulk.ensureUsers(tx, institute.id, users.map(toUser), now)
  const links = plans.flatMap(({ said, student }) =>
    said.registrationIds.map(registrationId => ({ studentId: student.id, registrationId })),
  )
  const linked = await bulk.linkUsers(tx, institute.id, links, now)
  await recordEvents(tx, await eventsOf(tx, scene, added))
  return countRows(plans, new Set(linked.map(link => `${link.studentId} ${link.registrationId}`)))
}

function toUser({ registrationId, profile }: StudentRow): bulk.NewUser {
  const { contactName: name, contactNumber: phone, contactEmail: email } = profile
  return { id: newId('user'), registrationId, name, phone, email }
}

async function eventsOf(tx: Transaction, scene: ImportScene, added: readonly Plan[]): Promise<NewEvent[]> {
  const { institute, now, gradeNames } = scene
  const events: NewEvent[] = []
  for (const { student, said } of added) {
    const name = gradeNames.get(student.grade) ?? (await gradeName(tx, institute, student.grade))
    gradeNames.set(student.grade, name)
    events.push({
      code: 'masterdata.student.registered',
      instituteId: institute.id,
      collectorCode: student.collectorCode,
      resourceId: student.id,
      occurredAt: now,
      payload: {
        service_student_id: student.id,
        registration_id: said.registrationIds[0] ?? '',
        student: studentBlock(student, name),
      },
    })
  }
  return events
}

/** A row has changed something when its student did, or when it linked a user. */
function countRows(plans: readonly Plan[], linked: ReadonlySet<string>): Outcome {
  const outcome: Outcome = { appliedRows: 0, unchangedRows: 0 }
  for (const plan of plans) {
    const isChanged = plan.kind === 'new' || (plan.kind === 'known' && plan.changes.length > 0)
    for (const { row } of plan.rows) {
      if (isChanged || linked.has(`${plan.student.id} ${row.registrationId}`)) outcome.appliedRows++
      else outcome.unchangedRows++
    }
  }
  return outcome
}

function profileOf(student: Student): Profile {
  const { customIdentifier, fullname, newAdmission, dateOfBirth, contactName, contactNumber, contactEmail } =
    student
  return { customIdentifier, fullname, newAdmission, dateOfBirth, contactName, contactNumber, contactEmail }
}
