import { column, filter } from '../http/lists/define-list.ts'
import { field } from '../http/wire/input.ts'
import { outputOf } from '../http/wire/output.ts'
import { by } from '../platform/db/sorted-list.ts'

const out = outputOf<never>()
const identifier = out.text("The student's identifier.", 'ADM-1042')

/** Who the student is, in a list whose statement has `students s`. */
export const STUDENT_COLUMNS = {
  service_student_id: column(out.text('The student.', 'student_01k9zq4m0ve8sbn6yt2hw3c5da'), { sql: 's.id' }),
  student_name: column(out.text('The student.', 'Kabir Rao'), {
    sql: 's.fullname',
    title: 'Student',
    sort: by.name,
  }),
  identifier: column(identifier, { sql: 's.identifier', title: 'Admission no.', only: 'file' }),
}

/** The same where the class matters, too. */
export const CLASS_COLUMNS = {
  ...STUDENT_COLUMNS,
  identifier: column(identifier, { sql: 's.identifier', title: 'Admission no.', sort: by.text }),
  grade: column(out.text('Its grade.', '5'), { sql: 's.grade', title: 'Class', sort: by.grade }),
  section: column(out.optional.text('Its section.', 'B'), { sql: 's.section', title: 'Section' }),
}

/** Which of the records of a child it is: there is one a year. */
export const YEAR_COLUMN = {
  academic_year_start: column(out.integer('The year of the record.', 2026), {
    sql: 's.academic_year_start',
    title: 'Year',
    kind: 'text',
  }),
}

/** Class and section, the same in every list that students stand in; `student` is the alias of `students` there. */
export function classFilters(student: string) {
  return {
    grade: filter(field.code('Only of this grade.', '5'), {
      label: 'Class',
      choices: 'grades',
      where: `lower(btrim(${student}.grade)) = lower(btrim($1))`,
    }),
    section: filter(field.text('Only of this section.', 'B', 64), {
      label: 'Section',
      choices: 'sections',
      where: `lower(btrim(${student}.section)) = lower(btrim($1))`,
    }),
  }
}
