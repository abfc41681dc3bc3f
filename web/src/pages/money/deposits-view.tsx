import { Link } from '@tanstack/react-router'
import type { HeldDepositAnswer } from '../../../../src/students/deposits/held-deposit.list.ts'
import { useInstitute, useInstitutePath } from '../../api/session.ts'
import { ListTable } from '../../ui/table/list-table.tsx'
import { yearName } from '../../ui/when.tsx'
import { readable } from '../../ui/words.ts'
import { STATUS_LABELS } from '../students/texts.ts'

const CELLS = {
  student_name: (row: HeldDepositAnswer) => <StudentLink row={row} />,
  academic_year_start: (row: HeldDepositAnswer) =>
    yearName(row.academic_year_start, row.academic_year_start + 1),
  component_type: (row: HeldDepositAnswer) => readable(row.component_type),
}

const LABELS = { status: STATUS_LABELS }

function StudentLink({ row }: { row: HeldDepositAnswer }) {
  const { code: institute } = useInstitute()
  return (
    <Link
      to="/i/$institute/students/$student"
      params={{ institute, student: row.service_student_id }}
      search={{}}
    >
      {row.student_name}
    </Link>
  )
}

/** Money that is held for families and given back. */
export function DepositsView() {
  return (
    <ListTable<HeldDepositAnswer>
      name="Deposits held"
      path={`${useInstitutePath()}/money/deposits`}
      queryKey="money-deposits"
      labels={LABELS}
      cells={CELLS}
      rowId={row => row.id}
      empty={{
        title: 'No deposits are held',
        description:
          'Fees that are marked as deposits, such as caution money, are listed here once a family has paid them, until they are given back. Mark them under Students, Optional fees.',
      }}
    />
  )
}
