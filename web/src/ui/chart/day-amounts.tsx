import { formatCount, formatRupees, formatShortRupees } from '../money.tsx'
import { formatDay, formatShortDay } from '../when.tsx'
import { Chart, type Series } from './chart.tsx'
import { Columns } from './columns.tsx'

export type DayAmount = { day: string; amount: number; count: number }

const SERIES: readonly Series[] = [{ label: 'Collected', tone: 'good' }]

/** Amounts by day. */
export function DayAmountChart({ days, label }: { days: readonly DayAmount[]; label: string }) {
  return (
    <Chart title={label} table={() => <Table days={days} />}>
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

function Table({ days }: { days: readonly DayAmount[] }) {
  return (
    <table className="data-table">
      <thead>
        <tr>
          <th scope="col">Day</th>
          <th scope="col" className="right">
            Payments
          </th>
          <th scope="col" className="right">
            Collected
          </th>
        </tr>
      </thead>
      <tbody>
        {days.toReversed().map(({ day, amount, count }) => (
          <tr key={day}>
            <td>{formatDay(day)}</td>
            <td className="right">{formatCount(count)}</td>
            <td className="right">{formatRupees(amount)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
