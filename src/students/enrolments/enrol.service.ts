import {
  componentsOf,
  optionName,
  spanOf,
  type Option,
  type OptionalFee,
} from '../../fees/optional/optional-fee.rules.ts'
import { lockOptionalFee, readOptionalFees } from '../../fees/optional/optional-fees.service.ts'
import { applyFees, type FeePlan } from '../../fees/fees.service.ts'
import type { Institute } from '../../institutes/institutes.rules.ts'
import { dayOf, formatDay } from '../../platform/calendar.ts'
import type { Context } from '../../platform/context.ts'
import type { Queryable, Transaction } from '../../platform/db/database.ts'
import { badField, notFound } from '../../platform/errors.ts'
import { transact, type Command } from '../../platform/idempotency.ts'
import { newId } from '../../platform/ids.ts'
import { nameKey } from '../../platform/names.ts'
import { ZERO, type Paise } from '../../platform/money.ts'
import { holdStudents } from '../profile/lock-student.service.ts'
import { decideChoice, decideEnd, stands, type Decision, type Enrolment } from './enrolment.rules.ts'
import * as store from './enrolments.store.ts'
import { planCharges } from './plan-charges.service.ts'

export type { Who } from './enrolments.store.ts'

export const MOST_CHILDREN = 500

export type Enrolled = {
  student: store.Candidate
  outcome: 'changed' | 'unchanged' | 'skipped'
  /** Why it is not changed. */
  reason: string | null
  /** What the year's fee is before the change, and after it. */
  beforePaise: Paise
  afterPaise: Paise
  givenPaise: Paise
}

export type Enrolling = {
  fee: OptionalFee
  isPreview: boolean
  students: Enrolled[]
  /** Admission numbers that no child of the year has. */
  unknown: string[]
}

type EnrolRequest = { institute: Institute; feeId: string; isPreview: boolean; by: string }

export type AskedChoice = {
  who: store.Who
  optionId: string
  firstDay: string | null
  lastDay: string | null
  /** The amount of a fine; null takes the option's amount. */
  amountPaise: Paise | null
  /** Who has another option gets this one from the first day on. */
  isChange: boolean
  reason: string | null
}

/** Gives children an option of an optional fee, and charges it; whoever cannot have it is named with the reason. */
export async function enrol(
  ctx: Pick<Context, 'db' | 'clock'>,
  command: Command<Enrolling>,
  { institute, feeId, isPreview, by }: EnrolRequest,
  asked: AskedChoice,
): Promise<Enrolling> {
  return transact(ctx.db, command, async tx => {
    const fee = await lockOptionalFee(tx, institute.id, feeId)
    const option = fee.options.find(one => one.id === asked.optionId)
    if (option === undefined) throw badField('option_id', 'is no option of this fee')
    const { students, unknown } = await findWho(tx, institute, fee, asked.who)
    const options = new Map(students.map(student => [student.id, option]))
    const at = ctx.clock.now()
    const term = termOf(fee, asked, dayOf(at))
    const wishes = { ...asked, ...term, options, by, at }
    return {
      fee,
      isPreview,
      unknown,
      students: await give(tx, institute, fee, { students, wishes, isPreview }),
    }
  })
}

/** The days of a choice: from today to the end of the fee unless said otherwise. */
function termOf(
  fee: OptionalFee,
  {
    firstDay,
    lastDay,
    amountPaise,
    reason,
  }: Pick<AskedChoice, 'firstDay' | 'lastDay' | 'amountPaise' | 'reason'>,
  today: string,
): { firstDay: string; lastDay: string } {
  if (fee.kind === 'fine' && reason === null) throw badField('reason', 'is required: what is the fine for?')
  if (fee.kind !== 'fine' && amountPaise !== null)
    throw badField('amount', 'is that of the option; only a fine has another one')
  const span = spanOf(fee)
  if (span === null) return { firstDay: firstDay ?? today, lastDay: firstDay ?? today }
  const usual = today < span.firstDay ? span.firstDay : today
  const term = { firstDay: firstDay ?? usual, lastDay: lastDay ?? span.lastDay }
  const within = `between ${formatDay(span.firstDay)} and ${formatDay(span.lastDay)}`
  if (term.firstDay < span.firstDay || term.firstDay > span.lastDay)
    throw badField('first_day', `must be ${within}`)
  if (term.lastDay < term.firstDay || term.lastDay > span.lastDay)
    throw badField('last_day', `must be on or after the first day and ${within}`)
  return term
}

