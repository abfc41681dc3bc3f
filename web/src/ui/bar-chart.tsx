import '@mantine/charts/styles.css'
import { BarChart as MantineBarChart } from '@mantine/charts'
import { formatCount, formatRupees, formatShortRupees } from './money.tsx'
import { formatDay, formatShortDay } from './when.tsx'

export type DayAmount = { day: string; amount: number; count: number }

/** Amounts by day, with axes that say what they are. Loaded only by pages that show one. */
export function DayAmountChart({ days, label }: { days: readonly DayAmount[]; label: string }) {
  return (
    <figure aria-label={label} style={{ margin: 0 }}>
      <MantineBarChart
        h={260}
        data={days.map(({ day, amount }) => ({ day: formatShortDay(day), amount }))}
        dataKey="day"
        series={[{ name: 'amount', label: 'Collected', color: 'bursar.7' }]}
        yAxisProps={{ tickFormatter: formatShortRupees, width: 72 }}
        xAxisProps={{ minTickGap: 24, interval: 'equidistantPreserveStart' }}
        valueFormatter={formatRupees}
        withTooltip
        tickLine="y"
        gridAxis="x"
        barProps={{ isAnimationActive: false, maxBarSize: 28 }}
        barChartProps={{ accessibilityLayer: false }}
      />
      <details>
        <summary className="faint">Show as a table</summary>
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
      </details>
    </figure>
  )
}
