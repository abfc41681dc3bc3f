import { formatRupees, formatShortRupees } from '../money.tsx'
import { formatDay, formatShortDay } from '../when.tsx'
import { Chart, type Series } from './chart.tsx'
import { Columns } from './columns.tsx'
import { SumsTable } from './sums-table.tsx'

export type DayAmount = { day: string; amount: number; count: number }

const SERIES: readonly Series[] = [{ label: 'Collected', tone: 'good' }]

/** The last day first. */
const rowsOf = (days: readonly DayAmount[]) =>
  days.toReversed().map(({ day, amount, count }) => ({ label: formatDay(day), amount, count }))

/** Amounts by day. */
export function DayAmountChart({ days, label }: { days: readonly DayAmount[]; label: string }) {
  return (
    <Chart title={label} table={() => <SumsTable title="Day" amount="Collected" rows={rowsOf(days)} />}>
      <Columns
        columns={days.map(({ day, amount }) => ({
          key: day,
          label: formatShortDay(day),
          text: `${formatDay(day)}: ${formatRupees(amount)}`,
          parts: [amount],
        }))}
        series={SERIES}
        format={formatShortRupees}
      />
    </Chart>
  )
}
