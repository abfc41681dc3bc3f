import { useElementSize } from '@mantine/hooks'
import type { Series } from './chart.tsx'

export type Column = {
  key: string
  /** The text on the axis. */
  label: string
  /** What it says when it is pointed at. */
  text: string
  parts: readonly number[]
  /** What it is compared with, as a line across it. */
  before?: number | undefined
}

const HEIGHT = 260
const LEFT = 72
const BOTTOM = 28
const LINES = 4
const LABEL_WIDTH = 72
const WIDEST = 28

/** Amounts or counts one after another in time, with axes that say what they are. */
export function Columns({
  columns,
  series,
  format,
}: {
  columns: readonly Column[]
  series: readonly Series[]
  format: (value: number) => string
}) {
  const { ref, width } = useElementSize()
  const highest = columns.map(({ parts, before = 0 }) => Math.max(sumOf(parts), before))
  const top = roundUp(Math.max(...highest, 1))
  const step = Math.max(width - LEFT, 0) / Math.max(columns.length, 1)
  const bar = Math.min(step * 0.8, WIDEST)
  const labelEvery = Math.max(1, Math.ceil(LABEL_WIDTH / Math.max(step, 1)))
  const heightOf = (value: number): number => (Math.max(value, 0) / top) * (HEIGHT - BOTTOM - 12)
  return (
    <div ref={ref}>
      <svg width="100%" height={HEIGHT} className="chart" aria-hidden>
        <Axis width={width} top={top} heightOf={heightOf} format={format} />
        {columns.map(({ key, label, text, parts, before }, no) => {
          const x = LEFT + no * step + (step - bar) / 2
          return (
            <g key={key}>
              <Parts x={x} width={bar} parts={parts} series={series} heightOf={heightOf} />
              {before !== undefined && (
                <rect
                  x={x - 2}
                  width={bar + 4}
                  y={HEIGHT - BOTTOM - heightOf(before) - 1}
                  height={2}
                  className="tone-before"
                />
              )}
              <rect x={LEFT + no * step} width={step} y={0} height={HEIGHT - BOTTOM} className="hit">
                <title>{text}</title>
              </rect>
              {no % labelEvery === 0 && (
                <text x={x + bar / 2} y={HEIGHT - 8} textAnchor="middle">
                  {label}
                </text>
              )}
            </g>
          )
        })}
      </svg>
    </div>
  )
}

function Axis({
  width,
  top,
  heightOf,
  format,
}: {
  width: number
  top: number
  heightOf: (value: number) => number
  format: (value: number) => string
}) {
  return Array.from({ length: LINES + 1 }, (_, no) => {
    const y = HEIGHT - BOTTOM - heightOf((top * no) / LINES)
    return (
      <g key={no}>
        <line x1={LEFT} x2={width} y1={y} y2={y} />
        <text x={LEFT - 8} y={y + 4} textAnchor="end">
          {format((top * no) / LINES)}
        </text>
      </g>
    )
  })
}

/** The parts of a column on top of each other. */
function Parts({
  x,
  width,
  parts,
  series,
  heightOf,
}: {
  x: number
  width: number
  parts: readonly number[]
  series: readonly Series[]
  heightOf: (value: number) => number
}) {
  return parts.map((part, index) => (
    <rect
      key={series[index]?.label}
      x={x}
      width={width}
      y={HEIGHT - BOTTOM - heightOf(sumOf(parts.slice(0, index + 1)))}
      height={heightOf(part)}
      className={`tone-${series[index]?.tone}`}
    />
  ))
}

function sumOf(parts: readonly number[]): number {
  return parts.reduce((sum, part) => sum + part, 0)
}

/** Rounds up to a value that four lines divide into round ones, and whole ones: nobody counts halves. */
function roundUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value))
  const round = ([1, 1.2, 1.6, 2, 3, 4, 6, 8].find(times => times * power >= value) ?? 10) * power
  return Math.ceil(round / LINES) * LINES
}
