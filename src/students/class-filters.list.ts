import { filter } from '../http/lists/define-list.ts'
import { field } from '../http/wire/input.ts'

/** Class and section, the same in every list that students stand in; `student` is the alias of `students` there. */
export function classFilters(student: string) {
  return {
    grade: filter(field.code('Only of this grade.', '5'), {
      label: 'Grade',
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
