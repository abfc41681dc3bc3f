import { useElementSize } from '@mantine/hooks'
import { useState } from 'react'
import { formatCount, formatRupees, formatShortRupees } from './money.tsx'
import { formatDay, formatShortDay } from './when.tsx'

export type DayAmount = { day: string; amount: number; count: number }

/** Amounts by day, with axes that say what they are, and as a table for those who cannot see it. */
export function DayAmountChart({ days, label }: { days: readonly DayAmount[]; label: string }) {
  const [isTable, setIsTable] = useState(false)
  return (
    <figure aria-label={label} style={{ margin: 0 }}>
      <Bars days={days} />
      <details onToggle={event => setIsTable(event.currentTarget.open)}>
        <summary className="faint">Show as a table</summary>
        {isTable && <Table days={days} />}
      </details>
    </figure>
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

const HEIGHT = 260
const LEFT = 72
const BOTTOM = 28
const LINES = 4
const LABEL_WIDTH = 72
const WIDEST_BAR = 28

/** Drawn by hand: a library for charts weighs more than the page on which one stands. */
function Bars({ days }: { days: readonly DayAmount[] }) {
  const { ref, width } = useElementSize()
  const top = roundUp(Math.max(...days.map(({ amount }) => amount), 1))
  const step = Math.max(width - LEFT, 0) / Math.max(days.length, 1)
  const bar = Math.min(step * 0.8, WIDEST_BAR)
  const labelEvery = Math.max(1, Math.ceil(LABEL_WIDTH / Math.max(step, 1)))
  const heightOf = (amount: number): number => (amount / top) * (HEIGHT - BOTTOM - 12)
  return (
    <div ref={ref}>
      <svg width="100%" height={HEIGHT} className="bar-chart" aria-hidden>
        {Array.from({ length: LINES + 1 }, (_, no) => {
          const y = HEIGHT - BOTTOM - heightOf((top * no) / LINES)
          return (
            <g key={no}>
              <line x1={LEFT} x2={width} y1={y} y2={y} />
              <text x={LEFT - 8} y={y + 4} textAnchor="end">
                {formatShortRupees((top * no) / LINES)}
              </text>
            </g>
          )
        })}
        {days.map(({ day, amount }, no) => {
          const x = LEFT + no * step + (step - bar) / 2
          return (
            <g key={day}>
              <rect x={x} width={bar} y={HEIGHT - BOTTOM - heightOf(amount)} height={heightOf(amount)} />
              <rect x={LEFT + no * step} width={step} y={0} height={HEIGHT - BOTTOM} className="hit">
                <title>{`${formatDay(day)}: ${formatRupees(amount)}`}</title>
              </rect>
              {no % labelEvery === 0 && (
                <text x={x + bar / 2} y={HEIGHT - 8} textAnchor="middle">
                  {formatShortDay(day)}
                </text>
              )}
            </g>
          )
        })}
      </svg>
    </div>
  )
}

/** Rounds up to an amount that four lines divide into round ones. */
function roundUp(amount: number): number {
  const power = 10 ** Math.floor(Math.log10(amount))
  return ([1, 1.2, 1.6, 2, 3, 4, 6, 8].find(times => times * power >= amount) ?? 10) * power
}
