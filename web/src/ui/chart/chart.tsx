import { Button } from '@mantine/core'
import { useRef, useState, type ReactNode } from 'react'
import { TableFrame } from '../table/frame.tsx'
import { notify } from '../toasts.tsx'

/** What a part of a bar stands for; its colour follows from that, by day and by night. */
export type Tone =
  | 'good'
  | 'waiting'
  | 'bad'
  | 'plain'
  | 'rest'
  | 'before'
  | 'ink'
  | 'late-1'
  | 'late-2'
  | 'late-3'
  | 'late-4'
export type Series = { label: string; tone: Tone }

/**
 * A chart with its name. People who cannot see it read its numbers in a table: the one given here, or one that stands on
 * the page anyway.
 */
export function Chart({
  title,
  series = [],
  table,
  children,
}: {
  title: string
  series?: readonly Series[]
  /** Drawn only when somebody opens it. */
  table?: () => ReactNode
  children: ReactNode
}) {
  const figure = useRef<HTMLElement>(null)
  const [isTable, setIsTable] = useState(false)
  const save = async (): Promise<void> => {
    const svg = figure.current?.querySelector<SVGSVGElement>('svg.chart')
    if (!svg) return
    const { savePicture } = await import('./picture.ts')
    await savePicture(svg, title).catch((error: Error) => notify(error.message))
  }
  return (
    <figure className="chart-figure" aria-label={title} ref={figure}>
      <div className="chart-head">
        <Legend series={series} />
        <Button
          size="compact-xs"
          variant="subtle"
          onClick={() => void save()}
          aria-label={`Save as PNG: ${title}`}
        >
          Save as PNG
        </Button>
      </div>
      {children}
      {table !== undefined && (
        <details onToggle={event => setIsTable(event.currentTarget.open)}>
          <summary className="faint">Show as a table</summary>
          {isTable && <TableFrame name={title}>{table()}</TableFrame>}
        </details>
      )}
    </figure>
  )
}

function Legend({ series }: { series: readonly Series[] }) {
  if (series.length < 2) return <span />
  return (
    <ul className="chart-legend">
      {series.map(({ label, tone }) => (
        <li key={label}>
          <svg width="12" height="12" aria-hidden>
            <rect
              y={tone === 'before' ? 5 : 0}
              width="12"
              height={tone === 'before' ? 2 : 12}
              rx={tone === 'before' ? 0 : 2}
              className={`tone-${tone}`}
            />
          </svg>
          {label}
        </li>
      ))}
    </ul>
  )
}
