import { Alert, Button, Group, SegmentedControl } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { BankLineAnswer } from '../../../../../src/banking/statements/bank-line.list.ts'
import type {
  BankStatusAnswer,
  ExpectedMoneyAnswer,
} from '../../../../../src/banking/statements/statement.schemas.ts'
import { get } from '../../../api/client.ts'
import { useCommand } from '../../../api/command.ts'
import { useInstitutePath, useMay } from '../../../api/session.ts'
import { BankAccountPicker, useBankAccount } from '../../../ui/form/bank-account-picker.tsx'
import { counted, formatRupees } from '../../../ui/money.tsx'
import { Empty, Failed, Loading } from '../../../ui/states.tsx'
import { ListTable } from '../../../ui/table/list-table.tsx'
import { ShortTable } from '../../../ui/table/short-table.tsx'
import { notify } from '../../../ui/toasts.tsx'
import { formatDay } from '../../../ui/when.tsx'
import { LineDialogue } from './line-dialogue.tsx'
import { StatementUpload } from './statement-upload.tsx'
import { AFTER_DECISION, formatBooked, KIND_LABELS, LINE_LABELS } from './texts.ts'

/** Statements of the bank, and what their lines are. */
export function BankView() {
  const path = useInstitutePath()
  const picked = useBankAccount()
  const status = useQuery({
    queryKey: ['bank-status', path],
    queryFn: ({ signal }) => get<BankStatusAnswer[]>(`${path}/bank/status`, {}, signal),
  })
  const here = status.data?.find(({ id }) => id === picked.account)
  const mayDecide = useMay('owner', 'finance')
  return (
    <>
      <Group align="flex-end" mb="md">
        <BankAccountPicker picked={picked} />
        {mayDecide && here !== undefined && <StatementUpload account={here.id} />}
      </Group>
      {status.isPending && <Loading what="Loading the bank accounts" />}
      {status.isError && <Failed error={status.error} retry={() => void status.refetch()} />}
      {status.isSuccess && status.data.length === 0 && (
        <Empty
          title="No bank account yet"
          description="Name the account that fees arrive on, then add its statement: CSV, XLSX or MT940, as the bank’s site gives it."
        />
      )}
      {here !== undefined && <Account key={here.id} account={here} mayDecide={mayDecide} />}
    </>
  )
}

const VIEWS = [
  { value: 'open', label: 'To decide' },
  { value: 'all', label: 'All lines' },
  { value: 'missing', label: 'Missing' },
]

function Account({ account, mayDecide }: { account: BankStatusAnswer; mayDecide: boolean }) {
  const [view, setView] = useState('open')
  if (account.last_day === undefined)
    return (
      <Empty
        title="No statement yet"
        description="Add one: what has the same UTR or cheque number and amount is matched by itself, the rest you decide."
      />
    )
  return (
    <>
      <Summary account={account} />
      <Group justify="space-between" mb="md">
        <SegmentedControl aria-label="Which lines" data={VIEWS} value={view} onChange={setView} />
        {mayDecide && account.open_lines > 0 && <MatchAgain />}
      </Group>
      {view === 'missing' ? (
        <Missing from={account.first_day ?? account.last_day} to={account.last_day} />
      ) : (
        <Lines account={account.id} isOpen={view === 'open'} />
      )}
    </>
  )
}

function gapText({ from, to, is_money_missing: isMissing }: BankStatusAnswer['gaps'][number]): string {
  const days = from === to ? formatDay(from) : `${formatDay(from)} to ${formatDay(to)}`
  return isMissing
    ? `No statement has ${days}, and the balances show that money moved then. Add a statement of these days.`
    : `No statement has ${days}. Add one of these days, or a longer one that reaches over them.`
}

function Summary({ account }: { account: BankStatusAnswer }) {
  const { open_lines: open, reconciled_through: through, first_day: from, last_day: to } = account
  const isDone = open === 0 && account.gaps.length === 0
  return (
    <Alert color={isDone ? 'green' : 'yellow'} mb="md" maw={720}>
      <strong>
        {through === undefined ? 'Not reconciled yet' : `Reconciled up to ${formatDay(through)}`}
      </strong>
      <br />
      Statements from {formatDay(from ?? '')} to {formatDay(to ?? '')}.{' '}
      {open === 0
        ? 'Every line is decided.'
        : `${counted(open, 'line')} to decide: ${formatRupees(account.open_credit)} in, ${formatRupees(account.open_debit)} out.`}
      {account.gaps.map(gap => (
        <div key={gap.from}>{gapText(gap)}</div>
      ))}
    </Alert>
  )
}

function MatchAgain() {
  const match = useCommand<void, { matched_count: number }>({
    method: 'POST',
    path: `${useInstitutePath()}/bank/match`,
    refreshes: AFTER_DECISION,
    onDone: ({ matched_count: count }) =>
      notify(count === 0 ? 'Nothing more could be matched.' : `${counted(count, 'line')} matched.`),
  })
  return (
    <Button variant="default" loading={match.isPending} onClick={() => match.mutate()}>
      Match again
    </Button>
  )
}

const CELLS = {
  text: (row: BankLineAnswer) => (
    <span className="long-text">
      {row.text} {row.reference !== undefined && !row.text.includes(row.reference) && row.reference}
    </span>
  ),
  amount: (row: BankLineAnswer) => formatBooked(row.amount),
  matches: (row: BankLineAnswer) => row.reason ?? row.matches.map(match => match.label).join('; '),
}

function Lines({ account, isOpen }: { account: string; isOpen: boolean }) {
  const [chosen, setChosen] = useState<BankLineAnswer | null>(null)
  return (
    <>
      <ListTable<BankLineAnswer>
        name="Lines of statements"
        path={`${useInstitutePath()}/bank/lines`}
        queryKey="bank-lines"
        query={{ account_id: account, ...(isOpen ? { state: 'open' } : {}) }}
        labels={{ state: LINE_LABELS }}
        cells={CELLS}
        without={isOpen ? ['state', 'matches'] : []}
        rowId={row => row.id}
        onOpen={setChosen}
        empty={{
          title: isOpen ? 'Nothing is left to decide' : 'No lines',
          description: 'Every line of the statements so far is matched or explained.',
        }}
      />
      {chosen !== null && <LineDialogue key={chosen.id} line={chosen} onClose={() => setChosen(null)} />}
    </>
  )
}

function Missing({ from, to }: { from: string; to: string }) {
  const path = useInstitutePath()
  const missing = useQuery({
    queryKey: ['bank-missing', path, from, to],
    queryFn: ({ signal }) => get<ExpectedMoneyAnswer[]>(`${path}/bank/missing`, { from, to }, signal),
  })
  if (missing.isPending) return <Loading />
  if (missing.isError) return <Failed error={missing.error} retry={() => void missing.refetch()} />
  if (missing.data.length === 0)
    return (
      <Empty
        title="Nothing is missing"
        description="Every settlement, deposit and transfer of these days stands on a statement."
      />
    )
  return (
    <ShortTable
      name="Not on a statement"
      rows={missing.data}
      rowId={row => `${row.kind} ${row.id}`}
      columns={[
        { title: 'Day', cell: row => formatDay(row.day) },
        { title: 'What', cell: row => KIND_LABELS[row.kind] },
        { title: 'Which', cell: row => row.label },
        { title: 'Amount', cell: row => formatBooked(row.amount) },
      ]}
    />
  )
}
