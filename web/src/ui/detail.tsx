import { Group, Title } from '@mantine/core'
import { useEffect, useState, type ReactNode } from 'react'
import type { Tone } from './status-badge.tsx'
import { useTechnical } from './technical.ts'
import { When } from './when.tsx'

/** A detail page: summary on top, then a timeline of everything that happened. */
export type DetailField = { label: string; value: ReactNode }

export function Detail({
  title,
  back,
  status,
  note,
  actions,
  figures,
  fields = [],
  children,
}: {
  title: string
  /** A link to the list that the record belongs to. */
  back?: ReactNode
  status?: ReactNode
  /** What it is, in a line below its name. */
  note?: ReactNode
  actions?: ReactNode
  /** What people look for first, in large figures. */
  figures?: readonly DetailField[]
  fields?: readonly DetailField[]
  children: ReactNode
}) {
  useEffect(() => {
    document.title = `${title} · Bursar`
  }, [title])
  return (
    <article>
      {back}
      <Group justify="space-between" mb="md">
        <div>
          <Group gap="sm">
            <Title order={1} size="h2">
              {title}
            </Title>
            {status}
          </Group>
          {note !== undefined && <div className="faint">{note}</div>}
        </div>
        {actions !== undefined && <Group gap="xs">{actions}</Group>}
      </Group>
      {figures !== undefined && <Summary fields={figures} isLarge />}
      {fields.length > 0 && <Summary fields={fields} />}
      {children}
    </article>
  )
}

/** Names and values; what has no value is left out. */
export function Summary({ fields, isLarge = false }: { fields: readonly DetailField[]; isLarge?: boolean }) {
  return (
    <dl className={isLarge ? 'summary figures' : 'summary'}>
      {fields
        .filter(({ value }) => value !== undefined && value !== null && value !== '' && value !== false)
        .map(({ label, value }) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  )
}

export type TimelineEntry = {
  id: string
  at: string
  /** Whether the moment is one of real time, which a sandbox's clock does not move. */
  isReal?: boolean
  title: ReactNode
  tone?: Tone
  /** Absent when no person did it. */
  by?: ReactNode
  why?: ReactNode
  /** What came with it. */
  also?: readonly string[]
  raw?: unknown
}

export function Timeline({ entries }: { entries: readonly TimelineEntry[] }) {
  const [isTechnical] = useTechnical()
  return (
    <ol className="timeline">
      {entries.map(({ id, at, isReal = false, title, tone = 'plain', by, why, also = [], raw }) => (
        <li key={id} className={tone}>
          <div>
            <strong>{title}</strong>
            {by !== undefined && <> by {by}</>}
          </div>
          <When at={at} isReal={isReal} />
          {why !== undefined && <p className="timeline-why">{why}</p>}
          {also.map(line => (
            <div key={line} className="faint">
              {line}
            </div>
          ))}
          {isTechnical && raw !== undefined && <RawJson value={raw} />}
        </li>
      ))}
    </ol>
  )
}

/** Shows the raw JSON behind the page. */
export function RawJson({ value, label = 'Technical details' }: { value: unknown; label?: string }) {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <details open={isOpen} onToggle={event => setIsOpen(event.currentTarget.open)}>
      <summary className="faint">{label}</summary>
      {isOpen && (
        // A long text scrolls in its frame, so the frame can be reached by the keyboard.
        <pre className="raw-json mono" tabIndex={0} aria-label={label}>
          {JSON.stringify(value, null, 2)}
        </pre>
      )}
    </details>
  )
}
