import { paiseOf, sumPaise } from '../platform/money.ts'
import { feeProblems, MAX_COMPONENTS, type SentFee } from '../fees/fees.rules.ts'
import type { FeeRow, PaymentRow, StudentRow } from './import-rows.schemas.ts'
import { pickRegistered, type DirectPayment, type Profile } from '../students/students.rules.ts'

/** What the rows of one student say together. */
export type Placed<Row> = { groupNo: number; rowNo: number; unit: string; row: Row }

/** A row that could not be read has none. */
export type MaybeRead<Row> = Placed<Row | null>

export type RowProblem = { rowNo: number; column: string; message: string }

export type Unit<Said, Row> = { said: Said; rows: Placed<Row>[] }

export type Units<Said, Row> = { units: Unit<Said, Row>[]; problems: RowProblem[] }

const PROFILE_COLUMNS: Record<keyof Profile, string> = {
  customIdentifier: 'custom_identifier',
  fullname: 'fullname',
  newAdmission: 'new_admission',
  dateOfBirth: 'date_of_birth',
  contactName: 'primary_contact_name',
  contactNumber: 'primary_contact_number',
  contactEmail: 'primary_contact_email',
}

export type SaidStudent = StudentRow & { registrationIds: string[] }

/**
 * A student may stand in several rows, one for each user that it belongs to. Whatever else they say must be the same:
 * which of two rows is right, and which came last when the file comes again, nobody could tell.
 */
export function mergeStudent(rows: readonly Placed<StudentRow>[]): Units<SaidStudent, StudentRow> {
  const [first, ...others] = rows
  if (first === undefined) return { units: [], problems: [] }
  const problems = others.flatMap(({ rowNo, row }) => {
    const column = profileDifference(first.row, row)
    if (column === null) return []
    return [{ rowNo, column, message: `differs from row ${first.rowNo}, which is the same student` }]
  })
  const bad = new Set(problems.map(problem => problem.rowNo))
  const good = rows.filter(({ rowNo }) => !bad.has(rowNo))
  const registrationIds = [...new Set(good.map(({ row }) => row.registrationId))]
  return { units: [{ said: { ...first.row, registrationIds }, rows: good }], problems }
}

function profileDifference(one: StudentRow, other: StudentRow): string | null {
  if (one.collectorCode !== other.collectorCode) return 'collector_code'
  const keys = Object.keys(PROFILE_COLUMNS) as (keyof Profile)[]
  const different = keys.find(key => one.profile[key] !== other.profile[key])
  return different === undefined ? null : PROFILE_COLUMNS[different]
}

/** A component stands in one row, or in one for each of its discounts. */
export function mergeFeeRows(rows: readonly MaybeRead<FeeRow>[]): Units<SentFee, FeeRow> {
  return mergeUnits<SentFee, FeeRow>(rows, 'component_type', unit => {
    const [first, ...others] = unit
    const other = others.find(({ row }) => row.feePaise !== first.row.feePaise)
    if (other !== undefined)
      return { column: 'fee_amount', message: `differs in rows ${first.rowNo} and ${other.rowNo}` }
    const types = unit.map(({ row }) => row.discounts?.[0]?.discountType)
    if (unit.length > 1 && new Set(types.filter(type => type !== undefined)).size < unit.length) {
      return {
        column: 'component_type',
        message: `stands twice for this student, in rows ${listRows(unit)}; only another discount_type makes another row`,
      }
    }
    const { componentType, feePaise, discounts } = first.row
    const said: SentFee = {
      componentType,
      feePaise: paiseOf(feePaise),
      discounts: others.length === 0 ? discounts : unit.flatMap(({ row }) => row.discounts ?? []),
    }
    const [problem] = feeProblems([said], 'fees')
    return problem === undefined
      ? said
      : { column: 'discount_amount', message: 'is more than fee_amount in all' }
  })
}

const SHARED = [
  ['paidAt', 'paid_at'],
  ['mode', 'mode'],
  ['settlementUtr', 'settlement_utr'],
  ['notes', 'notes'],
] as const

