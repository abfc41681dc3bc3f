import { input, optional, type Read } from '../../../http/wire/input.ts'
import type { Discount } from '../../../fees/fees.rules.ts'
import { discountFields, feeFields, SCHOOL_YEAR } from '../../../students/student.input.ts'
import type { RawProblem } from '../../files/columns.rules.ts'
import { defineRows } from '../row-fields.schemas.ts'
import { identityCells, splitIdentity, type RowOfStudent } from '../student-identity.schemas.ts'

export type FeeRow = RowOfStudent & {
  componentType: string
  feePaise: number
  /** Undefined: those stored stay; empty: they end. */
  discounts: Discount[] | undefined
}

const cells = input(
  {
    ...identityCells,
    ...feeFields,
    discount_type: optional(discountFields.discount_type),
    discount_amount: optional(discountFields.value),
  },
  SCHOOL_YEAR,
)

type FeeCells = Read<typeof cells>

export const feeRows = defineRows(
  cells,
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
