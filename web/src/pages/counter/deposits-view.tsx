import { Alert, Anchor, Button, Checkbox, Group, SegmentedControl, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { ChequeAnswer } from '../../../../src/banking/cheques/cheque.list.ts'
import type { DepositAnswer } from '../../../../src/banking/deposits/deposit.list.ts'
import { fileAddress, get } from '../../api/client.ts'
import { useCommand } from '../../api/command.ts'
import { useInstitutePath, useMay } from '../../api/session.ts'
import { Problem } from '../../ui/problem.tsx'
import { BankAccountPicker, useBankAccount } from '../../ui/form/bank-account-picker.tsx'
import { ConfirmWithReason } from '../../ui/dialogue/confirm-with-reason.tsx'
import { counted, formatRupees, sumRupees } from '../../ui/money.tsx'
import { StatusBadge, type Tone } from '../../ui/status-badge.tsx'
import { ListTable } from '../../ui/table/list-table.tsx'
import type { Column } from '../../ui/table/rows.tsx'
import { formatDay } from '../../ui/when.tsx'
import { cashIn, Denominations, denominationsOf, type Counts } from './denominations.tsx'

const REFRESHES = ['deposits', 'cheques', 'cash-in-hand', 'audit']

/** What the office takes to its bank: a slip of cash or of cheques, and the slips so far. */
export function DepositsView() {
  const path = `${useInstitutePath()}/counter/deposits`
  const mayMake = useMay('owner', 'finance')
  const [made, setMade] = useState<DepositAnswer | null>(null)
  const [cancelling, setCancelling] = useState<DepositAnswer | null>(null)
  const slip = (row: DepositAnswer, label: string) => (
    <Anchor className="nowrap" href={fileAddress(`${path}/${row.id}/pdf`)} target="_blank" rel="noreferrer">
      {label}
    </Anchor>
  )
  const actions: Column<DepositAnswer> = {
    key: 'actions',
    title: 'Actions',
    text: () => '',
    render: row => (
      <Group gap="sm" wrap="nowrap">
        {slip(row, `Print slip ${row.slip_number}`)}
        {mayMake && isCancellable(row) && (
          <Button size="xs" variant="default" onClick={() => setCancelling(row)}>
            Cancel slip {row.slip_number}
          </Button>
        )}
      </Group>
    ),
  }
  return (
    <>
      {made !== null && (
        <Alert color="green" role="status" mb="md" maw={720}>
          Slip {made.slip_number} over <strong>{formatRupees(made.amount)}</strong> is made.{' '}
          {slip(made, 'Print it')}
        </Alert>
      )}
      {mayMake && <DepositForm key={made?.id ?? ''} onMade={setMade} />}
      <ListTable<DepositAnswer>
        name="Deposits"
        path={path}
        queryKey="deposits"
        cells={CELLS}
        more={[STATUS, actions]}
        rowId={row => row.id}
        empty={{ title: 'No deposits yet', description: 'Each slip is listed here with its number.' }}
      />
      {cancelling !== null && <CancelDialogue deposit={cancelling} onClose={() => setCancelling(null)} />}
    </>
  )
}

const CELLS = {
  slip_number: (row: DepositAnswer) => String(row.slip_number),
  day: (row: DepositAnswer) => <span className="nowrap">{formatDay(row.day)}</span>,
  kind: (row: DepositAnswer) => (row.kind === 'cash' ? 'Cash' : counted(row.cheque_count, 'cheque')),
}

const STATUS: Column<DepositAnswer> = {
  key: 'status',
  title: 'Status',
  text: row => statusOf(row).label,
  render: row => <StatusBadge tone={statusOf(row).tone}>{statusOf(row).label}</StatusBadge>,
}

function isCancellable(row: DepositAnswer): boolean {
  const isDecided = row.received_on !== undefined || row.cleared_count + row.bounced_count > 0
  return row.cancel_reason === undefined && !isDecided
}

function statusOf(row: DepositAnswer): { label: string; tone: Tone } {
  const { cancel_reason: cancelled, received_on: received, cheque_count: count } = row
  const { cleared_count: cleared, bounced_count: bounced } = row
  const waiting = count - cleared - bounced
  if (cancelled !== undefined) return { label: 'Cancelled', tone: 'plain' }
  if (received !== undefined && bounced === 0)
    return { label: `On the statement, ${formatDay(received)}`, tone: 'good' }
  if (cleared + bounced === 0) return { label: 'Not on a statement yet', tone: 'waiting' }
  // The bank books cheques one by one, or has returned one of a slip.
  const back = bounced === 0 ? '' : `, ${bounced} bounced`
  const tone = bounced > 0 ? 'bad' : waiting > 0 ? 'waiting' : 'good'
  return { label: `${cleared} of ${counted(count, 'cheque')} cleared${back}`, tone }
}

/** A payment that was cancelled or corrected after its cash had gone to the bank leaves less than nothing. */
function cashText(amount: number): string {
  return amount < 0
    ? `${formatRupees(-amount)} more cash was deposited than is recorded as taken at the counter: a cash payment was cancelled or corrected after it had gone to the bank, or cash was never recorded.`
    : `${formatRupees(amount)} of cash taken at the counter is not deposited yet.`
}

function DepositForm({ onMade }: { onMade: (deposit: DepositAnswer) => void }) {
  const path = useInstitutePath()
  const [kind, setKind] = useState('cash')
  const [counts, setCounts] = useState<Counts>({})
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set())
  const picked = useBankAccount()
  const inHand = useQuery({
    queryKey: ['cheques', path, 'in_hand'],
    queryFn: ({ signal }) =>
      get<ChequeAnswer[]>(`${path}/counter/cheques`, { state: 'in_hand', limit: '200' }, signal),
  })
  const cash = useQuery({
    queryKey: ['cash-in-hand', path],
    queryFn: ({ signal }) => get<{ amount: number }>(`${path}/counter/cash-in-hand`, {}, signal),
  })
  const make = useCommand<Record<string, unknown>, DepositAnswer>({
    method: 'POST',
    path: `${path}/counter/deposits`,
    refreshes: REFRESHES,
    onDone: onMade,
  })
  const all = wholeCheques(inHand.data ?? [])
  const cheques = all.filter(one => !left.has(one.payment_id))
  const total = kind === 'cash' ? cashIn(counts) : sumOf(cheques)
  return (
    <form
      className="form"
      onSubmit={event => {
        event.preventDefault()
        make.mutate({
          account_id: picked.account,
          ...(kind === 'cash'
            ? { denominations: denominationsOf(counts) }
            : { cheques: cheques.map(one => one.payment_id) }),
        })
      }}
    >
      <Stack gap="md" maw={720} mb="lg">
        <h2 className="section-title">New deposit slip</h2>
        <SegmentedControl
          aria-label="What is deposited"
          data={[
            { value: 'cash', label: 'Cash' },
            { value: 'cheque', label: `Cheques (${all.length} in the office)` },
          ]}
          value={kind}
          onChange={setKind}
        />
        <BankAccountPicker picked={picked} />
        {kind === 'cash' ? (
          <>
            {cash.data !== undefined && <p>{cashText(cash.data.amount)}</p>}
            <Denominations counts={counts} onChange={setCounts} />
          </>
        ) : (
          <Cheques cheques={all} left={left} onLeave={setLeft} />
        )}
        <Problem error={make.error} of="cheques" />
        <Group>
          <Button
            type="submit"
            loading={make.isPending}
            disabled={total === 0 || !picked.accounts.some(({ id }) => id === picked.account)}
          >
            Make the slip, {formatRupees(total)}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

/** One for each piece of paper: a cheque may pay for several children, and goes to the bank whole. */
function wholeCheques(payments: readonly ChequeAnswer[]): ChequeAnswer[] {
  return [...Map.groupBy(payments, one => one.cheque_id).values()].flatMap(own => {
    const student_name = own.map(one => one.student_name).join(', ')
    return own.slice(0, 1).map(first => ({ ...first, student_name, amount: sumOf(own) }))
  })
}

function sumOf(cheques: readonly ChequeAnswer[]): number {
  return sumRupees(cheques.map(one => one.amount))
}

type ChequesProps = {
  cheques: readonly ChequeAnswer[]
  left: ReadonlySet<string>
  onLeave: (left: ReadonlySet<string>) => void
}

function Cheques({ cheques, left, onLeave }: ChequesProps) {
  if (cheques.length === 0) return <p className="faint">No cheque is in the office.</p>
  return (
    <Stack gap="xs">
      {cheques.map(({ payment_id: id, number, bank, amount, student_name: student }) => (
        <Checkbox
          key={id}
          label={`${number}, ${bank ?? 'bank not given'}: ${formatRupees(amount)}, ${student}`}
          checked={!left.has(id)}
          onChange={event => {
            const next = new Set(left)
            if (event.currentTarget.checked) next.delete(id)
            else next.add(id)
            onLeave(next)
          }}
        />
      ))}
    </Stack>
  )
}

function CancelDialogue({ deposit, onClose }: { deposit: DepositAnswer; onClose: () => void }) {
  const cancel = useCommand<{ reason: string }>({
    method: 'DELETE',
    path: `${useInstitutePath()}/counter/deposits/${deposit.id}`,
    refreshes: REFRESHES,
    onDone: onClose,
  })
  return (
    <ConfirmWithReason
      isOpen
      onClose={onClose}
      title={`Cancel slip ${deposit.slip_number}?`}
      description="For a slip that was not taken to the bank. Its number stays used; its cheques are in the office again."
      verb="Cancel the slip"
      isDangerous
      isBusy={cancel.isPending}
      error={cancel.error}
      onConfirm={reason => cancel.mutate({ reason })}
    />
  )
}
