import type { FieldProblem } from '../platform/errors.ts'
import { type Paise, formatRupees, minPaise, paiseOf, subtractPaise, ZERO } from '../platform/money.ts'
import { type SourceRecord, branchAfter } from '../students/profile/profile.rules.ts'
import type { Student } from '../students/students.rules.ts'
import { addAll } from '../platform/lists.ts'

/** What is known of the fetch-student endpoint that an ERP hosts: what it is asked, and what its answers mean. */
export const LOOKUP_PARAMETERS = [
  'identifier',
  'grade',
  'custom_identifier',
  'collector_code',
  'academic_year_start',
  'academic_year_end',
] as const
export type LookupParameter = (typeof LOOKUP_PARAMETERS)[number]

/** Whom the ERP is asked for; what is not known is not sent. */
export type LookupValues = { identifier: string } & Partial<Record<LookupParameter, string>>

/** A student as the caller names it. */
export type NamedStudent = {
  identifier: string
  grade?: string | undefined
  customIdentifier?: string | undefined
  collectorCode?: string | undefined
  academicYearStart?: number | undefined
  academicYearEnd?: number | undefined
}

const REFUSAL_CODES = [
  'student_not_found',
  'student_discontinued',
  'student_transferred',
  'data_error',
] as const
export type RefusalCode = (typeof REFUSAL_CODES)[number]

/** Our own code for a record of another academic year than that of the plan or reminder; it acts as data_error. */
export const YEAR_CHANGED = 'academic_year_changed'

type Year = { academicYearStart: number; academicYearEnd: number }

export function yearChangedMessage(asked: Year, answered: Year, lookup: readonly LookupParameter[]): string {
  const isAsked = lookup.includes('academic_year_start') && lookup.includes('academic_year_end')
  const what = `The ERP answered for the academic year ${yearText(answered)}, and this record is of ${yearText(asked)}.`
  return isAsked
    ? `${what} The fetch-student endpoint has to answer for academic_year_start and academic_year_end as they are asked.`
    : `${what} Switch on the lookup parameters academic_year_start and academic_year_end, so that the ERP is asked for the year.`
}

function yearText({ academicYearStart, academicYearEnd }: Year): string {
  return `${academicYearStart}-${academicYearEnd}`
}

export type ScheduleRow = {
  dueDate: string
  referenceId: string | null
  identifier: string | null
  isDownpayment: boolean
  details: readonly { componentType: string; amountPaise: Paise }[]
}

export type ErpUser = { name: string; phone: string }

/** The student as the ERP has it. */
export type ErpRecord = SourceRecord & {
  paymentSchedule: readonly ScheduleRow[] | null
  user: ErpUser | null
}

/** Why nothing is known of a student after its ERP was asked. */
export type UnavailableReason =
  // It could not be reached, or did not answer.
  | 'address_refused'
  | 'name_not_found'
  | 'not_reachable'
  | 'tls'
  | 'timeout'
  | 'broken_answer'
  // It answered with something that no fetch-student endpoint answers.
  | 'not_authorised'
  | 'redirect'
  | 'http_status'
  | 'too_large'
  | 'not_json'
  // It answered, and this one answer is wrong.
  | 'wrong_record'
  | 'wrong_refusal'
  | 'another_student'
  // It was not asked.
  | 'resting'
  | 'crowded'
  | 'stopped'

type Common = { durationMs: number }
export type FoundAnswer = Common & { kind: 'found'; httpStatus: 200; record: ErpRecord }
export type Refused = Common & {
  kind: 'refused'
  httpStatus: number
  /** The ERP's own code. */
  code: string
  actsAs: RefusalCode
  /** Text for parents. */
  message: string
}
export type Unavailable = Common & {
  kind: 'unavailable'
  httpStatus: number | null
  reason: UnavailableReason
  /** Text for the people who run the ERP. */
  message: string
  problems: readonly FieldProblem[]
}
export type ErpAnswer = FoundAnswer | Refused | Unavailable

export function actsAs(code: string): RefusalCode {
  return REFUSAL_CODES.find(known => known === code) ?? 'data_error'
}

