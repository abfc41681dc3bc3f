import { hash } from 'node:crypto'
import { gradeName } from '../../institutes/catalogue.service.ts'
import { defaultBranch, type Institute } from '../../institutes/institutes.rules.ts'
import { newEvent, type NewEvent } from '../../events/define-event.ts'
import { recordEvents } from '../../events/events.service.ts'
import type { Queryable, Transaction } from '../../platform/db/database.ts'
import { newId } from '../../platform/ids.ts'
import type { SentFee } from '../../fees/fees.rules.ts'
import { studentEvents, type StudentInEvent } from '../student.events.ts'
import { insertProfileChanges } from '../profile/profile.store.ts'
import { changesBetween, type StudentChange } from '../profile/profile.rules.ts'
import {
  identityValues,
  isSomeoneElse,
  mergeProfile,
  pickRegistered,
  profileValues,
  type DirectPayment,
  type Identity,
  type Profile,
  type Student,
  type StudentOrigin,
} from '../students.rules.ts'
import { ensureUsers, linkUsers, type Link } from '../users/users.store.ts'
import { pickInAnyClass } from './class-change.rules.ts'
import * as store from './registration.store.ts'

export { isLostRace } from './registration.store.ts'

/** What is said of one student: by a request of the API, or by all its rows in a file. */
export type Registration = {
  /** The users that it belongs to. */
  registrationIds: readonly string[]
  collectorCode: string | undefined
  identity: Identity
  profile: Profile
  /** The ERP's when absent. */
  origin?: StudentOrigin
  fees: readonly SentFee[]
  payments: readonly DirectPayment[]
}

export type RegistrationContext = {
  institute: Institute
  now: Date
  source: 'registration' | 'import'
  /** Grade names for events, looked up once each. */
  gradeNames: Map<string, string>
}

export type RegistrationPlan = { registration: Registration; student: Student } & (
  | { kind: 'new'; isBranchAssumed: boolean }
  /** Its digest is set even when its profile is the same. */
  | { kind: 'known'; changes: StudentChange[] }
  /** This very registration is the one applied last: whatever changed since by other ways stays. */
  | { kind: 'same' }
  | { kind: 'someone_else' }
  /** Only where the class may change: students that the number fits, none of them for certain. */
  | { kind: 'unclear'; others: readonly Student[] }
)

/** `mayChangeClass`: a student of the same admission number, year and branch in another class is that student. */
type PlanOptions = { isLocked: boolean; mayChangeClass?: boolean }

/** Plans each registration, in their order; on locked students if the plans are to be applied. */
export async function planRegistrations(
  db: Queryable,
  context: RegistrationContext,
  registrations: readonly Registration[],
  { isLocked, mayChangeClass = false }: PlanOptions,
): Promise<RegistrationPlan[]> {
  const identities = registrations.map(one => one.identity)
  if (mayChangeClass) {
    const options = { isLocked, isAnyClass: true }
    const known = await store.findByIdentities(db, context.institute.id, identities, options)
    const byNumber = Map.groupBy(known, ({ student }) => numberKey(student))
    return registrations.map(one => planInAnyClass(context, one, byNumber.get(numberKey(one.identity)) ?? []))
  }
  const found = await findStudents(db, context.institute, identities, { isLocked })
  return registrations.map(one => plan(context, one, found.get(identityKey(one.identity)) ?? []))
}

export type FoundStudents = Map<string, store.KnownStudent[]>

/** Every branch's students of these identities, by `identityKey`. */
export async function findStudents(
  db: Queryable,
  institute: Institute,
  identities: readonly Identity[],
  options: { isLocked: boolean },
): Promise<FoundStudents> {
  const found = await store.findByIdentities(db, institute.id, identities, options)
  return Map.groupBy(found, ({ student }) => identityKey(student))
}

export function identityKey(identity: Identity): string {
  return JSON.stringify(identityValues(identity))
}

function numberKey(identity: Identity): string {
  return identityKey({ ...identity, grade: '' })
}

function plan(
  context: RegistrationContext,
  registration: Registration,
  known: readonly store.KnownStudent[],
): RegistrationPlan {
  const { collectorCode } = registration
  const branch = collectorCode ?? defaultBranch(context.institute)
  return planOne(context, registration, pickRegistered(known, collectorCode, branch))
}

function planInAnyClass(
  context: RegistrationContext,
  registration: Registration,
  known: readonly store.KnownStudent[],
): RegistrationPlan {
  const { collectorCode: sentBranch, identity, profile } = registration
  const branch = sentBranch ?? defaultBranch(context.institute)
  const picked = pickInAnyClass(known, { identity, profile, sentBranch, branch })
  const [first, ...others] = picked.kind === 'unclear' ? picked.others.map(one => one.student) : []
  if (first !== undefined)
    return { kind: 'unclear', registration, student: first, others: [first, ...others] }
  return planOne(context, registration, picked.kind === 'found' ? picked.found : undefined)
}

