import { Button, FileButton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import type { LoanDetailAnswer } from '../../../../src/console/loans/loan.schemas.ts'
import { get } from '../../api/client.ts'
import { useCommand } from '../../api/command.ts'
import { useLenderPath } from '../../api/session.ts'
import { Problem } from '../../ui/problem.tsx'
import { AwaitedPage } from '../../ui/page.tsx'
import { notify } from '../../ui/toasts.tsx'
import { LetterLink, LoanDetail, type Tranche } from '../loans/loan-detail.tsx'
import { Crumbs, type Crumb } from '../../ui/link/crumbs.tsx'
import { ApproveDialogue } from './approve-dialogue.tsx'
import { DisburseDialogue, RejectDialogue, SanctionDialogue, WithdrawDialogue } from './dialogues.tsx'

const TRAIL: readonly Crumb[] = [{ label: 'Applications', to: '/l/$lender' }]

/** One application at the desk: what is known, and what can be recorded next. */
export function ApplicationPage() {
  const path = useLenderPath()
  const { application: id = '' } = useParams({ strict: false })
  const base = `${path}/applications/${encodeURIComponent(id)}`
  const detail = useQuery({
    queryKey: ['applications', base],
    queryFn: ({ signal }) => get<LoanDetailAnswer>(base, {}, signal),
  })
  return (
    <>
      <Crumbs trail={TRAIL} />
      {detail.isSuccess ? (
        <Loaded base={base} detail={detail.data} />
      ) : (
        <AwaitedPage kind="Application" query={detail} />
      )}
    </>
  )
}

const ACTS = [
  { act: 'approve', label: 'Approve with an offer', Dialogue: ApproveDialogue },
  { act: 'reject', label: 'Reject', Dialogue: RejectDialogue },
  { act: 'sanction', label: 'Record the sanction', Dialogue: SanctionDialogue },
  { act: 'cancel', label: 'Withdraw the loan', Dialogue: WithdrawDialogue },
] as const

function Loaded({ base, detail }: { base: string; detail: LoanDetailAnswer }) {
  const [open, setOpen] = useState<string | null>(null)
  const [tranche, setTranche] = useState<Tranche | null>(null)
  const close = (): void => setOpen(null)
  const isOpen = (one: Tranche): boolean =>
    detail.acts.includes('disburse') && (one.status === 'planned' || one.status === 'failed')
  return (
    <>
      <LoanDetail
        base={base}
        detail={detail}
        noBankAccount={`There is no bank account to transfer to: ${detail.loan.institute} has not entered one in its settings. Ask it before you transfer.`}
        actions={
          <>
            {ACTS.filter(({ act }) => detail.acts.includes(act)).map(({ act, label }, index) => (
              <Button key={act} variant={index === 0 ? 'filled' : 'default'} onClick={() => setOpen(act)}>
                {act === 'approve' && detail.offer !== undefined ? 'Replace the offer' : label}
              </Button>
            ))}
            <Letter base={base} detail={detail} />
          </>
        }
        trancheAction={one =>
          isOpen(one) ? (
            <Button size="compact-sm" variant="default" onClick={() => setTranche(one)}>
              Record the transfer
            </Button>
          ) : null
        }
      />
      {ACTS.map(
        ({ act, Dialogue }) =>
          open === act && <Dialogue key={act} base={base} detail={detail} onClose={close} />,
      )}
      {tranche !== null && (
        <DisburseDialogue base={base} tranche={tranche} onClose={() => setTranche(null)} />
      )}
    </>
  )
}

/** The sanction letter, which family and institute may ask for. */
function Letter({ base, detail }: { base: string; detail: LoanDetailAnswer }) {
  const upload = useCommand<File>({
    method: 'POST',
    path: `${base}/letter`,
    refreshes: ['applications'],
    onDone: () => notify('The sanction letter is attached.'),
  })
  return (
    <>
      <LetterLink base={base} letters={detail.letters} />
      {detail.takes_letter && (
        <FileButton accept="application/pdf" onChange={file => file !== null && upload.mutate(file)}>
          {props => (
            <Button {...props} variant="default" loading={upload.isPending}>
              {detail.letters.length === 0 ? 'Attach the sanction letter' : 'Attach a new version'}
            </Button>
          )}
        </FileButton>
      )}
      <Problem error={upload.error} />
    </>
  )
}