/** Ends what children have of an optional fee, or takes it back as if it had never been. */
export type AskedEnd = {
  who: store.Who
  /** Null: it is taken back. */
  lastDay: string | null
  /** Only this one. */
  enrolmentId: string | null
}

export async function endEnrolments(
  ctx: Pick<Context, 'db' | 'clock'>,
  command: Command<Enrolling>,
  { institute, feeId, isPreview }: Omit<EnrolRequest, 'by'>,
  { who, lastDay, enrolmentId }: AskedEnd,
): Promise<Enrolling> {
  return transact(ctx.db, command, async tx => {
    const fee = await lockOptionalFee(tx, institute.id, feeId)
    const { students, unknown } = await findWho(tx, institute, fee, who)
    const { current } = await hold(tx, institute, students)
    const end = { lastDay, only: enrolmentId }
    const decided = students.map(student => {
      const own = current.get(student.id) ?? []
      return { student, own, decision: decideEnd(ofFee(own, fee), end) }
    })
    const at = ctx.clock.now()
    return { fee, isPreview, unknown, students: await write(tx, institute, fee, { decided, isPreview, at }) }
  })
}

/**
 * The children of last year's fee who have a record in this one's year, each with the option of the same name, from its
 * first day on.
 */
export async function carryOn(
  ctx: Pick<Context, 'db' | 'clock'>,
  command: Command<Enrolling>,
  { institute, feeId, isPreview, by }: EnrolRequest,
  fromFeeId: string,
): Promise<Enrolling> {
  return transact(ctx.db, command, async tx => {
    const fee = await lockOptionalFee(tx, institute.id, feeId)
    const [before] = await readOptionalFees(tx, institute.id, { ids: [fromFeeId] })
    if (before === undefined) throw badField('from_fee_id', 'is no optional fee')
    const span = spanOf(before)
    const had = (await store.readStanding(tx, institute.id, before.id)).filter(
      one => span === null || one.lastDay === span.lastDay,
    )
    const next = await store.findInYear(tx, institute.id, {
      studentIds: had.map(one => one.studentId),
      year: fee.academicYearStart,
    })
    const options = new Map(
      had.flatMap(one => {
        const [id, option] = [next.get(one.studentId), sameOption(fee, before, one.optionId)]
        return id === undefined || option === undefined ? [] : [[id, option] as const]
      }),
    )
    const { students } = await findWho(tx, institute, fee, { studentIds: [...options.keys()] })
    const at = ctx.clock.now()
    const first = spanOf(fee)?.firstDay ?? dayOf(at)
    const term = { firstDay: first, lastDay: spanOf(fee)?.lastDay ?? first }
    const wishes = { ...term, options, amountPaise: null, isChange: false, reason: null, by, at }
    return {
      fee,
      isPreview,
      unknown: [],
      students: await give(tx, institute, fee, { students, wishes, isPreview }),
    }
  })
}

function sameOption(fee: OptionalFee, before: OptionalFee, optionId: string): Option | undefined {
  const had = before.options.find(one => one.id === optionId)
  if (had === undefined) return undefined
  return fee.options.find(one => nameKey(optionName(one)) === nameKey(optionName(had)))
}

async function findWho(
  tx: Transaction,
  institute: Institute,
  fee: OptionalFee,
  who: store.Who,
): Promise<{ students: store.Candidate[]; unknown: string[] }> {
  const asked = { who, year: fee.academicYearStart, limit: MOST_CHILDREN + 1 }
  const students = await store.findCandidates(tx, institute.id, asked)
  if (students.length > MOST_CHILDREN)
    throw badField('grade', `has more than ${MOST_CHILDREN} children; take a section at a time`)
  if ('studentIds' in who) {
    if (students.length < new Set(who.studentIds).size) throw notFound('One of these students')
    return { students, unknown: [] }
  }
  if (!('identifiers' in who)) return { students, unknown: [] }
  const found = new Set(students.map(one => one.identifier.toLowerCase()))
  return { students, unknown: who.identifiers.filter(one => !found.has(one.toLowerCase())) }
}

type Wishes = {
  options: ReadonlyMap<string, Option>
  firstDay: string
  lastDay: string
  amountPaise: Paise | null
  isChange: boolean
  reason: string | null
  by: string
  at: Date
}

