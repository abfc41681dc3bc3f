import type { AccountAnswer } from '../../../../../src/providers/accounts/account.schemas.ts'
import { useSession } from '../../../api/session.ts'
import { StatusBadge } from '../../../ui/status-badge.tsx'

export const METHODS = [
  { value: 'upi', label: 'UPI' },
  { value: 'card', label: 'Cards' },
  { value: 'netbanking', label: 'Net banking' },
] as const
export const RAILS = [
  { value: 'enach', label: 'eNACH' },
  { value: 'upi_autopay', label: 'UPI Autopay' },
] as const

export function usesOf({ methods, rails }: AccountAnswer): string {
  const labels = [...METHODS, ...RAILS].flatMap(({ value, label }) =>
    [...methods, ...rails].includes(value) ? label : [],
  )
  return labels.length === 0 ? 'Nothing new' : labels.join(', ')
}

/** Green only where money of this installation may go through it. */
export function AccountBadge({ account: { state, check_problem: problem } }: { account: AccountAnswer }) {
  const mode = useSession()?.mode
  if (state === 'paused') return <StatusBadge tone="waiting">Paused</StatusBadge>
  if (problem !== undefined) return <StatusBadge tone="bad">Not connected</StatusBadge>
  if (state === 'test' && mode === 'live') return <StatusBadge tone="waiting">Test key, not used</StatusBadge>
  return <StatusBadge tone="good">{state === 'live' ? 'Live' : 'Test'}</StatusBadge>
}
