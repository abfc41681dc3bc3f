import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import type { LoanDetailAnswer } from '../../../../src/console/loans/loan.schemas.ts'
import { get } from '../../api/client.ts'
import { useCommand } from '../../api/command.ts'
import { useInstitute, useInstitutePath, useMay } from '../../api/session.ts'
import { ConfirmWithReason } from '../../ui/dialogue/confirm-with-reason.tsx'
import { AwaitedPage } from '../../ui/page.tsx'
import { notify } from '../../ui/toasts.tsx'
import { Crumbs, type Crumb } from '../../ui/link/crumbs.tsx'
import { LetterLink, LoanDetail, type Transfer } from './loan-detail.tsx'
import { ConfirmDialogue, LOAN_REFRESHES, ReturnDialogue } from './transfer-dialogues.tsx'

const TRAIL: readonly Crumb[] = [{ label: 'Loans', to: '/i/$institute/loans' }]

/** One loan as the institute sees it. */
export function LoanPage() {
  const path = useInstitutePath()
  const { loan: id = '' } = useParams({ strict: false })
  const base = `${path}/loans/${encodeURIComponent(id)}`
  const detail = useQuery({
    queryKey: ['loans', base],
    queryFn: ({ signal }) => get<LoanDetailAnswer>(base, {}, signal),
  })
  return (
    <>
      <Crumbs trail={TRAIL} />
      {detail.isSuccess ? (
        <Loaded base={base} detail={detail.data} />
      ) : (
        <AwaitedPage kind="Loan" query={detail} />
      )}
    </>
  )
}

function Loaded({ base, detail }: { base: string; detail: LoanDetailAnswer }) {
  const mayAct = useMay('owner', 'finance')
  const { code: institute } = useInstitute()
  const [isCanceling, setIsCanceling] = useState(false)
  const [asked, setAsked] = useState<Transfer | null>(null)
  const [returned, setReturned] = useState<Transfer | null>(null)
  return (
    <>
      <LoanDetail
        base={base}
        detail={detail}
        actions={
          <>
            {mayAct && <LetterLink base={base} letters={detail.letters} />}
            {mayAct && detail.can_cancel && (
              <Button variant="default" onClick={() => setIsCanceling(true)}>
                Cancel
              </Button>
            )}
          </>
        }
        noBankAccount={
          <>
            {detail.loan.lender} does not see where to transfer the money. Enter the bank account under{' '}
            <Link to="/i/$institute/settings/school" params={{ institute }}>
              Settings → School
            </Link>
            .
          </>
        }
        transferAction={transfer =>
          mayAct ? <TransferAction transfer={transfer} onConfirm={setAsked} onReturn={setReturned} /> : null
        }
      />
      {isCanceling && <CancelDialogue base={base} onClose={() => setIsCanceling(false)} />}
      {returned !== null && (
        <ReturnDialogue base={base} transfer={returned} onClose={() => setReturned(null)} />
      )}
      {asked !== null && <ConfirmDialogue base={base} transfer={asked} onClose={() => setAsked(null)} />}
    </>
  )
}

type Asking = {
  transfer: Transfer
  onConfirm: (transfer: Transfer) => void
  onReturn: (transfer: Transfer) => void
}

function TransferAction({ transfer, onConfirm, onReturn }: Asking) {
  if (transfer.is_unconfirmed)
    return (
      <Button size="compact-sm" variant="default" onClick={() => onConfirm(transfer)}>
        Did it arrive?
      </Button>
    )
  if (transfer.received_at === undefined || transfer.returned_amount >= transfer.amount) return null
  return (
    <Button size="compact-sm" variant="subtle" onClick={() => onReturn(transfer)}>
      Not ours
    </Button>
  )
}

function CancelDialogue({ base, onClose }: { base: string; onClose: () => void }) {
  const cancel = useCommand<{ reason: string }>({
    method: 'POST',
    path: `${base}/cancel`,
    refreshes: LOAN_REFRESHES,
    onDone() {
      notify('The application has been cancelled.')
      onClose()
    },
  })
  return (
    <ConfirmWithReason
      isOpen
      onClose={onClose}
      title="Cancel this application?"
      description="The lender is told that the family takes no loan. The fees stay due, and the family can apply again."
      verb="Cancel the application"
      isDangerous
      isBusy={cancel.isPending}
      error={cancel.error}
      onConfirm={reason => cancel.mutate({ reason })}
    />
  )
}
