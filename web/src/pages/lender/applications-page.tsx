import { useNavigate } from '@tanstack/react-router'
import type { LoanRowAnswer } from '../../../../src/console/loans/loan.list.ts'
import { useLender, useLenderPath } from '../../api/session.ts'
import { PageFrame } from '../../ui/page.tsx'
import { ListTable } from '../../ui/table/list-table.tsx'
import { LOAN_CELLS } from '../loans/loan-cells.tsx'
import { DESK_LABELS } from '../loans/texts.ts'

/** The desk of a lender: the applications that families have sent to it. */
export function ApplicationsPage() {
  const path = useLenderPath()
  const { code: lender, title } = useLender()
  const navigate = useNavigate()
  return (
    <PageFrame title={`Applications to ${title}`}>
      <ListTable<LoanRowAnswer>
        name="Applications"
        path={`${path}/applications`}
        queryKey="applications"
        isBare
        labels={{ status: DESK_LABELS }}
        cells={LOAN_CELLS}
        without={['lender', 'student']}
        rowId={row => row.application_id}
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
