import { field, input, optional, query } from '../../../http/wire/input.ts'
import { rolloverFields } from '../../../students/rollover/rollover.schemas.ts'
import { outputOf, type Shown } from '../../../http/wire/output.ts'
import { problemOutput } from '../../../imports/imports.schemas.ts'
import type { GradeStructure, ReadStructure } from '../../../imports/rollover-file/rollover-file.service.ts'
import type { Paise } from '../../../platform/money.ts'
import { suggestNextGrade } from './rollover.rules.ts'
import type { GradeOfYear } from './rollover.store.ts'

const reason = field.text('Why; stands in the audit log.', 'The year 2027-28 begins')

/** The API's own fields; a preview needs no reason. */
export const startRolloverInput = input({
  ...rolloverFields,
  reason: optional(reason),
  without_structure: optional(
    field.flag('true: start although the new year lacks what `rollover-needs` names.', false),
    false,
  ).as('isWithoutStructure'),
})
export const rolloverNeedsQuery = query({
  from_academic_year_start: rolloverFields.from_academic_year_start,
  from_academic_year_end: rolloverFields.from_academic_year_end,
  to_academic_year_start: rolloverFields.to_academic_year_start,
  to_academic_year_end: rolloverFields.to_academic_year_end,
})
export const stopRolloverInput = input({ reason })
export const uploadQuery = query({ name: optional(field.text('The name of the file.', 'grades.xlsx')) })

const needs = outputOf<{ missing: string[] }>()
export const rolloverNeedsOutput = needs.object({
  missing: needs.texts('What the new year lacks, in sentences; it starts without only if that is said.', [
    'There is no fee structure for 2027-28.',
  ]),
})
export type RolloverNeedsAnswer = Shown<typeof rolloverNeedsOutput>

const fee = outputOf<{ componentType: string; feePaise: Paise }>()
const feeOutput = fee.object({
  component_type: fee.text('The fee.', 'TUITION_FEE'),
  fee_amount: fee.amount('Rupees.', 60000, one => one.feePaise),
})

const grade = outputOf<GradeOfYear>()
export const gradeOfYearOutput = grade.object({
  academic_year_start: grade.integer('Start of the year.', 2026),
  academic_year_end: grade.integer('Its end.', 2027),
  grade: grade.text('The grade.', '5'),
  students: grade.integer('Active students in it.', 38),
  next_grade: grade.optional.text('The grade that seems to follow.', '6', ({ grade: one }) => {
    const next = suggestNextGrade(one)
    return next === null || next === 'leaves' ? null : next.next
  }),
  leaves: grade.flag('Whether it seems to be the last grade.', false, ({ grade: one }) => {
    return suggestNextGrade(one) === 'leaves'
  }),
  fee_components: grade.list('The fees of most of them.', feeOutput, one => one.fees),
})
export type GradeOfYearAnswer = Shown<typeof gradeOfYearOutput>

const mapped = outputOf<GradeStructure['grades'][number]>()
const mappedOutput = mapped.object({
  grade: mapped.text('Grade of the old year.', '5'),
  next_grade: mapped.optional.text('Grade of the new year; absent: it leaves the school.', '6'),
})
const priced = outputOf<GradeStructure['fees'][number]>()
const pricedOutput = priced.object({
  grade: priced.text('Grade of the new year.', '6'),
  fee_components: priced.list('Its fees.', feeOutput, one => one.fees),
})
const file = outputOf<ReadStructure>()
export const structureOutput = file.object({
  grades: file.list('Where each grade goes.', mappedOutput),
  fees: file.list('What each grade of the new year costs.', pricedOutput),
  problems: file.list('Rows that were left out, the first 200.', problemOutput),
  unknown_columns: file.texts('Columns that mean nothing here.', []),
})
export type StructureAnswer = Shown<typeof structureOutput>
