import { Button, Group, NativeSelect } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { CollectionAnswer } from '../../../../src/console/reports/register.schemas.ts'
import { get } from '../../api/client.ts'
import { useInstitutePath } from '../../api/session.ts'
import { Bars } from '../../ui/chart/bars.tsx'
import { Chart, type Series } from '../../ui/chart/chart.tsx'
import { Columns } from '../../ui/chart/columns.tsx'
import { SumsTable } from '../../ui/chart/sums-table.tsx'
import { counted, formatRupees, formatShortRupees, sumRupees } from '../../ui/money.tsx'
import { Empty, Failed, Loading } from '../../ui/states.tsx'
import { useFilters, type Filter } from '../../ui/table/use-filters.ts'
import { formatDay, formatShortDay } from '../../ui/when.tsx'
import { modeLabel } from './texts.ts'
import { addDays } from '../flex/days.ts'
import { DayField } from '../../ui/form/day-field.tsx'
import { ExportMenu } from '../../ui/table/export-menu.tsx'
import { ReportMails } from './report-mails.tsx'
import { readable } from '../../ui/words.ts'
import { TableFrame } from '../../ui/table/frame.tsx'

const FILTERS: readonly Filter[] = [
  { key: 'from', label: 'From', kind: 'day' },
  { key: 'to', label: 'Up to', kind: 'day' },
  { key: 'by', label: 'A row for each' },
]

const waysOf = (ways: CollectionAnswer['ways']) =>
  ways.map(({ way, amount, count }) => ({ label: modeLabel(way), amount, count }))

/** What came in by day, component and mode; the present month if no days are chosen. */
export function CollectionView() {
  const path = `${useInstitutePath()}/money/collection`
  const { values, set } = useFilters(FILTERS)
  const [isMailing, setIsMailing] = useState(false)
  const collection = useQuery({
    queryKey: ['money-collection', path, values],
    queryFn: ({ signal }) => get<CollectionAnswer>(path, values, signal),
    placeholderData: before => before,
  })
  const shown = collection.data
  return (
    <>
      <Group justify="space-between" align="flex-end" mb="md">
        <Group gap="xs" align="flex-end">
          <DayField label="From" day={values['from'] ?? shown?.from ?? ''} onChange={from => set({ from })} />
          <DayField label="Up to" day={values['to'] ?? shown?.to ?? ''} onChange={to => set({ to })} />
          <NativeSelect
            size="xs"
            label="A row for each"
            value={values['by'] ?? 'day'}
            onChange={event => set({ by: event.currentTarget.value })}
            data={[
              { value: 'day', label: 'Day' },
              { value: 'month', label: 'Month' },
            ]}
          />
        </Group>
        <Group gap="xs">
          <Button variant="default" size="xs" onClick={() => setIsMailing(true)}>
            Report by mail
          </Button>
          <ExportMenu path={`${path}/export`} sent={values} />
        </Group>
      </Group>
      {isMailing && <ReportMails onClose={() => setIsMailing(false)} />}
      {collection.isPending && <Loading />}
      {collection.isError && <Failed error={collection.error} retry={() => void collection.refetch()} />}
      {collection.isSuccess && <Collection collection={collection.data} />}
    </>
  )
}

const WAYS: readonly Series[] = [{ label: 'Collected', tone: 'good' }]
const OF_PERIODS: readonly Series[] = [
  { label: 'Collected', tone: 'good' },
  { label: 'A year before', tone: 'before' },
]

/** What came in by day or month beside the year before, and by which ways. */
function Plots({ collection: { from, to, by, rows, ways } }: { collection: CollectionAnswer }) {
  const path = `${useInstitutePath()}/money/collection`
  const asked = { from: yearBefore(from), to: yearBefore(to), by }
  const before = useQuery({
    queryKey: ['money-collection', path, asked],
    queryFn: ({ signal }) => get<CollectionAnswer>(path, asked, signal),
  })
  const last = byPeriod(before.data?.rows ?? [])
  const now = byPeriod(rows)
  const periods = periodsOf(from, to, by).map(period => [period, now.get(period) ?? 0] as const)
  const series = last.size > 0 ? OF_PERIODS : WAYS
  return (
    <>
      <Chart title={by === 'day' ? 'Collected by day' : 'Collected by month'} series={series}>
        <Columns
          columns={periods.map(([period, amount]) => {
            const then = last.get(yearBefore(period))
            return {
              key: period,
              label: by === 'day' ? formatShortDay(period) : periodWord(period, by),
              text: `${periodWord(period, by)}: ${formatRupees(amount)}${then === undefined ? '' : `, a year before ${formatRupees(then)}`}`,
              parts: [amount],
              before: then,
            }
          })}
          series={series}
          format={formatShortRupees}
        />
      </Chart>
      <h2 className="section-title">By way of payment</h2>
      <Chart
        title="Collected, by way of payment"
        table={() => <SumsTable title="Way" amount="Collected" rows={waysOf(ways)} />}
      >
        <Bars
          bars={ways.map(({ way, amount, count }) => ({
            key: way,
            label: modeLabel(way),
            text: `${formatShortRupees(amount)}, ${counted(count, 'payment')}`,
            parts: [amount],
          }))}
          series={WAYS}
        />
      </Chart>
    </>
  )
}

