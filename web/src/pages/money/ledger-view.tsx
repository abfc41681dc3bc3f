import { useQuery } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import type { AccountAnswer } from '../../../../src/console/money/books.schemas.ts'
import type { LedgerTransferAnswer } from '../../../../src/console/money/ledger.list.ts'
import { get } from '../../api/client.ts'
import { useInstitute, useInstitutePath } from '../../api/session.ts'
import { ListTable } from '../../ui/table/list-table.tsx'
import { formatRupees } from '../../ui/money.tsx'
import { Failed, Loading } from '../../ui/states.tsx'
import { RecordName } from '../../ui/record-name.tsx'
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
      <ListTable<LedgerTransferAnswer>
        name="Transfers of the ledger"
        path={`${path}/transfers`}
        queryKey="money-ledger"
        labels={labelsOf(accounts.data)}
        cells={CELLS}
        rowId={row => row.id}
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

const CELLS = {
  kind: (row: LedgerTransferAnswer) => postingWord(row.kind),
  reference: (row: LedgerTransferAnswer) => <RecordName id={row.reference.split(':')[0] ?? ''} />,
}

function labelsOf(accounts: readonly AccountAnswer[]) {
  const names = Object.fromEntries(accounts.map(({ account, name }) => [account, { label: name }]))
  return { account: names, source: names, destination: names }
}