export function unavailableBecause(
  reason: UnavailableReason,
  message: string,
  more: Partial<Pick<Unavailable, 'httpStatus' | 'durationMs' | 'problems'>> = {},
): Unavailable {
  return { kind: 'unavailable', reason, message, httpStatus: null, durationMs: 0, problems: [], ...more }
}

/** Says nothing of the ERP: it was never asked. */
const NOT_ASKED: readonly UnavailableReason[] = ['resting', 'crowded', 'stopped']
/** The ERP is up and answered in time: a record that is wrong must not keep the other students waiting. */
const WRONG_ANSWERS: readonly UnavailableReason[] = ['wrong_record', 'wrong_refusal', 'another_student']

/** Whether an answer shows that the ERP itself works; null when it shows neither. */
export function isErpWell(answer: ErpAnswer): boolean | null {
  if (answer.kind !== 'unavailable') return true
  if (NOT_ASKED.includes(answer.reason)) return null
  return WRONG_ANSWERS.includes(answer.reason)
}

/** How a student is asked for, of what is stored of it. */
export function askedOf({ customIdentifier, ...student }: Student): LookupValues {
  return toAsked({ ...student, customIdentifier: customIdentifier ?? undefined })
}

/** Query values are text; what is not known is left out. */
export function toAsked({ identifier, ...named }: NamedStudent): LookupValues {
  const { academicYearStart: start, academicYearEnd: end } = named
  return {
    identifier,
    ...(named.grade === undefined ? {} : { grade: named.grade }),
    ...(named.customIdentifier === undefined ? {} : { custom_identifier: named.customIdentifier }),
    ...(named.collectorCode === undefined ? {} : { collector_code: named.collectorCode }),
    ...(start === undefined ? {} : { academic_year_start: String(start) }),
    ...(end === undefined ? {} : { academic_year_end: String(end) }),
  }
}

