import { useElementSize } from '@mantine/hooks'
import type { Series } from './chart.tsx'

export type Bar = {
  key: string
  label: string
  /** The figure on its right. */
  text: string
  parts: readonly number[]
}

const ROW = 30
const NARROW_ROW = 46
const THICK = 16
const NARROW = 520
/** About as wide as a digit. */
const LETTER = 7.2

/** Amounts or counts below each other, each with its name and figure; on a phone these stand above the bar. */
export function Bars({ bars, series }: { bars: readonly Bar[]; series: readonly Series[] }) {
  const { ref, width } = useElementSize()
  const layout = layoutOf(bars, width)
  return (
    <div ref={ref}>
      <svg width="100%" height={bars.length * layout.row} className="chart" aria-hidden>
        {bars.map((bar, no) => (
          <OneBar key={bar.key} bar={bar} top={no * layout.row} layout={layout} series={series} />
        ))}
      </svg>
    </div>
  )
}

type Layout = ReturnType<typeof layoutOf>

function layoutOf(bars: readonly Bar[], width: number) {
  const isNarrow = width < NARROW
  const longest = (of: (bar: Bar) => string): number =>
    Math.max(...bars.map(bar => of(bar).length), 1) * LETTER + 12
  const left = isNarrow
    ? 0
    : Math.min(
        longest(({ label }) => label),
        width * 0.32,
      )
  const right = isNarrow ? 0 : longest(({ text }) => text)
  const most = Math.max(...bars.map(({ parts }) => sumOf(parts)), 1)
  const scale = Math.max(width - left - right, 0) / most
  return { isNarrow, width, left, scale, row: isNarrow ? NARROW_ROW : ROW }
}

function OneBar({
  bar: { label, text, parts },
  top,
  layout: { isNarrow, width, left, scale, row },
  series,
}: {
  bar: Bar
  top: number
  layout: Layout
  series: readonly Series[]
}) {
  const line = top + (isNarrow ? 17 : row / 2 + 4)
  return (
    <g>
      <text x={0} y={line} className="name">
        {cut(label, isNarrow ? width / LETTER - text.length - 1 : left / LETTER)}
        <title>{label}</title>
      </text>
      {parts.map((part, index) => (
        <rect
          key={series[index]?.label}
          x={left + sumOf(parts.slice(0, index)) * scale}
          width={Math.max(part, 0) * scale}
          y={top + (isNarrow ? 24 : (row - THICK) / 2)}
          height={THICK}
          className={`tone-${series[index]?.tone}`}
        />
      ))}
      <text
        x={isNarrow ? width : left + sumOf(parts) * scale + 8}
        y={line}
        textAnchor={isNarrow ? 'end' : 'start'}
        className="name"
      >
        {text}
      </text>
    </g>
  )
}

/** A part below zero has no length. */
function sumOf(parts: readonly number[]): number {
  return parts.reduce((sum, part) => sum + Math.max(part, 0), 0)
}

function cut(text: string, letters: number): string {
  const most = Math.max(Math.floor(letters), 4)
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`
}