function byPeriod(rows: CollectionAnswer['rows']): Map<string, number> {
  const periods = Map.groupBy(rows, row => row.period)
  return new Map([...periods].map(([period, own]) => [period, sumRupees(own.map(row => row.collected))]))
}

/** Also those in which nothing came in. */
function periodsOf(from: string, to: string, by: CollectionAnswer['by']): string[] {
  const days = Array.from({ length: (Date.parse(to) - Date.parse(from)) / DAY_MS + 1 }, (_, no) =>
    addDays(from, no),
  )
  return by === 'day' ? days : [...new Set(days.map(day => `${day.slice(0, 8)}01`))]
}

const DAY_MS = 86_400_000

/** The same day a year ago; of a 29 February the day before. */
function yearBefore(day: string): string {
  const same = `${Number(day.slice(0, 4)) - 1}${day.slice(4)}`
  return same.endsWith('-02-29') ? same.replace('-29', '-28') : same
}

function Collection({ collection }: { collection: CollectionAnswer }) {
  const { from, to, rows, components, totals, by } = collection
  if (rows.length === 0) {
    return (
      <Empty
        title="Nothing came in"
        description={`No payment from ${formatDay(from)} to ${formatDay(to)}. Choose other days above.`}
      />
    )
  }
  return (
    <>
      <div className="stats">
        <Total label="Collected" value={totals.collected} />
        <Total label="Online" value={totals.online} />
        <Total label="Flex" value={totals.flex} />
        <Total label="At the school" value={totals.direct} />
        <Total label="Cred" value={totals.cred} />
        <Total label="Given back" value={totals.given_back} />
        <Total label="Net" value={totals.net} />
      </div>
      <h2 className="section-title">{by === 'day' ? 'By day' : 'By month'}</h2>
      <Plots collection={collection} />
      <h2 className="section-title">By fee</h2>
      <Sums
        name="By component"
        rows={components.map(row => ({
          id: row.component_type,
          labels: [readable(row.component_type)],
          row,
        }))}
        headings={['Fee']}
        totals={totals}
      />
      <h2 className="section-title">{by === 'day' ? 'By day and fee' : 'By month and fee'}</h2>
      <Sums
        name="By period and component"
        rows={rows.map(row => ({
          id: `${row.period} ${row.component_type}`,
          labels: [periodWord(row.period, by), readable(row.component_type)],
          row,
        }))}
        headings={[by === 'day' ? 'Day' : 'Month', 'Fee']}
        totals={totals}
      />
    </>
  )
}

const MONTH = new Intl.DateTimeFormat('en-IN', { timeZone: 'UTC', month: 'long', year: 'numeric' })

function periodWord(period: string, by: CollectionAnswer['by']): string {
  return by === 'day' ? formatDay(period) : MONTH.format(new Date(`${period}T00:00:00Z`))
}

function Total({ label, value }: { label: string; value: number }) {
  return (
    <div className="stat">
      <div className="stat-label">{label}</div>
      <div className="stat-value">{formatRupees(value)}</div>
    </div>
  )
}

type Amounts = CollectionAnswer['totals']
const KEYS = [
  ['online', 'Online'],
  ['flex', 'Flex'],
  ['direct', 'At the school'],
  ['cred', 'Cred'],
  ['collected', 'Collected'],
  ['given_back', 'Given back'],
  ['net', 'Net'],
] as const satisfies readonly (readonly [keyof Amounts, string])[]

function Sums({
  name,
  headings,
  rows,
  totals,
}: {
  name: string
  headings: readonly string[]
  rows: readonly { id: string; labels: readonly string[]; row: Amounts }[]
  totals: Amounts
}) {
  return (
    <TableFrame name={name}>
      <table className="data-table">
        <thead>
          <tr>
            {headings.map(heading => (
              <th key={heading} scope="col">
                {heading}
              </th>
            ))}
            {KEYS.map(([key, label]) => (
              <th key={key} scope="col" className="right">
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ id, labels, row }) => (
            <tr key={id}>
              {labels.map(label => (
                <td key={label} className="nowrap">
                  {label}
                </td>
              ))}
              {KEYS.map(([key]) => (
                <td key={key} className="right nowrap">
                  {row[key] === 0 ? <span className="faint">–</span> : formatRupees(row[key])}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row" colSpan={headings.length}>
              Total
            </th>
            {KEYS.map(([key]) => (
              <td key={key} className="right nowrap">
                <strong>{formatRupees(totals[key])}</strong>
              </td>
            ))}
          </tr>
        </tfoot>
      </table>
    </TableFrame>
  )
}
