import type { ReactNode } from 'react'
import { formatRupees } from '../../ui/money.tsx'

/** A name, an amount, and a line as long as its share. */
export function PanelRow({
  label,
  note,
  amount,
  share,
  tone = 'good',
}: {
  label: ReactNode
  note?: string
  amount: number
  share: number
  tone?: 'good' | 'waiting' | 'plain'
}) {
  return (
    <li>
      <span className="panel-label">
        {label}
        {note !== undefined && <span className="faint"> {note}</span>}
      </span>
      <span className="money">{formatRupees(amount)}</span>
      <span className={`panel-bar panel-${tone}`} aria-hidden>
        <span style={{ width: `${Math.max(0, Math.min(1, share)) * 100}%` }} />
      </span>
    </li>
  )
}
