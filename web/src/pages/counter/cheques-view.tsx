import { Button, Group, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { ChequeAnswer } from '../../../../src/banking/cheques/cheque.schemas.ts'
import { problemOf, useCommand } from '../../api/command.ts'
import { useInstitutePath, useMay } from '../../api/session.ts'
import { ConfirmWithReason } from '../../ui/dialogue/confirm-with-reason.tsx'
import { formatRupees } from '../../ui/money.tsx'
import { StatusBadge, type Tone } from '../../ui/status-badge.tsx'
import { DataTable, type Column } from '../../ui/table/data-table.tsx'
import type { Filter } from '../../ui/table/use-filters.ts'
import { notify } from '../../ui/toasts.tsx'
import { formatDay, formatMoment } from '../../ui/when.tsx'
import { plainAmount } from '../students/texts.ts'
import { AFTER_CHANGE } from '../students/use-student.ts'

const STATES: Record<ChequeAnswer['state'], { label: string; tone: Tone }> = {
  in_hand: { label: 'In the office', tone: 'waiting' },
  deposited: { label: 'Deposited', tone: 'waiting' },
  cleared: { label: 'Cleared', tone: 'good' },
  bounced: { label: 'Bounced', tone: 'bad' },
  cancelled: { label: 'Cancelled', tone: 'plain' },
}

const FILTERS: readonly Filter[] = [
  { key: 'number', label: 'Cheque number' },
  {
    key: 'state',
    label: 'Status',
    options: Object.entries(STATES).map(([value, { label }]) => ({ value, label })),
  },
]

const COLUMNS: readonly Column<ChequeAnswer>[] = [
  {
    key: 'number',
    title: 'Cheque',
    sort: 'number',
    text: row => row.number,
    render: row => (
      <>
        <strong>{row.number}</strong>
        <br />
        {[row.bank, row.date && formatDay(row.date)].filter(Boolean).join(', ')}
      </>
    ),
  },
  {
    key: 'amount',
    title: 'Amount',
    sort: 'amount',
    isLargestFirst: true,
    text: row => formatRupees(row.amount),
    align: 'right',
  },
  {
    key: 'student',
    title: 'Student',
    sort: 'student',
    text: row => `${row.student_name}, ${row.identifier}`,
  },
  {
    key: 'state',
    title: 'Status',
    sort: 'state',
    text: row => STATES[row.state].label,
    render: row => (
      <>
        <StatusBadge tone={STATES[row.state].tone}>{STATES[row.state].label}</StatusBadge>
        <br />
        {detailOf(row)}
      </>
    ),
  },
  {
    key: 'taken',
    title: 'Taken',
    sort: 'taken',
    isLargestFirst: true,
    text: row => formatMoment(row.taken_at),
  },
]

function detailOf({ bounce_reason: why, decided_on: day, slip_number: slip }: ChequeAnswer): string {
  const parts = [why, day && formatDay(day), slip !== undefined && `slip ${slip}`]
  return parts.filter(Boolean).join(', ')
}

const REFRESHES = [...AFTER_CHANGE, 'cheques', 'counter', 'money-receipts', 'audit']

/** Every cheque and draft that was taken at the counter, and what became of it. */
export function ChequesView() {
  const path = `${useInstitutePath()}/counter/cheques`
  const mayDecide = useMay('owner', 'finance')
  const [bouncing, setBouncing] = useState<ChequeAnswer | null>(null)
  const clear = useCommand<ChequeAnswer, ChequeAnswer>({
    method: 'POST',
    path: cheque => `${path}/${cheque.payment_id}/clear`,
    body: () => ({}),
    refreshes: REFRESHES,
    onDone: cheque => notify(`Cheque ${cheque.number} is cleared.`),
  })
  const actions: Column<ChequeAnswer> = {
    key: 'actions',
    title: 'Actions',
    text: () => '',
    render: row => (
      <Group gap="xs" wrap="nowrap">
        {(row.state === 'in_hand' || row.state === 'deposited') && (
          <Button
            size="xs"
            variant="default"
            aria-label={`Cleared: cheque ${row.number}`}
            onClick={() => clear.mutate(row)}
          >
            Cleared
          </Button>
        )}
        {(row.state === 'in_hand' || row.state === 'deposited' || row.state === 'cleared') && (
          <Button
            size="xs"
            variant="default"
            aria-label={`Bounced: cheque ${row.number}`}
            onClick={() => setBouncing(row)}
          >
            Bounced
          </Button>
        )}
      </Group>
    ),
  }
  return (
    <>
      <DataTable<ChequeAnswer>
        name="Cheques"
        path={path}
        queryKey="cheques"
        columns={mayDecide ? [...COLUMNS, actions] : COLUMNS}
        rowId={row => row.payment_id}
        filters={FILTERS}
        counted={['cheque', 'cheques']}
        empty={{
          title: 'No cheques yet',
          description:
            'A cheque or draft that is taken at the counter is listed here until the bank has cleared or returned it.',
        }}
      />
      {bouncing !== null && <BounceDialogue cheque={bouncing} onClose={() => setBouncing(null)} />}
    </>
  )
}

function BounceDialogue({ cheque, onClose }: { cheque: ChequeAnswer; onClose: () => void }) {
  const [charge, setCharge] = useState('')
  const bounce = useCommand<{ reason: string }>({
    method: 'POST',
    path: `${useInstitutePath()}/counter/cheques/${cheque.payment_id}/bounce`,
    body: ({ reason }) => ({
      reason,
      ...(charge.trim() === '' ? {} : { charge_amount: plainAmount(charge) }),
    }),
    refreshes: REFRESHES,
    onDone() {
      notify(`Cheque ${cheque.number} bounced: ${formatRupees(cheque.amount)} is due again.`)
      onClose()
    },
  })
  return (
    <ConfirmWithReason
      isOpen
      onClose={onClose}
      title={`Cheque ${cheque.number} bounced?`}
      description={`${formatRupees(cheque.amount)} of ${cheque.student_name} is due again and the receipt is cancelled. Give the bank’s reason.`}
      verb="Take the money back"
      isDangerous
      isBusy={bounce.isPending}
      error={bounce.error}
      onConfirm={reason => bounce.mutate({ reason })}
    >
      <TextInput
        label="Charge for it, rupees"
        description="Added to what the family owes. Empty: none."
        inputMode="decimal"
        value={charge}
        onChange={event => setCharge(event.currentTarget.value)}
        error={problemOf(bounce.error, 'charge_amount')}
        mb="sm"
      />
    </ConfirmWithReason>
  )
}