/** A payment stands in one row for each component that was paid for. */
export function mergePaymentRows(rows: readonly MaybeRead<PaymentRow>[]): Units<DirectPayment, PaymentRow> {
  return mergeUnits<DirectPayment, PaymentRow>(rows, 'transaction_id', unit => {
    const [first, ...others] = unit
    for (const [key, column] of SHARED) {
      const other = others.find(({ row }) => row[key] !== first.row[key])
      if (other !== undefined)
        return { column, message: `differs in rows ${first.rowNo} and ${other.rowNo} of this payment` }
    }
    const lines = unit.map(({ row }) => row.line)
    if (new Set(lines.map(line => line.componentType)).size < lines.length) {
      return { column: 'component_type', message: `stands twice in this payment, rows ${listRows(unit)}` }
    }
    if (lines.length > MAX_COMPONENTS)
      return { column: 'transaction_id', message: `has more than ${MAX_COMPONENTS} rows` }
    const { transactionId, paidAt, mode, settlementUtr, notes } = first.row
    const amountPaise = sumPaise(lines.map(line => line.amountPaise))
    return { transactionId, amountPaise, paidAt: new Date(paidAt), mode, settlementUtr, notes, lines }
  })
}

type Flaw = { column: string; message: string }

/** Units in the order in which they begin. What is wrong with one is wrong with each of its rows. */
function mergeUnits<Said extends object, Row>(
  rows: readonly MaybeRead<Row>[],
  column: string,
  merge: (unit: readonly [Placed<Row>, ...Placed<Row>[]]) => Said | Flaw,
): Units<Said, Row> {
  const result: Units<Said, Row> = { units: [], problems: [] }
  for (const members of Map.groupBy(rows, row => row.unit).values()) {
    const unread = members.filter(member => member.row === null)
    const read = members.filter((member): member is Placed<Row> => member.row !== null)
    const [first, ...others] = read
    if (first === undefined) continue
    const said: Said | Flaw =
      unread.length > 0
        ? { column, message: `belongs together with row ${listRows(unread)}, which cannot be read` }
        : merge([first, ...others])
    if ('message' in said && 'column' in said)
      result.problems.push(...read.map(({ rowNo }) => ({ rowNo, ...said })))
    else result.units.push({ said, rows: read })
  }
  return result
}

const MAX_LISTED = 5

function listRows(rows: readonly { rowNo: number }[]): string {
  const listed = rows.slice(0, MAX_LISTED).map(row => row.rowNo)
  return rows.length > MAX_LISTED ? `${listed.join(', ')} …` : listed.join(', ')
}

export type Owner<Known> =
  | { kind: 'found'; known: Known }
  | { kind: 'none' }
  | { kind: 'several'; branches: string[] }

/** Which student fees or a payment are of; without a branch it may also be the only one there is. */
export function pickOwner<Known extends { student: { collectorCode: string }; isBranchAssumed: boolean }>(
  known: readonly Known[],
  sentBranch: string | undefined,
  branch: string,
): Owner<Known> {
  const [only, second] = known
  const found =
    pickRegistered(known, sentBranch, branch) ??
    (sentBranch === undefined && second === undefined ? only : undefined)
  if (found !== undefined) return { kind: 'found', known: found }
  if (sentBranch !== undefined || only === undefined) return { kind: 'none' }
  return { kind: 'several', branches: known.map(({ student }) => student.collectorCode) }
}

export function ownerProblem(owner: Owner<unknown>, sentBranch: string | undefined): Flaw {
  if (owner.kind === 'several') {
    return {
      column: 'collector_code',
      message: `is required: such students are in ${owner.branches.join(', ')}`,
    }
  }
  const where = sentBranch === undefined ? '' : ` in the branch ${sentBranch}`
  return {
    column: 'identifier',
    message: `is of no student of this grade and academic year${where}; import or register the student first`,
  }
}

/** Two ways to name one student would be two judgements of it that know nothing of each other. */
export function twinProblem([first]: readonly { rowNo: number }[]): Flaw {
  return {
    column: 'collector_code',
    message: `makes this the student of row ${first?.rowNo ?? 0}, which is named otherwise there; name it the same way in both`,
  }
}
