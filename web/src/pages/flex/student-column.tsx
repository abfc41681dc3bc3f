type StudentRow = { student_name: string; identifier: string; grade: string }

/** The student whose debit or plan it is. */
export const studentCell = ({ student_name: name, identifier, grade }: StudentRow) => (
  <span className="flex-student">
    {name}
    <span className="faint">
      {identifier} · {grade}
    </span>
  </span>
)
