import { Alert, Button, Group } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { PostDatedAnswer } from '../../../../src/banking/post-dated/post-dated.list.ts'
import { list } from '../../api/client.ts'
import { useCommand } from '../../api/command.ts'
import { useInstitutePath, useMay, useSession } from '../../api/session.ts'
import { ConfirmWithReason } from '../../ui/dialogue/confirm-with-reason.tsx'
import { counted, formatRupees, sumRupees } from '../../ui/money.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Failed } from '../../ui/states.tsx'
import { StatusBadge, type Tone } from '../../ui/status-badge.tsx'
import { ListTable } from '../../ui/table/list-table.tsx'
import type { Column } from '../../ui/table/rows.tsx'
import { notify } from '../../ui/toasts.tsx'
import { formatDay } from '../../ui/when.tsx'
import { dayInIndia } from '../students/texts.ts'
import { AFTER_CHANGE } from '../students/use-student.ts'
import {
  chequeToSend,
  NO_CHEQUE,
  PostDatedFields,
  RegisterCheques,
  type TypedCheque,
} from './post-dated-form.tsx'

const STATES: Record<PostDatedAnswer['state'], { label: string; tone: Tone }> = {
  held: { label: 'In the office', tone: 'waiting' },
  taken: { label: 'Taken, not on a slip', tone: 'waiting' },
  deposited: { label: 'Deposited', tone: 'waiting' },
  cleared: { label: 'Cleared', tone: 'good' },
  bounced: { label: 'Bounced', tone: 'bad' },
  cancelled: { label: 'Payment cancelled', tone: 'plain' },
  replaced: { label: 'Replaced', tone: 'plain' },
  to_give_back: { label: 'To hand back', tone: 'waiting' },
  given_back: { label: 'Given back', tone: 'plain' },
}

const REFRESHES = [...AFTER_CHANGE, 'post-dated', 'cheques', 'counter', 'money-receipts', 'audit', 'home']

const CELLS = {
  number: (row: PostDatedAnswer) => (
    <>
      <strong>{row.number}</strong>
      <br />
      {[row.bank, `dated ${formatDay(row.dated_on)}`].filter(Boolean).join(', ')}
    </>
  ),
  student_name: (row: PostDatedAnswer) => `${row.student_name}, ${row.identifier}`,
  state: (row: PostDatedAnswer) => (
    <>
      <StatusBadge tone={STATES[row.state].tone}>{STATES[row.state].label}</StatusBadge>
      <br />
      {row.end_reason ?? row.bounce_reason}
    </>
  ),
}

type Ending = { cheque: PostDatedAnswer; act: 'replace' | 'give-back' }

/** Cheques for days to come: what goes to the bank now, what is handed over, and what became of each. */
export function PostDatedView() {
  const path = `${useInstitutePath()}/counter/post-dated-cheques`
  const mayTake = useMay('owner', 'finance', 'cashier')
  const mayDecide = useMay('owner', 'finance')
  const [ending, setEnding] = useState<Ending | null>(null)
  const actions: Column<PostDatedAnswer> = {
    key: 'actions',
    title: 'Actions',
    text: () => '',
    render: row =>
      ['held', 'bounced', 'cancelled', 'to_give_back'].includes(row.state) && (
        <Group gap="xs" wrap="nowrap">
          {row.state !== 'to_give_back' && (
            <Button
              size="xs"
              variant="default"
              aria-label={`Replace cheque ${row.number}`}
              onClick={() => setEnding({ cheque: row, act: 'replace' })}
            >
              Replace
            </Button>
          )}
          <Button
            size="xs"
            variant="default"
            aria-label={`Give back cheque ${row.number}`}
            onClick={() => setEnding({ cheque: row, act: 'give-back' })}
          >
            Give back
          </Button>
        </Group>
      ),
  }
  return (
    <>
      <ToBank path={path} mayBank={mayDecide} />
      {mayTake && <RegisterCheques path={path} refreshes={REFRESHES} />}
      <ListTable<PostDatedAnswer>
        name="Post-dated cheques"
        path={path}
        queryKey="post-dated"
        labels={{ state: STATES }}
        cells={CELLS}
        more={mayDecide ? [actions] : []}
        rowId={row => row.id}
        empty={{
          title: 'No post-dated cheques',
          description: 'Cheques that families hand over for days to come are listed here with their days.',
        }}
      />
      {ending?.act === 'replace' && (
        <ReplaceDialogue path={path} cheque={ending.cheque} onClose={() => setEnding(null)} />
      )}
      {ending?.act === 'give-back' && (
        <GiveBackDialogue path={path} cheque={ending.cheque} onClose={() => setEnding(null)} />
      )}
    </>
  )
}

