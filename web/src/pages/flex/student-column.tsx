import type { DebitAnswer } from '../../../../src/console/flex/debits.output.ts'
import type { Column } from '../../ui/table/data-table.tsx'

/** The student whose debit or plan it is. */
export const STUDENT: Column<Pick<DebitAnswer, 'student'>> = {
  key: 'student',
  title: 'Student',
  sort: 'student',
  text: row => `${row.student.fullname} (${row.student.identifier})`,
  render: row => (
    <span className="flex-student">
      {row.student.fullname}
      <span className="faint">
        {row.student.identifier} · {row.student.grade}
      </span>
    </span>
  ),
}
