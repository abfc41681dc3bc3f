import { useQuery } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import type { AccountAnswer, LedgerTransferAnswer } from '../../../../src/console/money/books.output.ts'
import { get } from '../../api/client.ts'
import { useInstitute, useInstitutePath } from '../../api/session.ts'
import { DataTable, type Column } from '../../ui/table/data-table.tsx'
import { formatRupees } from '../../ui/money.tsx'
import { Failed, Loading } from '../../ui/states.tsx'
import type { Filter } from '../../ui/table/use-filters.ts'
import { RecordName } from '../../ui/record-name.tsx'
import { formatMoment, When } from '../../ui/when.tsx'
import { ExportMenu } from '../../ui/table/export-menu.tsx'
import { postingWord } from './texts.ts'
import { TableFrame } from '../../ui/table/frame.tsx'

/** The ledger: what stands in each account, and every transfer between them. */
export function LedgerView() {
  const path = `${useInstitutePath()}/money/ledger`
  const accounts = useQuery({
    queryKey: ['money-accounts', path],
    queryFn: ({ signal }) => get<AccountAnswer[]>(`${path}/accounts`, {}, signal),
  })
  if (accounts.isPending) return <Loading />
  if (accounts.isError) return <Failed error={accounts.error} retry={() => void accounts.refetch()} />
  return (
    <>
      <Accounts accounts={accounts.data} />
      <h2 className="section-title">Transfers</h2>
      <p className="faint">As they were written, the last first. None is ever changed or taken away.</p>
      <DataTable<LedgerTransferAnswer>
        name="Transfers of the ledger"
        path={`${path}/transfers`}
        queryKey="money-ledger"
        columns={columnsOf(accounts.data)}
        rowId={row => row.id}
        filters={filtersOf(accounts.data)}
        files={sent => <ExportMenu path={`${path}/export`} sent={sent} />}
        empty={{
          title: 'The books are empty',
          description:
            'Every online payment, refund and settlement is written here as a transfer from one account to another. Money that was taken at the counter stands in its cash book.',
        }}
      />
    </>
  )
}

function Accounts({ accounts }: { accounts: readonly AccountAnswer[] }) {
  const { code: institute } = useInstitute()
  const { account: here }: Record<string, string | undefined> = useSearch({ strict: false })
  return (
    <TableFrame name="Accounts">
      <table className="data-table">
        <thead>
          <tr>
            <th scope="col">Account</th>
            <th scope="col" className="right">
              Received
            </th>
            <th scope="col" className="right">
              Sent
            </th>
            <th scope="col" className="right">
              Balance
            </th>
          </tr>
        </thead>
        <tbody>
          {accounts.map(account => (
            <tr key={account.account}>
              <td>
                <Link
                  to="/i/$institute/money"
                  params={{ institute }}
                  search={{ view: 'ledger', account: account.account }}
                  aria-current={account.account === here ? 'true' : undefined}
                >
                  {account.name}
                </Link>
                <div className="faint">{account.meaning}</div>
              </td>
              <td className="right nowrap">{formatRupees(account.received)}</td>
              <td className="right nowrap">{formatRupees(account.sent)}</td>
              <td className="right nowrap">
                <strong>{formatRupees(account.balance)}</strong>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </TableFrame>
  )
}

function columnsOf(accounts: readonly AccountAnswer[]): Column<LedgerTransferAnswer>[] {
  const names = new Map(accounts.map(({ account, name }) => [account, name]))
  return [
    {
      key: 'at',
      title: 'When',
      text: row => formatMoment(row.occurred_at),
      render: row => <When at={row.occurred_at} />,
    },
    { key: 'kind', title: 'What happened', text: row => postingWord(row.kind) },
    {
      key: 'reference',
      title: 'Record',
      text: row => row.reference,
      render: row => <RecordName id={row.reference.split(':')[0] ?? ''} />,
    },
    { key: 'source', title: 'From (credit)', text: row => names.get(row.source) ?? row.source },
    { key: 'destination', title: 'To (debit)', text: row => names.get(row.destination) ?? row.destination },
    { key: 'amount', title: 'Amount', text: row => formatRupees(row.amount), align: 'right' },
  ]
}

function filtersOf(accounts: readonly AccountAnswer[]): Filter[] {
  return [
    {
      key: 'account',
      label: 'Account',
      options: accounts.map(({ account, name }) => ({ value: account, label: name })),
    },
    { key: 'reference', label: 'Payment, refund or settlement (id)' },
    { key: 'from', label: 'From', kind: 'day' },
    { key: 'to', label: 'Up to', kind: 'day' },
  ]
}
