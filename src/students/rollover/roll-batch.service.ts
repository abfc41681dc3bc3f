import { readDeposits } from '../../institutes/catalogue.service.ts'
import type { Institute } from '../../institutes/institutes.rules.ts'
import { insertTransfers } from '../../fees/advances/advances.service.ts'
import { recomputeBalances } from '../../fees/balances.service.ts'
import { applyFees, planFees, type SentFees } from '../../fees/fees.service.ts'
import type { Queryable, Transaction } from '../../platform/db/database.ts'
import {
  childNoOf,
  gradesOf,
  priceStudent,
  structureFor,
  type YearStructures,
} from '../../fees/structures/structure.rules.ts'
import { assert } from '../../platform/assert.ts'
import { subtractPaise, sumPaise, ZERO, type Paise } from '../../platform/money.ts'
import {
  identityKey,
  planRegistrations,
  registerStudents,
  type Registration,
  type RegistrationContext,
  type RegistrationPlan,
} from '../registration/register-students.service.ts'
import { applyToArrived } from '../structures/apply-structure.service.ts'
import { readFamilies } from '../structures/structure-students.store.ts'
import { profileOf } from '../students.rules.ts'
import {
  addByBranch,
  carryForward,
  decideStep,
  feesOf,
  NO_COUNTS,
  type Carried,
  type GradeCounts,
  type RolloverCounts,
} from './rollover.rules.ts'
import * as store from './rollover.store.ts'

/** One batch of students of the old year: what becomes of each, and writing it. */
const MOST_PROBLEMS = 200

/**
 * Students whose money is on the move, by id, with the reason for which nothing is carried from them for now. Passed in,
 * because plans and payments rank above students.
 */
export type ReadUnsettled = (
  db: Queryable,
  of: { instituteId: number; studentIds: readonly string[]; now: Date },
) => Promise<ReadonlyMap<string, string>>

/** What fell due on a day; null where no calendar named one. */
type DuePart = { dueOn: string | null; amountPaise: Paise }

/** The parts of a year's end that belong to features above students: dues, orders, plans. */
export type YearEnd = {
  readUnsettled: ReadUnsettled
  /** What the students owe by student and component, by the days on which it fell due. The caller holds them. */
  readDueParts(
    tx: Transaction,
    of: { instituteId: number; studentIds: readonly string[]; now: Date },
  ): Promise<ReadonlyMap<string, ReadonlyMap<string, readonly DuePart[]>>>
  /** Closes what somebody could still pay for dues that are owed elsewhere from now on. */
  closeOrders(
    tx: Transaction,
    of: { instituteId: number; carried: ReadonlyMap<string, readonly string[]>; now: Date },
  ): Promise<void>
}

export function contextOf(institute: Institute, now: Date): RegistrationContext {
  return { institute, now, source: 'registration', gradeNames: new Map() }
}

type Outcome = 'registered' | 'known' | 'leaving' | 'problems'

/** What becomes of one student. */
type RolledStudent = {
  from: store.Rolled
  nextGrade: string | null
  outcome: Outcome
  plan: RegistrationPlan | null
  /** The record of the new year. */
  toId: string | null
  carried: Carried | null
  isUnsettled: boolean
  problem: string | null
  /** What rules of the fee structure will take off; only a preview foresees it. */
  concessionPaise?: Paise
}

type RolloverRun = { context: RegistrationContext; rollover: store.Rollover; readUnsettled: ReadUnsettled }

export async function judge(
  db: Queryable,
  { context, rollover, readUnsettled }: RolloverRun,
  batch: readonly store.Rolled[],
  { isLocked }: { isLocked: boolean },
): Promise<RolledStudent[]> {
  const { options } = rollover
  const unsettled = await readUnsettled(db, {
    instituteId: context.institute.id,
    studentIds: batch.map(({ student }) => student.id),
    now: context.now,
  })
  const steps = batch.map(from => ({ from, step: decideStep(from.student, from.nextId, options) }))
  const wanted = steps.flatMap(({ from, step }) =>
    step.kind === 'register' ? [registrationOf(from, step, rollover)] : [],
  )
  const plans = (await planRegistrations(db, context, wanted, { isLocked })).values()
  const deposits = await readDeposits(db, context.institute.id)
  // Two grades of the old year may lead to one of the new.
  const taken = new Set<string>()
  return steps.map(({ from, step }): RolledStudent => {
    const nextGrade = options.grades.find(one => one.grade === from.student.grade)?.nextGrade ?? null
    const result = { from, nextGrade, plan: null, toId: null, carried: null, isUnsettled: false }
    if (step.kind === 'problem') return { ...result, outcome: 'problems', problem: step.message }
    if (step.kind === 'leaves') return { ...result, outcome: 'leaving', problem: null }
    const plan = step.kind === 'register' ? (plans.next().value ?? null) : null
    if (plan !== null) {
      const key = `${plan.student.collectorCode} ${identityKey(plan.student)}`
      const isFree = plan.kind === 'new' && !taken.has(key)
      taken.add(key)
      const message = `Another student has this identifier in class ${plan.student.grade} of the new year.`
      if (!isFree) return { ...result, outcome: 'problems', problem: message }
    }
    const carried = from.isCarried ? null : carryForward(from.fees, from.paid, { ...options, deposits })
    const hasCarried = carried !== null && carried.transfers.length > 0
    const nameTaken = from.isTaken && (carried?.duesPaise ?? 0) > 0 ? takenMessage(options) : undefined
    const reason = hasCarried ? (nameTaken ?? unsettled.get(from.student.id)) : undefined
    return {
      ...result,
      outcome: plan === null ? 'known' : 'registered',
      plan,
      toId: plan?.student.id ?? from.nextId,
      carried: hasCarried && reason === undefined ? carried : null,
      isUnsettled: reason !== undefined,
      problem: reason ?? null,
    }
  })
}

