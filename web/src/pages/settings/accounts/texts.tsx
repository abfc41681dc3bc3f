import type { AccountAnswer } from '../../../../../src/providers/accounts/account.schemas.ts'
import { useSession } from '../../../api/session.ts'
import { formatRupees } from '../../../ui/money.tsx'
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

/** What the school says of ways to pay; the provider's limits count beside it. */
export function waysOf({ ways }: AccountAnswer): string {
  const texts = ways.map(({ method, max_amount: most, payer_fee_bp: fee }) => {
    const label = METHODS.find(({ value }) => value === method)?.label ?? method
    const parts = [
      ...(most === undefined ? [] : [`at most ${formatRupees(most)}`]),
      ...(fee === 0 ? [] : [`the payer bears ${fee / 100} %`]),
    ]
    return `${label}: ${parts.join(', ')}`
  })
  return texts.length === 0 ? 'Those of the provider' : texts.join('; ')
}

/** Green only where money of this installation may go through it. */
export function AccountBadge({ account: { state, check_problem: problem } }: { account: AccountAnswer }) {
  const mode = useSession()?.mode
  if (state === 'paused') return <StatusBadge tone="waiting">Paused</StatusBadge>
  if (problem !== undefined) return <StatusBadge tone="bad">Not connected</StatusBadge>
  if (state === 'test' && mode === 'live') return <StatusBadge tone="waiting">Test key, not used</StatusBadge>
  return <StatusBadge tone="good">{state === 'live' ? 'Live' : 'Test'}</StatusBadge>
}
