import { outputOf, type Shown } from '../../../http/wire/output.ts'
import type { StructureYear } from '../../../fees/structures/structures.service.ts'
import type { Category, ClassApplication } from '../../../students/structures/apply-structure.service.ts'
import type { Application } from '../../../students/structures/plan-students.service.ts'
import { studentFields } from '../../../students/student.output.ts'

const year = outputOf<StructureYear>()
export const yearOutput = year.object({
  academic_year_start: year.integer('Start of the academic year.', 2026),
  academic_year_end: year.integer('Its end.', 2027),
  branches: year.texts('Branches with a structure of their own.', ['SOUTH'], one => one.branches),
})

export type StructureYearAnswer = Shown<typeof yearOutput>

const applied = outputOf<Application>()
const appliedOutput = applied.object({
  service_student_id: applied.text(
    'Id of the student.',
    studentFields.service_student_id.example,
    one => one.student.id,
  ),
  fullname: applied.text('Its name.', 'Kabir Rao', one => one.student.fullname),
  identifier: applied.text('Its admission number.', 'ADM-1042', one => one.student.identifier),
  section: applied.optional.text('Its section.', 'B', one => one.student.section),
  child: applied.integer('Which child of its family it is.', 1, one => one.childNo),
  outcome: applied.oneOf(
    ['changed', 'unchanged', 'skipped'],
    'Whether its fees change, are so already, or are left alone.',
  ),
  reason: applied.optional.text('Why it is skipped.', 'No amounts are set for this class.'),
  before_amount: applied.amount('Payable before, rupees.', 0, one => one.beforePaise),
  after_amount: applied.amount('Payable afterwards, rupees.', 72000, one => one.afterPaise),
  concession_amount: applied.amount('Concessions in it, rupees.', 0, one => one.concessionPaise),
})

const unpriced = outputOf<ClassApplication['unpriced'][number]>()
const unpricedOutput = unpriced.object({
  grade: unpriced.text('The class.', 'Std II'),
  students: unpriced.integer('Active students who have no fees.', 2),
})

const out = outputOf<ClassApplication>()
export const classApplicationOutput = out.object({
  grade: out.text('The class.', '5'),
  preview: out.flag('Whether nothing was set.', true, one => one.isPreview),
  students: out.list('Its active students, by name.', appliedOutput),
  next_after: out.optional.text(
    'Where the next part of a large class begins; absent when this is all.',
    studentFields.service_student_id.example,
  ),
  classes_without_fees: out.list(
    'Classes of the year that the structure sets nothing for, up to 100.',
    unpricedOutput,
    one => one.unpriced,
  ),
})
export type ClassApplicationAnswer = Shown<typeof classApplicationOutput>

const category = outputOf<Category>()
export const categoryOutput = category.object({
  category: category.text('As the office writes it.', 'Staff'),
  students: category.integer('Active students of the year who have it, however it is written.', 8),
})
export type CategoryAnswer = Shown<typeof categoryOutput>

const lock = outputOf<{ isLocked: boolean }>()
export const erpLockOutput = lock.object({
  locked: lock.flag(
    'Whether students that the ERP keeps are locked for the office.',
    false,
    one => one.isLocked,
  ),
})
