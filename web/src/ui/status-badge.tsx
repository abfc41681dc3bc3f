import { IconAlertTriangle, IconCheck, IconClock } from '@tabler/icons-react'

/** The colour and the mark only repeat the label: green done, amber waiting, red lost money or failure. */
export type Tone = 'good' | 'waiting' | 'bad' | 'plain'

const MARKS = { good: IconCheck, waiting: IconClock, bad: IconAlertTriangle, plain: null }

export function StatusBadge({ tone, children }: { tone: Tone; children: string }) {
  const Mark = MARKS[tone]
  return (
    <span className={`status status-${tone}`}>
      {Mark !== null && <Mark size={14} stroke={2.2} aria-hidden />}
      {children}
    </span>
  )
}