/** The address with what the lookup option says, behind whatever query the institute's own address has. */
export function fetchUrl(base: string, lookup: readonly LookupParameter[], asked: LookupValues): string {
  const url = new URL(base)
  const parameters = LOOKUP_PARAMETERS.flatMap(name => {
    const value = lookup.includes(name) ? asked[name] : undefined
    // Not as a form would, with "+" for a blank: every server reads %20.
    return value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`]
  })
  url.search = [...(url.search === '' ? [] : [url.search.slice(1)]), ...parameters].join('&')
  url.hash = ''
  return url.href
}

/**
 * The circuit of one ERP. Closed it lets everything through and counts failures in a row; at the fifth it opens: then
 * nobody waits 15 seconds for an ERP that does not answer, and an ERP that struggles gets one call every 30 seconds.
 * The first answer closes it. Times are in ms of the domain's clock.
 */
export type Circuit = {
  failuresInRow: number
  /** Only while it is open. */
  nextProbeAt: number
}

export const CLOSED: Circuit = { failuresInRow: 0, nextProbeAt: 0 }

const OPENS_AFTER = 5
const PROBE_EVERY_MS = 30_000

export function isOpen(circuit: Circuit): boolean {
  return circuit.failuresInRow >= OPENS_AFTER
}

/** Whether a call may go out now. A probe further away than the pause means that the clock was set back. */
export function letsThrough(circuit: Circuit, now: number): boolean {
  return !isOpen(circuit) || now >= circuit.nextProbeAt || circuit.nextProbeAt - now > PROBE_EVERY_MS
}

/** A call goes out: through an open circuit it is the probe, and the next waits its time. */
export function afterStart(circuit: Circuit, now: number): Circuit {
  return isOpen(circuit) ? { ...circuit, nextProbeAt: now + PROBE_EVERY_MS } : circuit
}

export function afterCall(circuit: Circuit, isWell: boolean, now: number): Circuit {
  if (isWell) return CLOSED
  const failuresInRow = circuit.failuresInRow + 1
  // Calls that were under way when it opened end later, and do not push the probe away.
  const nextProbeAt = failuresInRow === OPENS_AFTER ? now + PROBE_EVERY_MS : circuit.nextProbeAt
  return { failuresInRow, nextProbeAt }
}

const SCHEDULE = 'data.payment_schedule'
const MOST_NAMED = 100

export type StudentHere = {
  branches: readonly { collectorCode: string }[]
  /** The student here; null when none is registered. */
  student: { hasFees: boolean; paid: ReadonlyMap<string, Paise> } | null
  isCustomSchedule: boolean
  today: string
}

/** What a pull of this record would refuse, leave out or cut. */
export function recordDifferences(record: ErpRecord, known: StudentHere): FieldProblem[] {
  const problems: FieldProblem[] = []
  if (branchAfter(known, { collectorCode: '' }, record) === null)
    problems.push({
      key: 'data.student.collector_code',
      message: `names no branch of this institute: ${record.collectorCode}; a fetch would be a data_error`,
    })
  if (record.fees.length === 0 && known.student?.hasFees === true)
    problems.push({
      key: 'data.fee_components',
      message: 'is empty, and the student has fees; a fetch would be a data_error',
    })
  if (!known.isCustomSchedule || record.paymentSchedule === null) return problems
  const paid = known.student?.paid
  const owed = new Map(
    record.fees.map(({ componentType, feePaise }) => {
      return [componentType, paiseOf(Math.max(feePaise - (paid?.get(componentType) ?? 0), 0))]
    }),
  )
  return [...problems, ...scheduleDifferences(record.paymentSchedule, owed, known.today)]
}

/**
 * Where a plan would depart from the rows of a custom schedule: a row in the past is ignored, a mandate is debited once a
 * day, never more is taken of a component than is owed, the latest rows giving way first, and what the rows leave open
 * stays due outside the plan.
 */
export function scheduleDifferences(
  rows: readonly ScheduleRow[],
  owed: ReadonlyMap<string, Paise>,
  today: string,
): FieldProblem[] {
  const problems: FieldProblem[] = []
  const days = new Map<string, number>()
  const left = new Map(owed)
  for (const [index, row] of inOrder(rows)) {
    const at = `${SCHEDULE}.${index}`
    if (!row.isDownpayment && row.dueDate < today) {
      problems.push({ key: `${at}.due_date`, message: 'lies in the past; the row is ignored' })
      continue
    }
    const other = row.isDownpayment ? undefined : days.get(row.dueDate)
    if (other !== undefined)
      problems.push({
        key: `${at}.due_date`,
        message: `is that of ${SCHEDULE}.${other} too; a mandate is debited once a day, so this row is debited on the next bank day`,
      })
    else if (!row.isDownpayment) days.set(row.dueDate, index)
    addAll(problems, takeLines(row, left, at))
  }
  const open = [...left].filter(([, amount]) => amount > 0)
  const leftOpen = open.map(([type, amount]) => ({
    key: SCHEDULE,
    message: `leaves ${formatRupees(amount)} of ${type} open, which stays due outside the plan`,
  }))
  return [...problems, ...leftOpen].slice(0, MOST_NAMED)
}

/** The down payment first, then by day: what comes late gives way. */
function inOrder(rows: readonly ScheduleRow[]): [number, ScheduleRow][] {
  return [...rows.entries()].toSorted(
    ([, one], [, other]) =>
      Number(other.isDownpayment) - Number(one.isDownpayment) || one.dueDate.localeCompare(other.dueDate),
  )
}

function takeLines(row: ScheduleRow, left: Map<string, Paise>, at: string): FieldProblem[] {
  return row.details.flatMap(({ componentType, amountPaise }, index) => {
    const rest = left.get(componentType) ?? ZERO
    const taken = minPaise(rest, amountPaise)
    left.set(componentType, subtractPaise(rest, taken))
    if (taken === amountPaise) return []
    const above = formatRupees(subtractPaise(amountPaise, taken))
    const message = `is ${above} more of ${componentType} than is owed; so much of it gives way`
    return [{ key: `${at}.details.${index}.amount`, message }]
  })
}
