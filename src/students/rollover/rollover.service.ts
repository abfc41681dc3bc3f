import { joinCatalogue, checkCatalogue, type CodeInUse } from '../../institutes/catalogue.service.ts'
import type { Institute } from '../../institutes/institutes.rules.ts'
import { getInstitutesById } from '../../institutes/institutes.service.ts'
import { recomputeBalances } from '../../fees/balances.service.ts'
import { feeProblems } from '../../fees/fees.rules.ts'
import { applyFees, planFees, type SentFees } from '../../fees/fees.service.ts'
import type { Context } from '../../platform/context.ts'
import type { Queryable, Transaction } from '../../platform/db/database.ts'
import type { Page, PageRange } from '../../platform/db/list.ts'
import { badField, badFields, conflict, notFound, type FieldProblem } from '../../platform/errors.ts'
import { transact, type Command } from '../../platform/idempotency.ts'
import { newId } from '../../platform/ids.ts'
import { paiseOf } from '../../platform/money.ts'
import {
  identityKey,
  planRegistrations,
  registerStudents,
  type RegistrationContext,
} from '../registration/register-students.service.ts'
import { profileOf } from '../students.rules.ts'
import {
  addCounts,
  carryForward,
  decideStep,
  NO_COUNTS,
  type Carried,
  type RolloverCounts,
  type RolloverOptions,
} from './rollover.rules.ts'
import * as store from './rollover.store.ts'

export type { Rollover, RolloverProblem } from './rollover.store.ts'

export type WantedRollover = store.Years & RolloverOptions

const BATCH = 200
const MOST_PROBLEMS = 200

/** Starts one; a background job does the work, batch by batch. A preview is answered at once and changes nothing. */
export async function startRollover(
  ctx: Context,
  command: Command<store.Rollover>,
  institute: Institute,
  wanted: WantedRollover & { isPreview: boolean },
): Promise<store.Rollover> {
  const { isPreview, fromYearStart, fromYearEnd, toYearStart, toYearEnd, ...options } = wanted
  const problems = optionProblems(wanted)
  if (problems.length > 0) throw badFields(problems)
  const codes = codesOf(options)
  await checkCatalogue(ctx.db, institute, codes)
  const now = ctx.clock.now()
  const rollover: store.Rollover = {
    id: newId('roll'),
    ...{ fromYearStart, fromYearEnd, toYearStart, toYearEnd, options },
    state: 'running',
    seenUntil: '',
    counts: NO_COUNTS,
    problems: [],
    createdAt: now,
    finishedAt: null,
  }
  if (isPreview) {
    const seen = await preview(ctx, institute, rollover)
    return transact(ctx.db, command, async () => ({ ...seen, finishedAt: now }))
  }
  try {
    return await transact(ctx.db, command, async tx => {
      await joinCatalogue(tx, institute, codes)
      await store.insertRollover(tx, institute.id, rollover)
      return rollover
    })
  } catch (error) {
    if (!store.isUnderWay(error)) throw error
    throw conflict('A rollover of this institute is under way. Wait until it is done.')
  }
}

export async function getRollover(ctx: Context, institute: Institute, id: string): Promise<store.Rollover> {
  const found = await store.findRollover(ctx.db, institute.id, id)
  if (found === null) throw notFound('This rollover')
  return found
}

export async function listRollovers(
  ctx: Context,
  institute: Institute,
  page: PageRange,
): Promise<Page<store.Rollover>> {
  return store.listRollovers(ctx.db, institute.id, page)
}

function optionProblems(wanted: WantedRollover): FieldProblem[] {
  if (wanted.toYearStart <= wanted.fromYearStart)
    throw badField('to_academic_year_start', 'must be after from_academic_year_start')
  const twice = (keys: readonly string[], key: string): FieldProblem[] =>
    new Set(keys).size === keys.length ? [] : [{ key, message: 'has a grade twice' }]
  return [
    ...twice(
      wanted.grades.map(one => one.grade),
      'grades',
    ),
    ...twice(
      wanted.fees.map(one => one.grade),
      'fees',
    ),
    ...wanted.fees.flatMap(({ fees }, index) => feeProblems(fees, `fees.${index}.fee_components`)),
  ]
}

function codesOf({ grades, fees, duesComponent, advanceComponent }: RolloverOptions): CodeInUse[] {
  const carried: [string | null, string][] = [
    [duesComponent, 'carry_dues_as'],
    [advanceComponent, 'carry_advance_as'],
  ]
  return [
    ...grades.flatMap(({ nextGrade }, index): CodeInUse[] =>
      nextGrade === null ? [] : [{ kind: 'grade', code: nextGrade, key: `grades.${index}.next_grade` }],
    ),
    ...fees.flatMap((one, index) =>
      one.fees.map((fee, no): CodeInUse => ({
        kind: 'component',
        code: fee.componentType,
        key: `fees.${index}.fee_components.${no}.component_type`,
      })),
    ),
    ...carried.flatMap(([code, key]): CodeInUse[] =>
      code === null ? [] : [{ kind: 'component', code, key }],
    ),
  ]
}

async function preview(
  ctx: Context,
  institute: Institute,
  rollover: store.Rollover,
): Promise<store.Rollover> {
  for (let seen = rollover; ;) {
    const batch = await readBatch(ctx.db, institute.id, seen, false)
    if (batch.length === 0) return { ...seen, state: 'done' }
    const context = contextOf(institute, ctx.clock.now())
    seen = summarise(seen, await judge(ctx.db, context, seen, batch, { isLocked: false }))
  }
}

/** One batch of the oldest that is under way; returns how many students it was, at least 1 while there are more. */
export async function advanceRollovers(ctx: Context): Promise<number> {
  return ctx.db.transaction(async tx => {
    const found = await store.lockRunning(tx)
    if (found === null) return 0
    const { instituteId, ...rollover } = found
    const [institute] = await getInstitutesById(ctx, [instituteId])
    if (institute === undefined) throw new Error('an institute vanished')
    const now = ctx.clock.now()
    const batch = await readBatch(tx, instituteId, rollover, true)
    if (batch.length === 0) {
      await store.updateRollover(tx, instituteId, { ...rollover, state: 'done', finishedAt: now })
      return 1
    }
    const context = contextOf(institute, now)
    const judged = await judge(tx, context, rollover, batch, { isLocked: true })
    await apply(tx, context, rollover, judged)
    await store.updateRollover(tx, instituteId, summarise(rollover, judged))
    return batch.length
  })
}

function readBatch(db: Queryable, instituteId: number, rollover: store.Rollover, isLocked: boolean) {
  const { seenUntil: after } = rollover
  return store.readBatch(db, instituteId, rollover, { after, limit: BATCH, isLocked })
}

function contextOf(institute: Institute, now: Date): RegistrationContext {
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

async function judge(
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

function summarise(rollover: store.Rollover, judged: Judged): store.Rollover {
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

async function apply(
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
