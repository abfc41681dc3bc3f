import { useNavigate } from '@tanstack/react-router'
import type { LoanRowAnswer } from '../../../../src/console/loans/loan.list.ts'
import { useInstitute, useInstitutePath } from '../../api/session.ts'
import { PageFrame } from '../../ui/page.tsx'
import { ListTable } from '../../ui/table/list-table.tsx'
import { LOAN_CELLS } from './loan-cells.tsx'
import { LOAN_LABELS } from './texts.ts'

/** The loans by which families pay their fees. */
export function LoansPage() {
  const path = useInstitutePath()
  const { code: institute } = useInstitute()
  const navigate = useNavigate()
  return (
    <PageFrame title="Loans">
      <ListTable<LoanRowAnswer>
        name="Loans"
        path={`${path}/loans`}
        queryKey="loans"
        labels={{ status: LOAN_LABELS }}
        cells={LOAN_CELLS}
        without={['institute', 'student']}
        rowId={row => row.application_id}
        onOpen={row =>
          void navigate({ to: '/i/$institute/loans/$loan', params: { institute, loan: row.application_id } })
        }
        empty={{
          title: 'No loan yet',
          description:
            'A family that wants to pay its fees by a loan applies on its page. The lender pays you, and the family pays the lender back.',
        }}
      />
    </PageFrame>
  )
}
