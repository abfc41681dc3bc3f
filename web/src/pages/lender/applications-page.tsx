import { useNavigate } from '@tanstack/react-router'
import type { LoanRowAnswer } from '../../../../src/console/loans/loan.output.ts'
import { useLender, useLenderPath } from '../../api/session.ts'
import { PageFrame } from '../../ui/page.tsx'
import { DataTable } from '../../ui/table/data-table.tsx'
import { DESK_FILTERS, loanColumns } from '../loans/loan-columns.tsx'

const COLUMNS = loanColumns({ key: 'institute', title: 'Institute', text: row => row.institute })

/** The desk of a lender: the applications that families have sent to it. */
export function ApplicationsPage() {
  const path = useLenderPath()
  const { code: lender, title } = useLender()
  const navigate = useNavigate()
  return (
    <PageFrame title={`Applications to ${title}`}>
      <DataTable<LoanRowAnswer>
        name="Applications"
        path={`${path}/applications`}
        queryKey="applications"
        columns={COLUMNS}
        rowId={row => row.application_id}
        filters={DESK_FILTERS}
        onOpen={row =>
          void navigate({
            to: '/l/$lender/$application',
            params: { lender, application: row.application_id },
          })
        }
        empty={{
          title: 'No application yet',
          description:
            'An application stands here from the moment in which a family consents to your seeing it.',
        }}
      />
    </PageFrame>
  )
}
