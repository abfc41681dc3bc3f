import { profileDifference, type DirectPayment } from '../../../students/students.rules.ts'
import { listRows, mergeUnits, type PlacedRow, type Units, type MaybeRead } from '../merge.rules.ts'
import type { StudentRow, FeeRow, PaymentRow } from './erp-rows.schemas.ts'
import { paiseOf, sumPaise } from '../../../platform/money.ts'
import { feeProblems, MAX_COMPONENTS, type SentFee } from '../../../fees/fees.rules.ts'
import type { SentId } from '../../../students/direct-payments/direct-payments.rules.ts'

export type SaidStudent = StudentRow & { registrationIds: string[] }

/**
 * A student may stand in several rows, one for each user that it belongs to. Whatever else they say must be the same:
 * which of two rows is right, and which came last when the file comes again, nobody could tell.
 */
export function mergeStudentRows(rows: readonly PlacedRow<StudentRow>[]): Units<SaidStudent, StudentRow> {
  const [first, ...others] = rows
  if (first === undefined) return { units: [], problems: [] }
  const problems = others.flatMap(({ rowNo, row }) => {
    const column = differenceOf(first.row, row)
    if (column === null) return []
    return [{ rowNo, column, message: `differs from row ${first.rowNo}, which is the same student` }]
  })
  const bad = new Set(problems.map(problem => problem.rowNo))
  const good = rows.filter(({ rowNo }) => !bad.has(rowNo))
  const registrationIds = [...new Set(good.map(({ row }) => row.registrationId))]
  return { units: [{ said: { ...first.row, registrationIds }, rows: good }], problems }
}

function differenceOf(one: StudentRow, other: StudentRow): string | null {
  if (one.collectorCode !== other.collectorCode) return 'collector_code'
  return profileDifference(one.profile, other.profile)
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
  ['id', 'id'],
] as const

/** A payment stands in one row for each component that was paid for. */
export function mergePaymentRows(
  rows: readonly MaybeRead<PaymentRow>[],
): Units<DirectPayment & SentId, PaymentRow> {
  return mergeUnits<DirectPayment & SentId, PaymentRow>(rows, 'transaction_id', unit => {
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
    const { transactionId, paidAt, mode, settlementUtr, notes, id } = first.row
    const amountPaise = sumPaise(lines.map(line => line.amountPaise))
    return { transactionId, amountPaise, paidAt: new Date(paidAt), mode, settlementUtr, notes, lines, id }
  })
}
