import { useNavigate } from '@tanstack/react-router'
import type { LoanRowAnswer } from '../../../../src/console/loans/loan.output.ts'
import { useInstitute, useInstitutePath } from '../../api/session.ts'
import { PageFrame } from '../../ui/page.tsx'
import { DataTable } from '../../ui/table/data-table.tsx'
import { LOAN_FILTERS, loanColumns } from './loan-columns.tsx'

/** The lender's own list, which has these columns too, is not sorted. */
const SORTS: Record<string, string> = { student: 'family', status: 'status', amount: 'amount', at: 'since' }
const COLUMNS = loanColumns({ key: 'lender', title: 'Lender', text: row => row.lender }).map(column => {
  const sort = SORTS[column.key]
  return sort === undefined ? column : { ...column, sort }
})

/** The loans by which families pay their fees. */
export function LoansPage() {
  const path = useInstitutePath()
  const { code: institute } = useInstitute()
  const navigate = useNavigate()
  return (
    <PageFrame title="Loans">
      <DataTable<LoanRowAnswer>
        name="Loans"
        path={`${path}/loans`}
        queryKey="loans"
        columns={COLUMNS}
        rowId={row => row.application_id}
        filters={LOAN_FILTERS}
        counted={['loan', 'loans']}
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
