import { Alert } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReturnsAnswer } from '../../../../src/console/flex/flex.schemas.ts'
import { get } from '../../api/client.ts'
import { useInstitute, useInstitutePath } from '../../api/session.ts'
import { Bars } from '../../ui/chart/bars.tsx'
import { Chart, type Series } from '../../ui/chart/chart.tsx'
import { counted, formatCount, formatRupees, Money } from '../../ui/money.tsx'
import { Empty, Failed, Loading } from '../../ui/states.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'
import { TableFilters } from '../../ui/table/filters.tsx'
import { useFilters, type Filter } from '../../ui/table/use-filters.ts'
import { formatDay } from '../../ui/when.tsx'
import { FlexFrame } from './flex-frame.tsx'
import { TableFrame } from '../../ui/table/frame.tsx'

const FILTERS: readonly Filter[] = [
  { key: 'from', label: 'From', kind: 'day' },
  { key: 'to', label: 'Up to', kind: 'day' },
]

const BOUNCED: readonly Series[] = [{ label: 'Bounces', tone: 'waiting' }]

/** What banks returned, by reason, with what follows and what has become of it. */
export function FlexReturnsPage() {
  const path = useInstitutePath()
  const { values, set } = useFilters(FILTERS)
  const returns = useQuery({
    queryKey: ['flex', path, 'returns', values],
    queryFn: ({ signal }) => get<ReturnsAnswer>(`${path}/flex/returns`, values, signal),
    placeholderData: keepPreviousData,
  })
  return (
    <FlexFrame here="returns">
      <TableFilters filters={FILTERS} values={values} onChange={set} />
      {returns.isPending && <Loading what="Loading what came back" />}
      {returns.isError && <Failed error={returns.error} retry={() => void returns.refetch()} />}
      {returns.isSuccess && <Reasons returns={returns.data} />}
    </FlexFrame>
  )
}

function Reasons({ returns }: { returns: ReturnsAnswer }) {
  const { from, to, decided, returned, returned_amount: amount, reasons } = returns
  const days = `${formatDay(from)} to ${formatDay(to)}`
  if (reasons.length === 0)
    return (
      <Empty
        title="Nothing came back"
        description={`Banks decided ${counted(decided, 'debit')} presented from ${days}, and returned none.`}
      />
    )
  const percent = Math.round((returned / decided) * 1_000) / 10
  return (
    <>
      <p className="flex-lead">
        From {days} banks decided {counted(decided, 'debit')} and returned{' '}
        <strong>{formatCount(returned)}</strong> ({percent} %), <strong>{formatRupees(amount)}</strong> in
        all.
      </p>
      <Chart title="Bounced debits, by reason" series={BOUNCED}>
        <Bars
          bars={reasons.map(reason => ({
            key: `${reason.code} ${reason.status}`,
            label: reason.message,
            text: counted(reason.bounces, 'bounce'),
            parts: [reason.bounces],
          }))}
          series={BOUNCED}
        />
      </Chart>
      <TableFrame name="Bounced debits by reason">
        <table className="data-table">
          <caption className="visually-hidden">Bounced debits by reason</caption>
          <thead>
            <tr>
              <th scope="col">Reason</th>
              <th scope="col">Code</th>
              <th scope="col" className="right">
                Instalments
              </th>
              <th scope="col" className="right">
                Bounces
              </th>
              <th scope="col" className="right">
                Amount
              </th>
              <th scope="col">What happens next</th>
            </tr>
          </thead>
          <tbody>
            {reasons.map(reason => (
              <Reason key={`${reason.code} ${reason.status}`} reason={reason} range={{ from, to }} />
            ))}
          </tbody>
        </table>
      </TableFrame>
      <Alert color="gray" mt="md" title="How debits are tried again">
        A debit that comes back for want of money is presented again by itself as often as its rail allows;
        one that the bank could not process is tried again without counting. Everything else waits for the
        family or for you.
      </Alert>
    </>
  )
}

function Reason({
  reason,
  range,
}: {
  reason: ReturnsAnswer['reasons'][number]
  range: { from: string; to: string }
}) {
  const { code: institute } = useInstitute()
  return (
    <tr>
      <td>
        <Link
          to="/i/$institute/flex/debits"
          params={{ institute }}
          search={{ ...range, status: reason.status, return_code: reason.code }}
        >
          {reason.message}
        </Link>
        <div className="faint">{reason.category}</div>
      </td>
      <td>
        <span className="mono">{reason.code}</span>
        {reason.status === 'reversed' && (
          <div>
            <StatusBadge tone="bad">Taken back</StatusBadge>
          </div>
        )}
      </td>
      <td className="right">{formatCount(reason.count)}</td>
      <td className="right">{formatCount(reason.bounces)}</td>
      <td className="right">
        <Money rupees={reason.amount} />
      </td>
      <td className="flex-words">
        {sinceWords(reason)}
        <div className="faint">{reason.next}</div>
      </td>
    </tr>
  )
}

/** Reads the instalments themselves: a code alone does not tell whether another try is left. */
function sinceWords({ since, next_on: nextOn }: ReturnsAnswer['reasons'][number]) {
  const { paid, again, due, over } = since
  const next = nextOn === undefined ? '' : `, the next on ${formatDay(nextOn)}`
  const parts = [
    { count: again, label: `tried again by itself${next}` },
    { count: due, label: 'due, waiting for the family or for you' },
    { count: paid, label: 'paid since' },
    { count: over, label: 'not due any more' },
  ]
  return parts
    .filter(({ count }) => count > 0)
    .map(({ count, label }) => (
      <div key={label}>
        {formatCount(count)} {label}
      </div>
    ))
}
