import { input, optional, type Read } from '../../../http/wire/input.ts'
import {
  registrationParams,
  SCHOOL_YEAR,
  studentFields,
  discountFields,
  feeFields,
  paidBeforeFields,
} from '../../../students/student.input.ts'
import type { Profile, DirectPayment } from '../../../students/students.rules.ts'
import { defineFileRows, identityCells, type RowOfStudent, splitIdentity } from '../row-fields.schemas.ts'
import type { Discount } from '../../../fees/fees.rules.ts'
import type { RawProblem } from '../../files/columns.rules.ts'

export type StudentRow = RowOfStudent & { registrationId: string; profile: Profile }

const { fullname, ...otherStudentFields } = studentFields
const studentCells = input(
  { ...registrationParams.fields, fullname, ...identityCells, ...otherStudentFields },
  SCHOOL_YEAR,
)

export const studentRows = defineFileRows(studentCells, (read): StudentRow => {
  const { owner, rest } = splitIdentity(read)
  const { registrationId, ...profile } = rest
  return { ...owner, registrationId, profile }
})

export type FeeRow = RowOfStudent & {
  componentType: string
  feePaise: number
  /** Undefined: those stored stay; empty: they end. */
  discounts: Discount[] | undefined
}

const feeCells = input(
  {
    ...identityCells,
    ...feeFields,
    discount_type: optional(discountFields.discount_type),
    discount_amount: optional(discountFields.value),
  },
  SCHOOL_YEAR,
)

type FeeCells = Read<typeof feeCells>

export const feeRows = defineFileRows(
  feeCells,
  (read): FeeRow => {
    const { componentType, feePaise } = read
    return { ...splitIdentity(read).owner, componentType, feePaise, discounts: discountsOf(read) }
  },
  discountProblems,
)

/** A discount of 0 without a type ends those stored, as an empty list does in Update Fee. */
function discountsOf({ discountType, discountAmountPaise }: FeeCells): Discount[] | undefined {
  if (discountAmountPaise === null) return undefined
  return discountType === null ? [] : [{ discountType, valuePaise: discountAmountPaise }]
}

function discountProblems({ discountType, discountAmountPaise }: FeeCells): RawProblem[] {
  if (discountType !== null && discountAmountPaise === null)
    return [{ column: 'discount_amount', message: 'is required beside a discount_type' }]
  if (discountType === null && discountAmountPaise !== null && discountAmountPaise > 0)
    return [{ column: 'discount_type', message: 'is required beside a discount_amount' }]
  return []
}

export type PaymentRow = RowOfStudent & {
  transactionId: string
  /** ISO text, because staged rows are JSON. */
  paidAt: string
  line: DirectPayment['lines'][number]
  /** Our own id, of one that is sent back. */
  id: string | null
} & Pick<DirectPayment, 'mode' | 'settlementUtr' | 'notes'>

const { transaction_id, fee_components: _lines, ...otherPaymentFields } = paidBeforeFields
const { component_type } = feeFields
const paymentCells = input(
  { ...identityCells, transaction_id, component_type, ...otherPaymentFields },
  SCHOOL_YEAR,
)

export const paymentRows = defineFileRows(paymentCells, (read): PaymentRow => {
  const { owner, rest } = splitIdentity(read)
  const { componentType, amountPaise, paidAt, ...payment } = rest
  return { ...owner, ...payment, paidAt: paidAt.toISOString(), line: { componentType, amountPaise } }
})
