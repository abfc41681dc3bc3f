import type { Institute } from '../../institutes/institutes.rules.ts'
import { recomputeBalances } from '../../fees/balances.service.ts'
import { applyFees, planFees, type SentFees } from '../../fees/fees.service.ts'
import type { Queryable, Transaction } from '../../platform/db/database.ts'
import { paiseOf } from '../../platform/money.ts'
import {
  identityKey,
  planRegistrations,
  registerStudents,
  type RegistrationContext,
} from '../registration/register-students.service.ts'
import { profileOf } from '../students.rules.ts'
import { addCounts, carryForward, decideStep, type Carried, type RolloverCounts } from './rollover.rules.ts'
import * as store from './rollover.store.ts'

/** One batch of students of the old year: what becomes of each, and writing it. */
const MOST_PROBLEMS = 200

export function contextOf(institute: Institute, now: Date): RegistrationContext {
  return { institute, now, source: 'registration', gradeNames: new Map() }
}

type Judged = {
  batch: readonly store.Rolled[]
  added: { from: store.Rolled; plan: Awaited<ReturnType<typeof planRegistrations>>[number] }[]
  carried: { from: store.Rolled; toId: string; carried: Carried }[]
  leaving: number
  known: number
  problems: store.RolloverProblem[]
}

export async function judge(
  db: Queryable,
  context: RegistrationContext,
  { options, ...years }: store.Rollover,
  batch: readonly store.Rolled[],
  { isLocked }: { isLocked: boolean },
): Promise<Judged> {
  const steps = batch.map(from => ({ from, step: decideStep(from.student, from.nextId, options) }))
  const judged: Judged = { batch, added: [], carried: [], leaving: 0, known: 0, problems: [] }
  const report = ({ student }: store.Rolled, message: string): void => {
    judged.problems.push({ studentId: student.id, identifier: student.identifier, message })
  }
  const wanted = steps.flatMap(({ from, step }) => {
    if (step.kind === 'known') judged.known++
    if (step.kind === 'leaves') judged.leaving++
    if (step.kind === 'problem') report(from, step.message)
    return step.kind === 'register' ? [{ from, step }] : []
  })
  const registrations = wanted.map(({ from: { student, registrationIds }, step }) => ({
    registrationIds,
    collectorCode: student.collectorCode,
    identity: {
      identifier: student.identifier,
      grade: step.grade,
      academicYearStart: years.toYearStart,
      academicYearEnd: years.toYearEnd,
    },
    profile: { ...profileOf(student), newAdmission: false },
    fees: step.fees,
    payments: [],
  }))
  const plans = await planRegistrations(db, context, registrations, { isLocked })
  // Two grades of the old year may lead to one of the new.
  const taken = new Set<string>()
  for (const [index, plan] of plans.entries()) {
    const from = wanted[index]?.from
    if (from === undefined) continue
    const { student } = plan
    const key = `${student.collectorCode} ${identityKey(student)}`
    const isFree = plan.kind === 'new' && !taken.has(key)
    taken.add(key)
    if (isFree) judged.added.push({ from, plan })
    else report(from, `Another student has this identifier in grade ${plan.student.grade} of the new year.`)
  }
  const newIds = new Map(judged.added.map(({ from, plan }) => [from.student.id, plan.student.id]))
  judged.carried = batch.flatMap(from => {
    const toId = from.nextId ?? newIds.get(from.student.id)
    if (toId === undefined || from.isCarried) return []
    const carried = carryForward(from.fees, from.paid, options)
    return carried.transfers.length === 0 ? [] : [{ from, toId, carried }]
  })
  return judged
}

export function summarise(rollover: store.Rollover, judged: Judged): store.Rollover {
  const sum = (of: (carried: Carried) => number): number =>
    judged.carried.reduce((total, { carried }) => total + of(carried), 0)
  const counts: RolloverCounts = {
    total: judged.batch.length,
    registered: judged.added.length,
    known: judged.known,
    leaving: judged.leaving,
    problems: judged.problems.length,
    carriedDuesPaise: paiseOf(sum(one => one.duesPaise)),
    carriedAdvancePaise: paiseOf(sum(one => one.advancePaise)),
  }
  return {
    ...rollover,
    seenUntil: judged.batch.at(-1)?.student.id ?? rollover.seenUntil,
    counts: addCounts(rollover.counts, counts),
    problems: [...rollover.problems, ...judged.problems].slice(0, MOST_PROBLEMS),
  }
}

/** Writes what was judged under locks, with the events. */
export async function apply(
  tx: Transaction,
  context: RegistrationContext,
  { id: rolloverId, options }: store.Rollover,
  { added, carried }: Judged,
): Promise<void> {
  const { institute, now } = context
  await registerStudents(
    tx,
    context,
    added.map(({ plan }) => plan),
  )
  const { duesComponent, advanceComponent } = options
  const dues = carried.filter(one => one.carried.duesPaise > 0)
  const fees = added.map(({ plan }) => ({ studentId: plan.student.id, fees: plan.registration.fees }))
  await setFees(tx, context, fees, 'registration')
  if (duesComponent !== null) {
    const carriedFees = dues.map(({ toId, carried: { duesPaise } }) => ({
      studentId: toId,
      fees: [{ componentType: duesComponent, feePaise: duesPaise, discounts: [] }],
    }))
    // Charged here, so no answer of an ERP withdraws it.
    await setFees(tx, context, carriedFees, 'rollover')
  }
  const transfers = carried.flatMap(({ from, toId, carried: { transfers: own, advancePaise } }) => [
    ...own.map(line => ({ ...line, studentId: from.student.id, otherStudentId: toId })),
    ...(advanceComponent === null || advancePaise === 0
      ? []
      : [
          {
            studentId: toId,
            otherStudentId: from.student.id,
            componentType: advanceComponent,
            amountPaise: advancePaise,
          },
        ]),
  ])
  await store.insertTransfers(tx, { instituteId: institute.id, rolloverId, transferredAt: now }, transfers)
  recomputeBalances(tx, institute.id, [...new Set(transfers.map(one => one.studentId))])
}

async function setFees(
  tx: Transaction,
  { institute, now }: RegistrationContext,
  sent: readonly SentFees[],
  source: 'registration' | 'rollover',
): Promise<void> {
  const plans = await planFees(tx, institute.id, sent, 'fees')
  await applyFees(tx, institute.id, plans, { changedAt: now, source })
}
