import { field, input, optional, query } from '../../../http/wire/input.ts'
import { outputOf, type Shown } from '../../../http/wire/output.ts'
import { SHEET_FORMATS, type ListedClass } from './class-sheets.service.ts'

const key = {
  collector_code: field.code('The branch.', 'MAIN'),
  grade: field.code('The grade.', '5'),
}

export const classTeacherInput = input({
  ...key,
  section: optional(field.text('The section; absent where there are none.', 'B', 64), ''),
  name: optional(field.text('The class teacher; nobody if absent.', 'Meena Pillai', 100)),
  email: optional(field.email('Where the sheet is mailed to.', 'meena.pillai@school.example')),
})

export const sheetsQuery = query({
  collector_code: optional(key.collector_code),
  grade: optional(key.grade),
  section: optional(field.text('Only of this section.', 'B', 64)),
  format: field.oneOf(SHEET_FORMATS, 'A page for each class, or a spreadsheet with a sheet for each.'),
})

const out = outputOf<ListedClass>()
export const classOutput = out.object({
  collector_code: out.text('The branch.', 'MAIN'),
  grade: out.text('The grade.', '5'),
  section: out.text('The section; empty where there are none.', 'B'),
  title: out.text('The class as people say it.', 'Class 5 B'),
  students: out.integer('Its active students.', 34),
  late: out.integer('How many of them are late.', 6),
  owed: out.amount('What is overdue, late fees included.', 123456.5),
  on_the_way_amount: out.amount(
    'What their families have paid that is not confirmed yet.',
    12000,
    one => one.onTheWayPaise,
  ),
  teacher_name: out.optional.text('The class teacher.', 'Meena Pillai'),
  teacher_email: out.optional.text('Where the sheet is mailed to.', 'meena.pillai@school.example'),
})
export type ClassAnswer = Shown<typeof classOutput>
