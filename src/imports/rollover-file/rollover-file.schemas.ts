import { field, input, optional } from '../../http/wire/input.ts'
import { feeFields } from '../../students/student.input.ts'
import type { RawProblem } from '../files/columns.rules.ts'
import { defineFileRows } from '../kinds/row-fields.schemas.ts'
import type { Paise } from '../../platform/money.ts'

export type StructureRow = {
  grade: string
  nextGrade: string | null
  componentType: string | null
  feePaise: Paise | null
}

/** A row says where a grade goes, and beside that what one component of the new grade costs. */
const cells = input({
  grade: field.code('Grade of the old year.', '5'),
  next_grade: optional(field.code('Grade of the new year; blank: it leaves the school.', '6')),
  component_type: optional(feeFields.component_type),
  fee_amount: optional(feeFields.fee_amount),
})
export const structureRows = defineFileRows(
  cells,
  (read): StructureRow => read,
  ({ nextGrade, componentType, feePaise }): RawProblem[] => {
    if (nextGrade === null && componentType !== null)
      return [{ column: 'next_grade', message: 'is required beside a component_type' }]
    if (componentType === null && feePaise !== null)
      return [{ column: 'component_type', message: 'is required beside a fee_amount' }]
    return componentType !== null && feePaise === null
      ? [{ column: 'fee_amount', message: 'is required beside a component_type' }]
      : []
  },
)