async function give(
  tx: Transaction,
  institute: Institute,
  fee: OptionalFee,
  { students, wishes, isPreview }: { students: store.Candidate[]; wishes: Wishes; isPreview: boolean },
): Promise<Enrolled[]> {
  const { firstDay, lastDay, amountPaise, isChange, reason, by, at } = wishes
  const { current } = await hold(tx, institute, students)
  const places = placesOf(fee, await store.readStanding(tx, institute.id, fee.id), wishes)
  const decided = students.map(student => {
    const own = current.get(student.id) ?? []
    const option = wishes.options.get(student.id)
    const why = option === undefined ? 'has no option' : refusalOf(institute, fee, student)
    if (option === undefined || why !== null)
      return { student, own, decision: { kind: 'refused', why: why ?? '' } as const }
    const wanted: Enrolment = {
      id: newId('enr'),
      studentId: student.id,
      feeId: fee.id,
      optionId: option.id,
      amountPaise: amountPaise ?? option.amountPaise,
      firstDay,
      lastDay,
      reason,
      madeAt: at,
      madeBy: by,
    }
    const decision = decideChoice(ofFee(own, fee), { wanted, fee, isChange })
    return { student, own, decision, option }
  })
  return write(tx, institute, fee, { decided, isPreview, at, note: reason, places })
}

function refusalOf(institute: Institute, fee: OptionalFee, student: store.Candidate): string | null {
  if (student.status !== 'active') return 'is dropped'
  if (student.academicYearStart !== fee.academicYearStart) return 'is a record of another academic year'
  if (fee.collectorCode !== null && fee.collectorCode !== student.collectorCode) return 'is in another branch'
  if (student.origin === 'erp' && institute.locksErpStudents)
    return 'is kept by the ERP, and such students are locked'
  return null
}

/** Gives places of a route or room away, one after the other; a child who has one needs no other. */
function placesOf(
  fee: OptionalFee,
  standing: readonly Enrolment[],
  { firstDay, lastDay }: Pick<Wishes, 'firstDay' | 'lastDay'>,
) {
  const nameOf = new Map(fee.options.map(option => [option.id, nameKey(option.name)]))
  const taken = new Map<string, Set<string>>()
  const holdersOf = (name: string): Set<string> => {
    const holders = taken.get(name) ?? new Set<string>()
    taken.set(name, holders)
    return holders
  }
  const isOnce = fee.periods.length === 0
  for (const one of standing)
    if (isOnce || (one.firstDay <= lastDay && one.lastDay >= firstDay))
      holdersOf(nameOf.get(one.optionId) ?? '').add(one.studentId)
  return {
    take({ name, places }: Option, studentId: string): boolean {
      const holders = holdersOf(nameKey(name))
      if (places !== null && !holders.has(studentId) && holders.size >= places) return false
      holders.add(studentId)
      return true
    },
  }
}

const ofFee = (own: readonly Enrolment[], fee: OptionalFee): Enrolment[] =>
  own.filter(one => one.feeId === fee.id)

/** Holds them until the commit, and reads what they have. */
async function hold(
  tx: Transaction,
  institute: Institute,
  students: readonly store.Candidate[],
): Promise<{ current: Map<string, Enrolment[]> }> {
  await holdStudents(
    tx,
    students.map(({ id }) => ({ instituteId: institute.id, studentId: id })),
  )
  const all = await store.readEnrolments(
    tx,
    institute.id,
    students.map(({ id }) => id),
  )
  return { current: Map.groupBy(all, one => one.studentId) }
}

type EnrolResult = { shown: Enrolled; feePlan: FeePlan | null; enrolments: readonly Enrolment[] }
type Decided = {
  student: store.Candidate
  own: readonly Enrolment[]
  decision: Decision
  /** What is given, where places are. */
  option?: Option
}
type Places = { take(option: Option, studentId: string): boolean }