function planOne(
  { institute, now }: RegistrationContext,
  registration: Registration,
  found: store.KnownStudent | undefined,
): RegistrationPlan {
  const { identity, profile, collectorCode } = registration
  const branch = collectorCode ?? defaultBranch(institute)
  if (found === undefined) {
    const student: Student = {
      ...identity,
      ...profile,
      id: newId('student'),
      collectorCode: branch,
      status: 'active',
      origin: registration.origin ?? 'erp',
      createdAt: now,
      updatedAt: now,
    }
    return { kind: 'new', registration, student, isBranchAssumed: collectorCode === undefined }
  }
  const { student } = found
  // A new registration gets its digest only when it is written, because a file is planned twice.
  if (found.digest?.equals(digestOf(registration)) === true) return { kind: 'same', registration, student }
  if (isSomeoneElse(student, profile)) return { kind: 'someone_else', registration, student }
  // A record that the ERP sends is kept by the ERP from then on; the office never takes one over.
  const origin = (registration.origin ?? 'erp') === 'erp' ? 'erp' : student.origin
  const after: Student = { ...student, ...mergeProfile(student, profile), grade: identity.grade, origin }
  const changes = changesBetween(student, after)
  const current = { ...after, updatedAt: changes.length > 0 ? now : student.updatedAt }
  return { kind: 'known', registration, student: current, changes }
}

/** Writes what was planned, with the events; answers the links between students and users that are new. */
export async function registerStudents(
  tx: Transaction,
  context: RegistrationContext,
  plans: readonly RegistrationPlan[],
): Promise<Link[]> {
  const { institute, now, source } = context
  const added = plans.filter(one => one.kind === 'new')
  await store.insertStudents(
    tx,
    institute.id,
    added.map(({ student, registration, isBranchAssumed }) => ({
      ...student,
      digest: digestOf(registration),
      isBranchAssumed,
    })),
  )
  const known = plans.filter(one => one.kind === 'known')
  await store.updateStudents(
    tx,
    institute.id,
    known.map(({ student, registration }) => ({ ...student, digest: digestOf(registration) })),
  )
  const changed = known.map(({ student, changes }) => ({ studentId: student.id, changes }))
  await insertProfileChanges(tx, institute.id, { changedAt: now, source }, changed)
  const links = await linkToUsers(tx, context, plans)
  await recordEvents(tx, await registeredEvents(tx, context, added))
  return links
}

/** A user that is not known yet is the primary contact of the first student that names it. */
async function linkToUsers(
  tx: Transaction,
  { institute, now }: RegistrationContext,
  plans: readonly RegistrationPlan[],
): Promise<Link[]> {
  const links = plans.flatMap(({ registration, student }) =>
    registration.registrationIds.map(registrationId => {
      const { contactName: name, contactNumber: phone, contactEmail: email } = registration.profile
      return { studentId: student.id, registrationId, name, phone, email }
    }),
  )
  const users = links.map(link => ({ ...link, id: newId('user') }))
  await ensureUsers(tx, institute.id, users, now)
  return linkUsers(tx, institute.id, links, now)
}

async function registeredEvents(
  tx: Transaction,
  context: RegistrationContext,
  added: readonly RegistrationPlan[],
): Promise<NewEvent[]> {
  const events: NewEvent[] = []
  for (const { student, registration } of added) {
    const about = {
      instituteId: context.institute.id,
      collectorCode: student.collectorCode,
      resourceId: student.id,
      occurredAt: context.now,
    }
    const source = await studentInEvent(tx, context, { student, registration })
    events.push(newEvent(studentEvents, 'masterdata.student.registered', about, source))
  }
  return events
}

/** A student as the events of its registration carry it. */
export async function studentInEvent(
  tx: Transaction,
  { institute, gradeNames }: RegistrationContext,
  { student, registration }: Pick<RegistrationPlan, 'student' | 'registration'>,
): Promise<StudentInEvent> {
  const name = gradeNames.get(student.grade) ?? (await gradeName(tx, institute, student.grade))
  gradeNames.set(student.grade, name)
  return { student, registrationId: registration.registrationIds[0] ?? '', gradeName: name }
}

type SentRegistration = {
  collectorCode: string | undefined
  identity: Identity
  profile: Profile
  fees: readonly object[]
  payments: readonly object[]
}

/** A digest of what a registration says of its student, independent of the caller and of how it was written. */
export function digestOf({ collectorCode, identity, profile, fees, payments }: SentRegistration): Buffer {
  const said = [collectorCode ?? null, identityValues(identity), profileValues(profile), fees, payments]
  // Files hold a hundred thousand without fees and payments: sorting their keys would be most of the work.
  const isBare = fees.length === 0 && payments.length === 0
  return hash('sha256', JSON.stringify(said, isBare ? undefined : byName), 'buffer')
}

/** Fields in the order of their names, so that the digest does not hang on how the code lists them. */
function byName(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).sort(([one], [two]) => (one < two ? -1 : 1)))
}
