import { Button, Group } from '@mantine/core'
import { useState } from 'react'
import type { ChequeAnswer } from '../../../../src/banking/cheques/cheque.list.ts'
import { problemOf, useCommand } from '../../api/command.ts'
import { useInstitutePath, useMay } from '../../api/session.ts'
import { plainAmount } from '../../ui/form/amount.ts'
import { AmountInput } from '../../ui/form/amount-input.tsx'
import { ConfirmWithReason } from '../../ui/dialogue/confirm-with-reason.tsx'
import { formatRupees } from '../../ui/money.tsx'
import { StatusBadge, type Tone } from '../../ui/status-badge.tsx'
import type { Column } from '../../ui/table/rows.tsx'
import { ListTable } from '../../ui/table/list-table.tsx'
import { notify } from '../../ui/toasts.tsx'
import { formatDay } from '../../ui/when.tsx'
import { AFTER_CHANGE } from '../students/use-student.ts'

const STATES: Record<ChequeAnswer['state'], { label: string; tone: Tone }> = {
  in_hand: { label: 'In the office', tone: 'waiting' },
  deposited: { label: 'Deposited', tone: 'waiting' },
  cleared: { label: 'Cleared', tone: 'good' },
  bounced: { label: 'Bounced', tone: 'bad' },
  cancelled: { label: 'Cancelled', tone: 'plain' },
}

/** The cheque with its bank and day, and its state with what came of it. */
const CELLS = {
  number: (row: ChequeAnswer) => (
    <>
      <strong>{row.number}</strong>
      <br />
      {[row.bank, row.date && formatDay(row.date)].filter(Boolean).join(', ')}
    </>
  ),
  student_name: (row: ChequeAnswer) => `${row.student_name}, ${row.identifier}`,
  state: (row: ChequeAnswer) => (
    <>
      <StatusBadge tone={STATES[row.state].tone}>{STATES[row.state].label}</StatusBadge>
      <br />
      {detailOf(row)}
    </>
  ),
}

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
      <ListTable<ChequeAnswer>
        name="Cheques"
        path={path}
        queryKey="cheques"
        labels={{ state: STATES }}
        cells={CELLS}
        more={mayDecide ? [actions] : []}
        rowId={row => row.payment_id}
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

/** A cheque comes back whole, also one that paid for several children. */
function whatBounces({ amount, whole_amount: whole, student_name: student }: ChequeAnswer): string {
  return whole === amount
    ? `${formatRupees(amount)} of ${student} is due again and the receipt is cancelled.`
    : `${formatRupees(whole)} of ${student} and the other children that it paid for is due again and the receipts are cancelled.`
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
      notify(`Cheque ${cheque.number} bounced: ${formatRupees(cheque.whole_amount)} is due again.`)
      onClose()
    },
  })
  return (
    <ConfirmWithReason
      isOpen
      onClose={onClose}
      title={`Cheque ${cheque.number} bounced?`}
      description={`${whatBounces(cheque)} The family is told of it, and of the charge. Give the bank’s reason.`}
      verb="Take the money back"
      isDangerous
      isBusy={bounce.isPending}
      error={bounce.error}
      onConfirm={reason => bounce.mutate({ reason })}
    >
      <AmountInput
        label="Charge for it, rupees"
        description="Added to what the family owes. Empty: none."
        value={charge}
        onChange={setCharge}
        error={problemOf(bounce.error, 'charge_amount')}
        mb="sm"
      />
    </ConfirmWithReason>
  )
}