/** Computes the fees of whoever changes and, unless it is a preview, writes them; in the order of names. */
async function write(
  tx: Transaction,
  institute: Institute,
  fee: OptionalFee,
  {
    decided,
    isPreview,
    at,
    note = null,
    places,
  }: { decided: readonly Decided[]; isPreview: boolean; at: Date; note?: string | null; places?: Places },
): Promise<Enrolled[]> {
  const wishes = decided.map(({ student, own, decision }) => {
    const changed = decision.kind === 'changed' ? decision.enrolments : []
    const after = new Map([...own, ...changed].map(one => [one.id, one]))
    return { student, enrolments: [...after.values()], changed }
  })
  const plans = await planCharges(tx, institute.id, fee, wishes)
  const results = decided.flatMap(({ student, decision, option }, index): EnrolResult[] => {
    const [plan, wish] = [plans[index], wishes[index]]
    if (plan === undefined || wish === undefined) return []
    const { beforePaise, feePlan } = plan
    // A place is taken by whoever can have it otherwise.
    const hasPlace = (): boolean => option === undefined || places?.take(option, student.id) !== false
    const why =
      decision.kind !== 'changed'
        ? decision.why
        : (plan.problem ?? (hasPlace() ? null : `finds no place left: ${option?.name} has ${option?.places}`))
    if (decision.kind !== 'changed' || why !== null) {
      const outcome = decision.kind === 'unchanged' ? 'unchanged' : 'skipped'
      const same = { beforePaise, afterPaise: beforePaise, givenPaise: ZERO }
      return [{ shown: { student, outcome, reason: why, ...same }, feePlan: null, enrolments: [] }]
    }
    const { afterPaise, givenPaise } = plan
    const shown = { student, outcome: 'changed', reason: null, beforePaise, afterPaise, givenPaise } as const
    return [{ shown, feePlan, enrolments: wish.changed }]
  })
  if (!isPreview) {
    await store.writeEnrolments(
      tx,
      institute.id,
      results.flatMap(one => one.enrolments),
    )
    const feePlans = results.flatMap(one => one.feePlan ?? [])
    const context = { changedAt: at, source: 'optional' as const, ...(note === null ? {} : { note }) }
    await applyFees(tx, institute.id, feePlans, context)
  }
  return results
    .map(one => one.shown)
    .toSorted((one, other) => one.student.fullname.localeCompare(other.student.fullname))
}

export type Ended = {
  name: string
  lastDay: string
  /** What the year's fee was before the change, and after it. */
  beforePaise: Paise
  afterPaise: Paise
}

/**
 * Ends all that a child has of optional fees after its last day at school, each charged by its own rule; what is charged
 * once stays. Answers what ended, and the components of all fees that go by periods. The caller holds the student.
 */
export async function endAllOf(
  tx: Transaction,
  instituteId: number,
  studentId: string,
  { lastDay, at, note }: { lastDay: string; at: Date; note: string },
): Promise<{ ended: Ended[]; components: ReadonlySet<string> }> {
  let own = (await store.readEnrolments(tx, instituteId, [studentId])).filter(one => stands(one))
  const feeIds = new Set(own.map(one => one.feeId))
  const fees = await readOptionalFees(tx, instituteId, { ids: [...feeIds] })
  const byPeriods = fees.filter(({ periods }) => periods.length > 0)
  const ended: Ended[] = []
  for (const fee of byPeriods) {
    const decision = decideEnd(ofFee(own, fee), { lastDay, only: null })
    if (decision.kind !== 'changed') continue
    const changed = new Map(decision.enrolments.map(one => [one.id, one]))
    own = own.map(one => changed.get(one.id) ?? one)
    const who = { who: { studentIds: [studentId] }, year: fee.academicYearStart, limit: 1 }
    const [student] = await store.findCandidates(tx, instituteId, who)
    if (student === undefined) continue
    const [plan] = await planCharges(tx, instituteId, fee, [{ student, enrolments: own }])
    if (plan === undefined) continue
    await store.writeEnrolments(tx, instituteId, decision.enrolments)
    await applyFees(tx, instituteId, [plan.feePlan], { changedAt: at, source: 'optional', note })
    const { beforePaise, afterPaise } = plan
    ended.push({ name: fee.name, lastDay, beforePaise, afterPaise })
  }
  const components = byPeriods.flatMap(fee => componentsOf(fee).map(one => one.componentType))
  return { ended, components: new Set(components) }
}

/** What a child has or had of optional fees, the latest first, with the fees that it is of. */
export async function listOfStudent(
  db: Queryable,
  instituteId: number,
  studentId: string,
): Promise<{ enrolment: Enrolment; fee: OptionalFee; option: Option }[]> {
  const own = (await store.readEnrolments(db, instituteId, [studentId])).filter(one => stands(one))
  const fees = await readOptionalFees(db, instituteId, { ids: [...new Set(own.map(one => one.feeId))] })
  return own.toReversed().flatMap(enrolment => {
    const fee = fees.find(one => one.id === enrolment.feeId)
    const option = fee?.options.find(one => one.id === enrolment.optionId)
    return fee === undefined || option === undefined ? [] : [{ enrolment, fee, option }]
  })
}
