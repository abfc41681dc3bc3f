import { sumPaise } from '../../../platform/money.ts'
import { MAX_COMPONENTS } from '../../../fees/fees.rules.ts'
import type { SentId } from '../../../students/direct-payments/direct-payments.rules.ts'
import type { DirectPayment } from '../../../students/students.rules.ts'
import { listRows, mergeUnits, type MaybeRead, type Units } from '../merge.rules.ts'
import type { PaymentRow } from './payment-rows.schemas.ts'

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
