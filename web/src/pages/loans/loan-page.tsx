import { Button, Group } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import type { LoanDetailAnswer } from '../../../../src/console/loans/loan.output.ts'
import { fileAddress, get } from '../../api/client.ts'
import { useCommand } from '../../api/command.ts'
import { useInstitute, useInstitutePath, useMay } from '../../api/session.ts'
import { ConfirmWithReason } from '../../ui/dialogue/confirm-with-reason.tsx'
import { formatRupees } from '../../ui/money.tsx'
import { AwaitedPage } from '../../ui/page.tsx'
import { notify } from '../../ui/toasts.tsx'
import { formatMoment } from '../../ui/when.tsx'
import { FormDialogue } from '../developers/form-dialogue.tsx'
import { BackLink } from '../orders/back-link.tsx'
import { LoanDetail, type Transfer } from './loan-detail.tsx'

/** One loan as the institute sees it. */
export function LoanPage() {
  const path = useInstitutePath()
  const { code: institute } = useInstitute()
  const { loan: id = '' } = useParams({ strict: false })
  const base = `${path}/loans/${encodeURIComponent(id)}`
  const detail = useQuery({
    queryKey: ['loans', base],
    queryFn: ({ signal }) => get<LoanDetailAnswer>(base, {}, signal),
  })
  return (
    <>
      <BackLink to="/i/$institute/loans" params={{ institute }} search={{}}>
        Loans
      </BackLink>
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
  const [isCanceling, setIsCanceling] = useState(false)
  const [asked, setAsked] = useState<Transfer | null>(null)
  return (
    <>
      <LoanDetail
        detail={detail}
        actions={
          <>
            {mayAct && detail.letter_at !== undefined && (
              <Button variant="default" component="a" href={fileAddress(`${base}/letter`)}>
                Sanction letter
              </Button>
            )}
            {mayAct && detail.can_cancel && (
              <Button variant="default" onClick={() => setIsCanceling(true)}>
                Cancel
              </Button>
            )}
          </>
        }
        transferAction={transfer =>
          mayAct && transfer.is_unconfirmed ? (
            <Button size="compact-sm" variant="default" onClick={() => setAsked(transfer)}>
              Did it arrive?
            </Button>
          ) : null
        }
      />
      {isCanceling && <CancelDialogue base={base} onClose={() => setIsCanceling(false)} />}
      {asked !== null && <ConfirmDialogue base={base} transfer={asked} onClose={() => setAsked(null)} />}
    </>
  )
}

const REFRESHES = ['loans', 'audit', 'home']

function CancelDialogue({ base, onClose }: { base: string; onClose: () => void }) {
  const cancel = useCommand<{ reason: string }>({
    method: 'POST',
    path: `${base}/cancel`,
    refreshes: REFRESHES,
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

type Confirm = { base: string; transfer: Transfer; onClose: () => void }

function ConfirmDialogue({ base, transfer, onClose }: Confirm) {
  const confirm = useCommand<{ number: number; received: boolean }>({
    method: 'POST',
    path: `${base}/confirm`,
    refreshes: [...REFRESHES, 'money'],
    onDone(_, { received }) {
      notify(received ? 'The money counts as received.' : 'The lender sees that it did not arrive.')
      onClose()
    },
  })
  const { number, utr, amount, reported_at: at } = transfer
  return (
    <FormDialogue
      title="Is this transfer on your bank statement?"
      verb="Yes, it has arrived"
      isBusy={confirm.isPending}
      error={confirm.error}
      onSubmit={() => confirm.mutate({ number, received: true })}
      onClose={onClose}
    >
      <p>
        The lender reported <strong>{formatRupees(amount)}</strong> with the UTR <strong>{utr}</strong> on{' '}
        {formatMoment(at)}. Look for it on the statement of your bank account. The fees count as paid once you
        confirm it.
      </p>
      <p>
        If it did not arrive, the lender is asked to transfer it again. Should this one arrive later all the
        same, confirm it then: what is more than due becomes an advance.
      </p>
      <Group>
        <Button variant="subtle" color="red" onClick={() => confirm.mutate({ number, received: false })}>
          No, it did not arrive
        </Button>
      </Group>
    </FormDialogue>
  )
}
