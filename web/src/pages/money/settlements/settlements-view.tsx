import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { ExpectedAnswer } from '../../../../../src/console/money/money.routes.ts'
import type { SettlementAnswer } from '../../../../../src/payments/settlements/settlement.list.ts'
import { useBranchName } from '../../../api/choices.ts'
import { get } from '../../../api/client.ts'
import { useInstitute, useInstitutePath } from '../../../api/session.ts'
import { ListTable } from '../../../ui/table/list-table.tsx'
import { counted, formatRupees, Money } from '../../../ui/money.tsx'
import { Empty, Failed, Loading } from '../../../ui/states.tsx'
import { StatusBadge } from '../../../ui/status-badge.tsx'
import { formatDay } from '../../../ui/when.tsx'
import { ExportMenu } from '../../../ui/table/export-menu.tsx'
import { TallyLedgers } from '../tally-ledgers.tsx'
import { TableFrame } from '../../../ui/table/frame.tsx'

function BranchName({ code }: { code: string }) {
  return useBranchName()(code)
}

const CELLS = {
  utr: (row: SettlementAnswer) => <span className="mono nowrap">{row.utr}</span>,
  collector_code: (row: SettlementAnswer) => (
    <>
      <BranchName code={row.collector_code} />
      <div className="faint">{row.bank_account ?? row.account_name}</div>
    </>
  ),
  gross: (row: SettlementAnswer) => (
    <>
      <Money rupees={row.gross} />
      <div className="faint nowrap">{counted(row.payment_count, 'payment')}</div>
    </>
  ),
  net: (row: SettlementAnswer) => (
    <strong>
      <Money rupees={row.net} />
    </strong>
  ),
}

export function SettlementsView() {
  const path = useInstitutePath()
  const { code: institute } = useInstitute()
  const navigate = useNavigate()
  const [isNaming, setIsNaming] = useState(false)
  return (
    <>
      <ListTable<SettlementAnswer>
        name="Settlements"
        path={`${path}/money/settlements`}
        queryKey="money-settlements"
        cells={CELLS}
        rowId={row => row.id}
        onOpen={row =>
          void navigate({
            to: '/i/$institute/money/settlements/$settlement',
            params: { institute, settlement: row.id },
          })
        }
        files={(sent, sort) => (
          <ExportMenu
            path={`${path}/money/settlements/export`}
            sent={{ ...sent, sort }}
            hasVouchers
            onLedgers={() => setIsNaming(true)}
          />
        )}
        empty={{
          title: 'No settlements yet',
          description:
            'Each settlement by the payment provider is listed here with its UTR and every payment in it. What was paid today usually comes on the next working day.',
          action: <ExpectedLink />,
        }}
      />
      {isNaming && <TallyLedgers onClose={() => setIsNaming(false)} />}
    </>
  )
}

function ExpectedLink() {
  const { code: institute } = useInstitute()
  return (
    <Link to="/i/$institute/money" params={{ institute }} search={{ view: 'expected' }}>
      See what is on its way
    </Link>
  )
}

export function ExpectedView() {
  const path = useInstitutePath()
  const expected = useQuery({
    queryKey: ['money-expected', path],
    queryFn: ({ signal }) => get<ExpectedAnswer[]>(`${path}/money/expected`, {}, signal),
  })
  if (expected.isPending) return <Loading />
  if (expected.isError) return <Failed error={expected.error} retry={() => void expected.refetch()} />
  if (expected.data.length === 0) {
    return (
      <Empty
        title="Nothing is on its way"
        description="Everything that was paid has reached the bank. A payment is listed here from the moment it is made until it is settled."
      />
    )
  }
  return <Expected rows={expected.data} />
}

const sum = (some: readonly ExpectedAnswer[]): number => some.reduce((total, row) => total + row.amount, 0)

function Expected({ rows }: { rows: readonly ExpectedAnswer[] }) {
  const { code: institute } = useInstitute()
  const late = rows.filter(row => row.is_overdue)
  return (
    <>
      <p>
        {formatRupees(sum(rows))} is on its way to the bank, before fees and refunds
        {late.length > 0 && (
          <>
            ; <StatusBadge tone="bad">{`${formatRupees(sum(late))} is late`}</StatusBadge>
          </>
        )}
        .
      </p>
      <TableFrame name="Expected settlements">
        <table className="data-table">
          <thead>
            <tr>
              <th scope="col">Expected on</th>
              <th scope="col">Branch</th>
              <th scope="col" className="right">
                Payments
              </th>
              <th scope="col" className="right">
                Amount
              </th>
              <th scope="col">Status</th>
            </tr>
          </thead>
          <tbody>
            {rows.map(row => (
              <tr key={`${row.due_on} ${row.collector_code}`}>
                <td>
                  <Link
                    to="/i/$institute/money"
                    params={{ institute }}
                    search={{ view: 'reconciliation', status: 'expected', due_on: row.due_on }}
                  >
                    {formatDay(row.due_on)}
                  </Link>
                </td>
                <td>
                  <BranchName code={row.collector_code} />
                </td>
                <td className="right">{counted(row.payment_count, 'payment')}</td>
                <td className="right">{formatRupees(row.amount)}</td>
                <td>
                  <StatusBadge tone={row.is_overdue ? 'bad' : 'waiting'}>
                    {row.is_overdue ? 'Late' : 'Expected'}
                  </StatusBadge>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </TableFrame>
    </>
  )
}