/** What the rules of the new year take off once all are registered, as brothers and sisters go over too. */
export async function foreseeConcessions(
  db: Queryable,
  { context: { institute }, rollover: { options } }: Pick<RolloverRun, 'context' | 'rollover'>,
  results: readonly RolledStudent[],
  structures: YearStructures,
): Promise<RolledStudent[]> {
  const ids = results.map(({ from }) => from.student.id)
  const families = await readFamilies(db, institute.id, ids)
  const order = gradesOf(structures)
  const nextOf = (grade: string): string | null =>
    options.grades.find(one => one.grade === grade)?.nextGrade ?? null
  return results.map(result => {
    const { student } = result.from
    const structure = structureFor(structures, student.collectorCode)
    if (result.plan === null || structure === null || !feesOf(options, result.plan.student).isByStructure)
      return result
    const family = (families.get(student.id) ?? []).flatMap(child => {
      const grade = nextOf(child.grade)
      return grade === null ? [] : [{ ...child, grade }]
    })
    const childNo = childNoOf(student.id, family, order)
    const { grade } = result.plan.student
    const fees = priceStudent(structure, { grade, category: student.category, childNo })
    const taken = fees.flatMap(fee => fee.discounts ?? [])
    return { ...result, concessionPaise: sumPaise(taken.map(one => one.valuePaise)) }
  })
}

function takenMessage({ duesComponent }: store.Rollover['options']): string {
  return `Nothing was carried: the record of the new year has a fee ${duesComponent} already. Carry dues under another name.`
}

function registrationOf(
  { student, registrationIds }: store.Rolled,
  { grade, fees }: { grade: string; fees: Registration['fees'] },
  { toYearStart, toYearEnd }: store.Years,
): Registration {
  const { identifier, collectorCode, origin } = student
  return {
    registrationIds,
    collectorCode,
    identity: { identifier, grade, academicYearStart: toYearStart, academicYearEnd: toYearEnd },
    profile: { ...profileOf(student), newAdmission: false },
    origin,
    fees,
    payments: [],
  }
}

export function summarise(rollover: store.Rollover, results: readonly RolledStudent[]): store.Rollover {
  const problems = results.flatMap(({ from: { student }, problem }) =>
    problem === null ? [] : [problemOf(student, problem)],
  )
  return {
    ...rollover,
    seenUntil: results.at(-1)?.from.student.id ?? rollover.seenUntil,
    grades: addByBranch([...rollover.grades, ...results.map(countsOf)]),
    problems: [...rollover.problems, ...problems].slice(0, MOST_PROBLEMS),
  }
}

/** A student that cannot be written, whatever the reason, is passed by and named. */
export function summariseFailed(
  rollover: store.Rollover,
  { student }: Pick<store.Rolled, 'student'>,
): store.Rollover {
  const message =
    'Could not be registered; the reason is in the log of the installation. Repeat the rollover.'
  const counts: RolloverCounts = { ...NO_COUNTS, students: 1, problems: 1 }
  return {
    ...rollover,
    seenUntil: student.id,
    grades: addByBranch([
      ...rollover.grades,
      { ...counts, grade: student.grade, collectorCode: student.collectorCode, nextGrade: null },
    ]),
    problems: [...rollover.problems, problemOf(student, message)].slice(0, MOST_PROBLEMS),
  }
}

function problemOf(
  { id, identifier, fullname }: store.Rolled['student'],
  message: string,
): store.RolloverProblem {
  return { studentId: id, identifier, fullname, message }
}