/** The task of the day: one click makes payments of all whose day has come. */
function ToBank({ path, mayBank }: { path: string; mayBank: boolean }) {
  const today = dayInIndia(useSession()?.now)
  const due = useQuery({
    queryKey: ['post-dated', path, 'due', today],
    queryFn: ({ signal }) =>
      list<PostDatedAnswer>(
        path,
        { state: 'held', deposit_to: today, sort: 'deposit_on', limit: '100' },
        signal,
      ),
  })
  const bank = useCommand<readonly PostDatedAnswer[], PostDatedAnswer[]>({
    method: 'POST',
    path: `${path}/bank`,
    body: cheques => ({ ids: cheques.map(one => one.id) }),
    refreshes: REFRESHES,
    onDone: done =>
      notify(`${counted(done.length, 'cheque')} taken as payments. Put them on a slip under Deposits.`),
  })
  if (due.isError) return <Failed error={due.error} retry={() => void due.refetch()} />
  const rows = due.data?.rows ?? []
  if (rows.length === 0) return null
  const all = formatRupees(sumRupees(rows.map(row => row.amount)))
  return (
    <Alert color="yellow" role="status" mb="md" maw={920} title={`To the bank today: ${all}`}>
      <ul>
        {rows.map(row => (
          <li key={row.id}>
            {row.number}, {formatRupees(row.amount)}, {row.student_name}, {row.identifier}, for{' '}
            {formatDay(row.deposit_on)}
            {row.has_left && ', who has left the school: settle the leaving before it goes to the bank'}{' '}
            {mayBank && rows.length > 1 && (
              <Button
                size="compact-xs"
                variant="default"
                aria-label={`Only cheque ${row.number}`}
                onClick={() => bank.mutate([row])}
              >
                Only this one
              </Button>
            )}
          </li>
        ))}
      </ul>
      <Problem error={bank.error} />
      {mayBank && (
        <Button mt="sm" loading={bank.isPending} onClick={() => bank.mutate(rows)}>
          Take {counted(rows.length, 'cheque')} to the bank
        </Button>
      )}
    </Alert>
  )
}

type DialogueProps = { path: string; cheque: PostDatedAnswer; onClose: () => void }

function ReplaceDialogue({ path, cheque, onClose }: DialogueProps) {
  const [typed, setTyped] = useState<TypedCheque>({
    ...NO_CHEQUE,
    bank: cheque.bank ?? '',
    amount: String(cheque.amount),
  })
  const replace = useCommand<{ reason: string }>({
    method: 'POST',
    path: `${path}/${cheque.id}/replace`,
    body: ({ reason }) => ({ ...chequeToSend(typed), reason }),
    refreshes: REFRESHES,
    onDone() {
      notify(`Cheque ${cheque.number} is replaced by ${typed.number}.`)
      onClose()
    },
  })
  return (
    <ConfirmWithReason
      isOpen
      onClose={onClose}
      title={`Another cheque for ${cheque.number}?`}
      description={`The cheque ${cheque.number} of ${cheque.student_name} goes back to the family, and this one takes its place.`}
      verb="Replace it"
      isBusy={replace.isPending}
      error={replace.error}
      onConfirm={reason => replace.mutate({ reason })}
    >
      <PostDatedFields typed={typed} onChange={setTyped} error={replace.error} at="" />
    </ConfirmWithReason>
  )
}

function GiveBackDialogue({ path, cheque, onClose }: DialogueProps) {
  const giveBack = useCommand<{ reason: string }>({
    method: 'POST',
    path: `${path}/${cheque.id}/give-back`,
    body: ({ reason }) => ({ reason }),
    refreshes: REFRESHES,
    onDone() {
      notify(`Cheque ${cheque.number} is given back.`)
      onClose()
    },
  })
  return (
    <ConfirmWithReason
      isOpen
      onClose={onClose}
      title={`Give cheque ${cheque.number} back?`}
      description={`${formatRupees(cheque.amount)} of ${cheque.student_name}. It does not go to the bank, and what it was for stays due.`}
      verb="Give it back"
      isBusy={giveBack.isPending}
      error={giveBack.error}
      onConfirm={reason => giveBack.mutate({ reason })}
    />
  )
}
