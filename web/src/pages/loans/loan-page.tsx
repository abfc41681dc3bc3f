import { Button, Group } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import type { LoanDetailAnswer } from '../../../../src/console/loans/loan.output.ts'
import { fileAddress, get } from '../../api/client.ts'
import { useCommand } from '../../api/command.ts'
import { useInstitute, useInstitutePath, useMay } from '../../api/session.ts'
import { ConfirmWithReason } from '../../ui/dialogue/confirm-with-reason.tsx'
import { AwaitedPage } from '../../ui/page.tsx'
import { notify } from '../../ui/toasts.tsx'
import { FormDialogue } from '../developers/form-dialogue.tsx'
import { BackLink } from '../orders/back-link.tsx'
import { LoanDetail, type Tranche } from './loan-detail.tsx'

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
  const [asked, setAsked] = useState<Tranche | null>(null)
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
        trancheAction={tranche =>
          mayAct && tranche.is_unconfirmed ? (
            <Button size="compact-sm" variant="default" onClick={() => setAsked(tranche)}>
              Did it arrive?
            </Button>
          ) : null
        }
      />
      {isCanceling && <CancelDialogue base={base} onClose={() => setIsCanceling(false)} />}
      {asked !== null && <ConfirmDialogue base={base} tranche={asked} onClose={() => setAsked(null)} />}
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

function ConfirmDialogue({
  base,
  tranche,
  onClose,
}: {
  base: string
  tranche: Tranche
  onClose: () => void
}) {
  const confirm = useCommand<{ disbursement_id: string; received: boolean }>({
    method: 'POST',
    path: `${base}/confirm`,
    refreshes: [...REFRESHES, 'money'],
    onDone(_, { received }) {
      notify(received ? 'The money counts as received.' : 'The lender can transfer it again.')
      onClose()
    },
  })
  return (
    <FormDialogue
      title="Is this transfer on your bank statement?"
      verb="Yes, it has arrived"
      isBusy={confirm.isPending}
      error={confirm.error}
      onSubmit={() => confirm.mutate({ disbursement_id: tranche.id, received: true })}
      onClose={onClose}
    >
      <p>
        The lender says that it transferred the money with the UTR <strong>{tranche.utr}</strong>. Look for it
        on the statement of your bank account. The fees count as paid once you confirm it.
      </p>
      <Group>
        <Button
          variant="subtle"
          color="red"
          onClick={() => confirm.mutate({ disbursement_id: tranche.id, received: false })}
        >
          No, it did not arrive
        </Button>
      </Group>
    </FormDialogue>
  )
}