function countsOf(rolled: RolledStudent): GradeCounts {
  const { from, nextGrade, outcome, plan, carried, isUnsettled, concessionPaise = ZERO } = rolled
  return {
    ...NO_COUNTS,
    grade: from.student.grade,
    collectorCode: from.student.collectorCode,
    nextGrade,
    students: 1,
    [outcome]: 1,
    notCarried: isUnsettled ? 1 : 0,
    feesPaise: plan === null ? ZERO : priceOf(plan.registration),
    concessionsPaise: concessionPaise,
    conceded: concessionPaise > 0 ? 1 : 0,
    carriedDuesPaise: carried?.duesPaise ?? ZERO,
    carriedAdvancePaise: carried?.advancePaise ?? ZERO,
  }
}

function priceOf({ fees }: Registration): Paise {
  const discounts = fees.flatMap(fee => fee.discounts ?? [])
  return subtractPaise(
    sumPaise(fees.map(fee => fee.feePaise)),
    sumPaise(discounts.map(discount => discount.valuePaise)),
  )
}

/** Writes what was judged under locks, with the events. */
export async function apply(
  tx: Transaction,
  { context, rollover: { id: rolloverId, options } }: Pick<RolloverRun, 'context' | 'rollover'>,
  results: readonly RolledStudent[],
  yearEnd: YearEnd,
): Promise<void> {
  const { institute, now } = context
  const plans = results.flatMap(({ plan }) => plan ?? [])
  await registerStudents(tx, context, plans)
  const fees = plans.map(({ student, registration }) => ({ studentId: student.id, fees: registration.fees }))
  await setFees(tx, context, fees, 'registration')
  const byStructure = plans.filter(({ student }) => feesOf(options, student).isByStructure)
  await applyToArrived(
    tx,
    context,
    byStructure.map(({ student }) => ({ id: student.id, year: student })),
    { hasSetAmounts: true },
  )
  const carried = results.flatMap(({ from, toId, carried: one }) =>
    toId === null || one === null ? [] : [{ from, toId, ...one }],
  )
  const { duesComponent, advanceComponent } = options
  if (duesComponent !== null) {
    const dues = carried.filter(one => one.duesPaise > 0)
    const carriedFees = dues.map(({ toId, duesPaise }) => ({
      studentId: toId,
      fees: [{ componentType: duesComponent, feePaise: duesPaise, discounts: [] }],
    }))
    await keepDays(tx, context, dues, { yearEnd, duesComponent })
    // Charged here, so no answer of an ERP withdraws it.
    await setFees(tx, context, carriedFees, 'rollover')
  }
  const transfers = carried.flatMap(({ from, toId, transfers: own, advancePaise }) => {
    const studentId = from.student.id
    const gained = { studentId: toId, otherStudentId: studentId, amountPaise: advancePaise, rolloverId }
    return [
      ...own.map(line => ({ ...line, studentId, otherStudentId: toId, rolloverId })),
      ...(advanceComponent === null || advancePaise === 0
        ? []
        : [{ ...gained, componentType: advanceComponent }]),
    ]
  })
  await insertTransfers(tx, institute.id, transfers, now)
  recomputeBalances(tx, institute.id, [...new Set(transfers.map(one => one.studentId))])
}

/** Components whose dues are carried; an advance leaves its component. */
function componentsOf({ transfers }: Carried): string[] {
  return transfers.flatMap(line => (line.amountPaise > 0 ? [line.componentType] : []))
}

/** While the dues still stand on the old records: by the days on which they fell due there, and what asks for them is closed. */
async function keepDays(
  tx: Transaction,
  { institute: { id: instituteId }, now }: RegistrationContext,
  dues: readonly (Carried & { from: store.Rolled; toId: string })[],
  { yearEnd, duesComponent }: { yearEnd: YearEnd; duesComponent: string },
): Promise<void> {
  const studentIds = dues.map(({ from }) => from.student.id)
  const days = await yearEnd.readDueParts(tx, { instituteId, studentIds, now })
  const rows = dues.flatMap(one => {
    const fromStudentId = one.from.student.id
    const parts = componentsOf(one).flatMap(type => days.get(fromStudentId)?.get(type) ?? [])
    assert(sumPaise(parts.map(part => part.amountPaise)) === one.duesPaise, 'carried dues have their days')
    return parts.map((part, index) => ({
      ...part,
      studentId: one.toId,
      componentType: duesComponent,
      fromStudentId,
      partNo: index + 1,
      carriedAt: now,
    }))
  })
  await store.insertCarriedDues(tx, instituteId, rows)
  const carried = new Map(dues.map(one => [one.from.student.id, componentsOf(one)]))
  await yearEnd.closeOrders(tx, { instituteId, carried, now })
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
