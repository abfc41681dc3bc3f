import { checkCatalogue, joinCatalogue, type CodeInUse } from '../../institutes/catalogue.service.ts'
import { knownBranch, type Institute } from '../../institutes/institutes.rules.ts'
import { dayOf } from '../../platform/calendar.ts'
import type { Transaction } from '../../platform/db/database.ts'
import { badFields, conflict, badField } from '../../platform/errors.ts'
import type { Context } from '../../platform/context.ts'
import { transact, type Command } from '../../platform/idempotency.ts'
import { newId } from '../../platform/ids.ts'
import { decideRegistered } from '../direct-payments/direct-payments.rules.ts'
import {
  addPayments,
  lockOpenOrders,
  planPayments,
  type SentId,
} from '../direct-payments/plan-payments.service.ts'
import { feeProblems } from '../../fees/fees.rules.ts'
import { changeFees, codesOfFees } from '../../fees/fees.service.ts'
import { applyToArrived } from '../structures/apply-structure.service.ts'
import {
  birthProblems,
  paymentProblems,
  type DirectPayment,
  type Identity,
  type Profile,
} from '../students.rules.ts'
import {
  studentInEvent,
  isLostRace,
  planRegistrations,
  registerStudents,
  type Registration,
  type RegistrationContext,
  type RegistrationPlan,
} from './register-students.service.ts'
import { findFamilies } from '../users/users.service.ts'

export type { Registration } from './register-students.service.ts'

export type RegisteredStudent = { studentId: string; isNew: boolean }

/**
 * Registers a student, or brings a registered one up to date, in one transaction: safe to repeat, and the body applied
 * last changes nothing when it comes again, whatever was changed by other ways in between. Two at once for one student
 * end with one student: the identity is unique, and the loser of the race goes on with the winner's row.
 */
export async function registerStudent(
  ctx: Context,
  command: Command<RegisteredStudent>,
  institute: Institute,
  registration: Registration,
  { isNewOnly = false } = {},
): Promise<RegisteredStudent> {
  const today = dayOf(ctx.clock.now())
  const problems = [
    ...birthProblems(registration.profile.dateOfBirth, today, 'student.date_of_birth'),
    ...feeProblems(registration.fees, 'fee_components'),
    ...paymentProblems(registration.payments, 'payments'),
  ]
  if (problems.length > 0) throw badFields(problems)
  const codes = codesInUse(registration)
  await checkCatalogue(ctx.db, institute, codes)
  const register = (): Promise<RegisteredStudent> =>
    transact(ctx.db, command, async tx => {
      await joinCatalogue(tx, institute, codes)
      return registerOne(tx, { institute, now: ctx.clock.now(), isNewOnly }, registration)
    })
  return register().catch((error: unknown) => {
    if (isLostRace(error)) return register()
    throw error
  })
}

async function registerOne(
  tx: Transaction,
  { institute, now, isNewOnly }: { institute: Institute; now: Date; isNewOnly: boolean },
  registration: Registration,
): Promise<RegisteredStudent> {
  if (registration.collectorCode !== undefined)
    knownBranch(institute, registration.collectorCode, 'student.collector_code')
  const context: RegistrationContext = { institute, now, source: 'registration', gradeNames: new Map() }
  if (registration.payments.length > 0)
    await lockOpenOrders(tx, institute.id, { identifiers: [registration.identity.identifier] })
  const [plan] = await planRegistrations(tx, context, [registration], { isLocked: true })
  if (plan === undefined) throw new Error('a registration has no plan')
  const { student } = plan
  if (plan.kind === 'someone_else') {
    throw conflict(
      'This identifier, grade and year belong to a student with another name and date of birth. Correct one of them.',
      { service_student_id: student.id },
    )
  }
  if (isNewOnly && plan.kind !== 'new') {
    throw conflict('A student with this admission number is registered in this class and year already.', {
      service_student_id: student.id,
    })
  }
  await registerStudents(tx, context, [plan])
  if (plan.kind !== 'same') {
    await recordSent(tx, context, plan)
    const change = { changedAt: now, source: 'registration' } as const
    await changeFees(tx, { instituteId: institute.id, studentId: student.id }, registration.fees, change)
    // The ERP sends the fees of its students; the office has a structure for its own.
    if (plan.kind === 'new' && student.origin !== 'erp' && registration.fees.length === 0)
      await applyToArrived(tx, context, [{ id: student.id, year: student }], { isAlone: true })
  }
  return { studentId: student.id, isNew: plan.kind === 'new' }
}

async function recordSent(
  tx: Transaction,
  context: RegistrationContext,
  { registration, student }: RegistrationPlan,
): Promise<void> {
  const { payments: sent } = registration
  if (sent.length === 0) return
  const { institute, now } = context
  const [plan] = await planPayments(
    tx,
    institute.id,
    [{ studentId: student.id, payments: sent }],
    decideRegistered,
  )
  if (plan === undefined) throw new Error('payments of a student have no plan')
  const [clash] = plan.conflicts
  if (clash !== undefined) throw conflict(clash.message, { service_student_id: student.id })
  if (plan.problems.length > 0)
    throw badFields(plan.problems.map(problem => ({ ...problem, key: 'payments' })))
  // Events name the user under whom the payment came.
  const named = { ...plan.context, ...(await studentInEvent(tx, context, { registration, student })) }
  const added = plan.added.map((payment: DirectPayment & SentId) => ({
    context: named,
    payment: { ...payment, id: newId('pay'), sentId: payment.id ?? null },
  }))
  await addPayments(tx, institute.id, added, now)
}

function codesInUse({ identity, fees, payments: sentPayments }: Registration): CodeInUse[] {
  return [
    { kind: 'grade', code: identity.grade, key: 'student.grade' },
    ...codesOfFees(fees),
    ...sentPayments.flatMap((payment, index) =>
      payment.lines.map((line, lineNo): CodeInUse => {
        const key = `payments.${index}.fee_components.${lineNo}.component_type`
        return { kind: 'component', code: line.componentType, key }
      }),
    ),
  ]
}

export type OfficeStudent = Identity & Profile & { collectorCode?: string | undefined }

/** Books of older years are closed; further ahead nobody is admitted. */
const MOST_YEARS_AWAY = 5

/** A student that people of the office add: its family is the one of its phone, and its fees are those of its class. */
export async function addStudent(
  ctx: Context,
  command: Command<RegisteredStudent>,
  institute: Institute,
  student: OfficeStudent,
): Promise<RegisteredStudent> {
  const { identifier, grade, academicYearStart, academicYearEnd, collectorCode, ...profile } = student
  if (Math.abs(academicYearStart - Number(dayOf(ctx.clock.now()).slice(0, 4))) > MOST_YEARS_AWAY)
    throw badField('academic_year_start', `must be within ${MOST_YEARS_AWAY} years of this one`)
  const born = birthProblems(profile.dateOfBirth, dayOf(ctx.clock.now()), 'date_of_birth')
  if (born.length > 0) throw badFields(born)
  const families = await findFamilies(ctx.db, institute.id, [profile.contactNumber])
  return registerStudent(
    ctx,
    command,
    institute,
    {
      registrationIds: [...families.values()],
      collectorCode,
      identity: { identifier, grade, academicYearStart, academicYearEnd },
      profile,
      origin: 'office',
      fees: [],
      payments: [],
    },
    { isNewOnly: true },
  )
}
