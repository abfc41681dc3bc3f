import {
  checkCatalogue,
  gradeName,
  joinCatalogue,
  type CodeInUse,
} from '../../institutes/catalogue.service.ts'
import { defaultBranch, knownBranch, type Institute } from '../../institutes/institutes.rules.ts'
import { recordEvents, type NewEvent } from '../../events/events.service.ts'
import type { Transaction } from '../../platform/db/database.ts'
import { badFields, conflict } from '../../platform/errors.ts'
import type { Context } from '../../platform/context.ts'
import { transact, type Command } from '../../platform/idempotency.ts'
import { newId } from '../../platform/ids.ts'
import * as payments from '../direct-payments/direct-payments.store.ts'
import { feeProblems, mergeFees, totalProblems, type SentFee } from '../../fees/fees.rules.ts'
import * as fees from '../../fees/fees.store.ts'
import { digestOf } from './registration-digest.ts'
import { paymentBlock, studentBlock } from '../student-blocks.ts'
import { insertProfileChanges } from '../profile/changes.store.ts'
import { changesBetween } from '../profile/update.rules.ts'
import {
  decidePayments,
  isSomeoneElse,
  mergeProfile,
  paidProblems,
  paymentProblems,
  pickRegistered,
  type DirectPayment,
  type Identity,
  type Profile,
  type Student,
} from '../students.rules.ts'
import * as students from '../students.store.ts'
import { ensureUser, linkUser } from '../users/users.store.ts'

export type Registration = {
  registrationId: string
  collectorCode: string | undefined
  identity: Identity
  profile: Profile
  fees: readonly SentFee[]
  payments: readonly DirectPayment[]
}

export type Registered = { studentId: string; isNew: boolean }

/** One transaction with everything that a registration writes, so a repeat finds all of it or nothing. */
type Scene = { tx: Transaction; institute: Institute; registration: Registration; digest: Buffer; now: Date }

/**
 * Registers a student, or brings a registered one up to date: safe to repeat, and the body applied last changes
 * nothing when it comes again, whatever was changed by other ways in between. Two at once for one student end
 * with one student, because the identity is unique and the loser of the race goes on with the winner's row.
 */
export async function registerStudent(
  ctx: Context,
  command: Command<Registered>,
  institute: Institute,
  registration: Registration,
): Promise<Registered> {
  const problems = [
    ...feeProblems(registration.fees, 'fee_components'),
    ...paymentProblems(registration.payments, 'payments'),
  ]
  if (problems.length > 0) throw badFields(problems)
  const codes = codesInUse(registration)
  const digest = digestOf(registration)
  await checkCatalogue(ctx.db, institute, codes)
  return transact(ctx.db, command, async tx => {
    const scene: Scene = { tx, institute, registration, digest, now: ctx.clock.now() }
    await joinCatalogue(tx, institute, codes)
    const { student, isNew, isKnown } = await findOrCreate(scene)
    const current = isNew || isKnown ? student : await bringUpToDate(scene, student)
    await linkToUser(scene, student.id)
    if (isKnown) return { studentId: student.id, isNew }
    const added = await addPayments(scene, student.id)
    const context = { changedAt: scene.now, source: 'registration' } as const
    await changeFees(tx, { instituteId: institute.id, studentId: student.id }, registration.fees, context)
    await recordWhatHappened(scene, current, isNew, added)
    return { studentId: student.id, isNew }
  })
}

/** `isKnown`: this very body is the one applied last. */
type Found = { student: Student; isNew: boolean; isKnown: boolean }

async function findOrCreate(scene: Scene): Promise<Found> {
  const { tx, institute, registration, digest, now } = scene
  const { collectorCode: sentBranch, identity } = registration
  const branch =
    sentBranch === undefined
      ? defaultBranch(institute)
      : knownBranch(institute, sentBranch, 'student.collector_code')
  const find = async (): Promise<Found | undefined> => {
    const known = await students.lockByIdentity(tx, institute.id, identity, branch)
    const found = pickRegistered(known, sentBranch, branch)
    if (found === undefined) return undefined
    return { student: found.student, isNew: false, isKnown: found.digest?.equals(digest) === true }
  }
  const existing = await find()
  if (existing !== undefined) return existing
  const student: Student = {
    ...identity,
    ...registration.profile,
    id: newId('student'),
    collectorCode: branch,
    status: 'active',
    createdAt: now,
    updatedAt: now,
  }
  const origin = { isBranchAssumed: sentBranch === undefined, digest }
  if (await students.insertStudent(tx, institute.id, student, origin))
    return { student, isNew: true, isKnown: false }
  const winner = await find()
  if (winner === undefined) throw new Error('a student vanished between two statements')
  return winner
}

