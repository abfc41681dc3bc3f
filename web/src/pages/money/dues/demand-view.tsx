import { NativeSelect } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { DemandAnswer } from '../../../../../src/console/reports/demand/demand.schemas.ts'
import { get } from '../../../api/client.ts'
import { useInstitutePath } from '../../../api/session.ts'
import { Bars } from '../../../ui/chart/bars.tsx'
import { Chart, type Series } from '../../../ui/chart/chart.tsx'
import { Columns } from '../../../ui/chart/columns.tsx'
import { formatRupees, formatShortRupees } from '../../../ui/money.tsx'
import { Empty, Failed, Loading } from '../../../ui/states.tsx'
import { ShortTable } from '../../../ui/table/short-table.tsx'
import { useFilters, type Filter } from '../../../ui/table/use-filters.ts'
import { yearName } from '../../../ui/when.tsx'
import { ExportMenu } from '../../../ui/table/export-menu.tsx'

const YEAR: readonly Filter[] = [{ key: 'academic_year_start', label: 'Academic year' }]
const OF_DEMAND: readonly Series[] = [
  { label: 'Collected', tone: 'good' },
  { label: 'Left to pay', tone: 'waiting' },
]
const OF_MONTH: readonly Series[] = [
  { label: 'Collected', tone: 'good' },
  { label: 'Became due', tone: 'before' },
]
type Sums = DemandAnswer['months'][number]
type Standing = DemandAnswer['total']

/** What was demanded and what came in, by class and by month, beside the year before. */
export function DemandView() {
  const path = `${useInstitutePath()}/money/demand`
  const { values, set } = useFilters(YEAR)
  const demand = useQuery({
    queryKey: ['money-demand', path, values],
    queryFn: ({ signal }) => get<DemandAnswer>(path, values, signal),
  })
  if (demand.isPending) return <Loading />
  if (demand.isError) return <Failed error={demand.error} retry={() => void demand.refetch()} />
  const { academic_year_start: year, years, grades, months, total } = demand.data
  if (grades.length === 0)
    return <Empty title="No fees yet" description="Once students have fees, each class has its line here." />
  // A school’s first year has none before it.
  const hasLast = total.last_demanded !== 0 || total.last_collected !== 0
  const hasCarried = total.carried_in !== 0 || total.carried_out !== 0
  return (
    <>
      <div className="money-bar">
        <NativeSelect
          size="xs"
          label="Academic year"
          value={String(year)}
          onChange={event => set({ academic_year_start: event.currentTarget.value })}
          data={years.map(one => ({ value: String(one.year), label: yearName(one.year, one.year + 1) }))}
        />
        <ExportMenu path={`${path}/export`} sent={values} />
      </div>
      <p>
        {`Of the fees of ${yearName(year, year + 1)}, ${formatRupees(total.collected)} of ${formatRupees(total.demanded + total.carried_in)} came in${shareOf(total)}.`}
        {total.carried_out > 0 && ` ${formatRupees(total.carried_out)} was carried on to the next year.`}
        {` ${formatRupees(total.outstanding)} is left to pay.`}
        {hasLast &&
          ` The year before it was ${formatRupees(total.last_collected)} of ${formatRupees(total.last_demanded)}.`}
      </p>
      <p className="faint">
        Home counts more: all money since April for whatever year, what is left to pay of other years too, and
        late fees, which are no fee of the year until they are paid.
      </p>
      <h2 className="section-title">By class</h2>
      <ClassChart grades={grades} />
      <ShortTable
        name="By class"
        isCompact
        rows={grades}
        rowId={row => row.grade}
        columns={[
          { title: 'Class', cell: row => row.grade },
          amount('Demanded', row => row.demanded),
          ...(hasCarried ? [carried] : []),
          amount('Collected', row => row.collected),
          { title: 'Left to pay', isAmount: true, cell: (row: Standing) => formatRupees(row.outstanding) },
          { title: 'Share', isAmount: true, cell: row => shareOf(row, '') },
          ...(hasLast ? [amount('Demanded last year', row => row.last_demanded)] : []),
          ...(hasLast ? [amount('Collected last year', row => row.last_collected)] : []),
        ]}
      />
      <h2 className="section-title">By month</h2>
      <MonthChart months={months} />
      <ShortTable
        name="By month"
        isCompact
        rows={months}
        rowId={row => row.month ?? ''}
        columns={[
          { title: 'Month', cell: row => monthName(row.month) },
          amount('Became due', row => row.demanded),
          ...(hasCarried ? [carried] : []),
          amount('Collected', row => row.collected),
          ...(hasLast ? [amount('Collected last year', row => row.last_collected)] : []),
        ]}
      />
    </>
  )
}

function ClassChart({ grades }: { grades: DemandAnswer['grades'] }) {
  return (
    <Chart title="Collected and left to pay, by class" series={OF_DEMAND}>
      <Bars
        bars={grades.map(row => ({
          key: row.grade,
          label: row.grade,
          text: `${formatShortRupees(row.collected)} ${shareOf(row)}`,
          parts: [row.collected, row.outstanding],
        }))}
        series={OF_DEMAND}
      />
    </Chart>
  )
}

function MonthChart({ months }: { months: DemandAnswer['months'] }) {
  return (
    <Chart title="Collected and due, by month" series={OF_MONTH}>
      <Columns
        columns={months.flatMap(row =>
          row.month === undefined
            ? []
            : [
                {
                  key: row.month,
                  label: SHORT_MONTH.format(new Date(row.month)),
                  text: `${monthName(row.month)}: ${formatRupees(row.collected)} came in, ${formatRupees(row.demanded)} became due`,
                  parts: [row.collected],
                  before: row.demanded,
                },
              ],
        )}
        series={OF_MONTH}
        format={formatShortRupees}
      />
    </Chart>
  )
}

function amount(title: string, of: (row: Sums) => number) {
  return { title, isAmount: true, cell: (row: Sums) => formatRupees(of(row)) }
}

/** Dues from an earlier year, and dues that moved on to a later one. */
const carried = {
  title: 'Carried',
  isAmount: true,
  cell: ({ carried_in: came, carried_out: went }: Sums) =>
    [
      ...(came === 0 ? [] : [`${formatRupees(came)} in`]),
      ...(went === 0 ? [] : [`${formatRupees(went)} out`]),
    ].join(', '),
}

function shareOf({ collected, demanded, carried_in: came }: Sums, before = ', '): string {
  const asked = demanded + came
  return asked > 0 ? `${before}${Math.round((collected / asked) * 100)} %` : ''
}

const SHORT_MONTH = new Intl.DateTimeFormat('en-IN', { month: 'short', timeZone: 'UTC' })
const MONTH = new Intl.DateTimeFormat('en-IN', { month: 'long', year: 'numeric', timeZone: 'UTC' })

function monthName(month: string | undefined): string {
  return month === undefined ? 'Without a due day' : MONTH.format(new Date(month))
}
