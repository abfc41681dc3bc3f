import { input } from '../../../http/wire/input.ts'
import { feeFields, paidBeforeFields, SCHOOL_YEAR } from '../../../students/student.input.ts'
import type { DirectPayment } from '../../../students/students.rules.ts'
import { defineRows } from '../row-fields.schemas.ts'
import { identityCells, splitIdentity, type RowOfStudent } from '../student-identity.schemas.ts'

export type PaymentRow = RowOfStudent & {
  transactionId: string
  /** As JSON holds it. */
  paidAt: string
  line: DirectPayment['lines'][number]
  /** Our own id, of one that is sent back. */
  id: string | null
} & Pick<DirectPayment, 'mode' | 'settlementUtr' | 'notes'>

const { transaction_id, fee_components: _lines, ...others } = paidBeforeFields
const { component_type } = feeFields
const cells = input({ ...identityCells, transaction_id, component_type, ...others }, SCHOOL_YEAR)

export const paymentRows = defineRows(cells, (read): PaymentRow => {
  const { owner, rest } = splitIdentity(read)
  const { componentType, amountPaise, paidAt, ...payment } = rest
  return { ...owner, ...payment, paidAt: paidAt.toISOString(), line: { componentType, amountPaise } }
})
