import { checkCatalogue, joinCatalogue, type CodeInUse } from '../../institutes/catalogue.service.ts'
import { knownBranch, type Institute } from '../../institutes/institutes.rules.ts'
import { newEvent } from '../../events/define-event.ts'
import { recordEvents } from '../../events/events.service.ts'
import type { Transaction } from '../../platform/db/database.ts'
import { badFields, conflict } from '../../platform/errors.ts'
import type { Context } from '../../platform/context.ts'
import { transact, type Command } from '../../platform/idempotency.ts'
import { newId } from '../../platform/ids.ts'
import * as payments from '../direct-payments/direct-payments.store.ts'
import { recomputeBalances } from '../../fees/balances.service.ts'
import { feeProblems } from '../../fees/fees.rules.ts'
import { changeFees, codesOfFees } from '../../fees/fees.service.ts'
import { directPaymentEvents } from '../direct-payments/direct-payment.events.ts'
import { decidePayments, paidProblems, paymentProblems } from '../students.rules.ts'
import {
  studentInEvent,
  isLostRace,
  planRegistrations,
  registerStudents,
  type Registration,
  type RegistrationContext,
  type RegistrationPlan,
} from './register-students.service.ts'

export type { Registration } from './register-students.service.ts'

export type Registered = { studentId: string; isNew: boolean }

/**
 * Registers a student, or brings a registered one up to date, in one transaction: safe to repeat, and the body applied
 * last changes nothing when it comes again, whatever was changed by other ways in between. Two at once for one student
 * end with one student: the identity is unique, and the loser of the race goes on with the winner's row.
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
  await checkCatalogue(ctx.db, institute, codes)
  const register = (): Promise<Registered> =>
    transact(ctx.db, command, async tx => {
      await joinCatalogue(tx, institute, codes)
      return registerOne(tx, { institute, now: ctx.clock.now() }, registration)
    })
  return register().catch((error: unknown) => {
    if (isLostRace(error)) return register()
    throw error
  })
}

async function registerOne(
  tx: Transaction,
  { institute, now }: { institute: Institute; now: Date },
  registration: Registration,
): Promise<Registered> {
  if (registration.collectorCode !== undefined)
    knownBranch(institute, registration.collectorCode, 'student.collector_code')
  const context: RegistrationContext = { institute, now, source: 'registration', gradeNames: new Map() }
  const [plan] = await planRegistrations(tx, context, [registration], { isLocked: true })
  if (plan === undefined) throw new Error('a registration has no plan')
  const { student } = plan
  if (plan.kind === 'someone_else') {
    throw conflict(
      'This identifier, grade and year belong to a student with another name and date of birth. Correct one of them.',
      { service_student_id: student.id },
    )
  }
  await registerStudents(tx, context, [plan])
  if (plan.kind !== 'same') {
    await addPayments(tx, context, plan)
    const change = { changedAt: now, source: 'registration' } as const
    await changeFees(tx, { instituteId: institute.id, studentId: student.id }, registration.fees, change)
  }
  return { studentId: student.id, isNew: plan.kind === 'new' }
}

async function addPayments(
  tx: Transaction,
  context: RegistrationContext,
  plan: RegistrationPlan,
): Promise<void> {
  const { registration, student } = plan
  if (registration.payments.length === 0) return
  const { institute, now } = context
  const known = await payments.readKnownPayments(tx, {
    instituteId: institute.id,
    studentId: student.id,
  })
  const decision = decidePayments(known, registration.payments)
  if (decision.kind === 'conflict') {
    throw conflict(
      `The transaction ${decision.transactionId} is recorded with another amount, mode, settlement_utr or fee_components. ` +
        'Send it as it is recorded, correct it by PATCH, or use another transaction_id.',
      { service_student_id: student.id },
    )
  }
  const standing = [...known.values()].filter(({ isCancelled }) => !isCancelled)
  const problems = paidProblems(
    standing.map(({ amountPaise }) => amountPaise),
    decision.payments,
    'payments',
  )
  if (problems.length > 0) throw badFields(problems)
  if (decision.payments.length === 0) return
  const added = decision.payments.map(payment => ({ ...payment, id: newId('pay'), studentId: student.id }))
  await payments.insertPayments(tx, institute.id, added, now)
  recomputeBalances(tx, institute.id, [student.id])
  const named = await studentInEvent(tx, context, plan)
  const about = {
    instituteId: institute.id,
    collectorCode: student.collectorCode,
    resourceId: student.id,
    occurredAt: now,
  }
  const events = added.map(payment =>
    newEvent(directPaymentEvents, 'direct.payment.added', about, { ...named, payment }),
  )
  await recordEvents(tx, events)
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