async function bringUpToDate(
  { tx, institute, registration, digest, now }: Scene,
  student: Student,
): Promise<Student> {
  if (isSomeoneElse(student, registration.profile)) {
    throw conflict(
      'This identifier, grade and year belong to a student with another name and date of birth. Correct one of them.',
      { service_student_id: student.id },
    )
  }
  const { profile, isChanged } = mergeProfile(profileOf(student), registration.profile)
  const current = { ...student, ...profile }
  if (isChanged) {
    await students.updateProfile(tx, institute.id, student.id, { ...profile, updatedAt: now })
    const change = { studentId: student.id, changes: changesBetween(student, current) }
    await insertProfileChanges(tx, institute.id, { changedAt: now, source: 'registration' }, [change])
  }
  await students.setDigest(tx, institute.id, student.id, digest)
  return current
}

async function linkToUser({ tx, institute, registration, now }: Scene, studentId: string): Promise<void> {
  const { registrationId, profile } = registration
  await ensureUser(tx, institute.id, {
    id: newId('user'),
    registrationId,
    name: profile.contactName,
    phone: profile.contactNumber,
    email: profile.contactEmail,
    createdAt: now,
  })
  await linkUser(tx, institute.id, { studentId, registrationId, linkedAt: now })
}

async function addPayments(
  { tx, institute, registration, now }: Scene,
  studentId: string,
): Promise<payments.NewPayment[]> {
  if (registration.payments.length === 0) return []
  const known = await payments.readKnownPayments(tx, institute.id, studentId)
  const decision = decidePayments(known, registration.payments)
  if (decision.kind === 'conflict') {
    throw conflict(
      `The transaction ${decision.transactionId} is recorded with another amount. Correct the amount or the transaction id.`,
      { service_student_id: studentId },
    )
  }
  const standing = [...known.values()].filter(({ isCancelled }) => !isCancelled)
  const problems = paidProblems(
    standing.map(({ amountPaise }) => amountPaise),
    decision.payments,
    'payments',
  )
  if (problems.length > 0) throw badFields(problems)
  const added = decision.payments.map(payment => ({ ...payment, id: newId('pay'), studentId }))
  await payments.insertPayments(tx, institute.id, added, now)
  return added
}

/** Merges fees into those of a student that the caller has locked. */
export async function changeFees(
  tx: Transaction,
  { instituteId, studentId }: { instituteId: number; studentId: string },
  sent: readonly SentFee[],
  context: fees.FeeChangeContext,
): Promise<void> {
  const current = await fees.readFees(tx, instituteId, studentId)
  const changes = mergeFees(current, sent)
  const problems = totalProblems(current, changes, 'fee_components')
  if (problems.length > 0) throw badFields(problems)
  await fees.applyFeeChanges(
    tx,
    instituteId,
    changes.map(change => ({ ...change, studentId })),
    context,
  )
}

async function recordWhatHappened(
  { tx, institute, registration, now }: Scene,
  student: Student,
  isNew: boolean,
  added: readonly payments.NewPayment[],
): Promise<void> {
  if (!isNew && added.length === 0) return
  const payload = {
    service_student_id: student.id,
    registration_id: registration.registrationId,
    student: studentBlock(student, await gradeName(tx, institute, student.grade)),
  }
  const common = {
    instituteId: institute.id,
    collectorCode: student.collectorCode,
    resourceId: student.id,
    occurredAt: now,
  }
  const events: NewEvent[] = added.map(payment => ({
    ...common,
    code: 'direct.payment.added',
    payload: { ...payload, payment: paymentBlock(payment) },
  }))
  if (isNew) events.unshift({ ...common, code: 'masterdata.student.registered', payload })
  await recordEvents(tx, events)
}

function profileOf(student: Student): Profile {
  const { customIdentifier, fullname, newAdmission, dateOfBirth, contactName, contactNumber, contactEmail } =
    student
  return { customIdentifier, fullname, newAdmission, dateOfBirth, contactName, contactNumber, contactEmail }
}

function codesInUse({ identity, fees: sentFees, payments: sentPayments }: Registration): CodeInUse[] {
  return [
    { kind: 'grade', code: identity.grade, key: 'student.grade' },
    ...codesOfFees(sentFees),
    ...sentPayments.flatMap((payment, index) =>
      payment.lines.map((line, lineNo): CodeInUse => {
        const key = `payments.${index}.fee_components.${lineNo}.component_type`
        return { kind: 'component', code: line.componentType, key }
      }),
    ),
  ]
}

export function codesOfFees(sent: readonly SentFee[]): CodeInUse[] {
  return sent.flatMap((fee, index) => [
    { kind: 'component' as const, code: fee.componentType, key: `fee_components.${index}.component_type` },
    ...(fee.discounts ?? []).map((discount, no) => ({
      kind: 'discount' as const,
      code: discount.discountType,
      key: `fee_components.${index}.discounts.${no}.discount_type`,
    })),
  ])
}
