import { StatusBadge, type Tone } from '../../ui/status-badge.tsx'

export function Badge({ of, labels }: { of: string; labels: Record<string, { label: string; tone: Tone }> }) {
  const { label, tone } = labels[of] ?? { label: of, tone: 'plain' }
  return <StatusBadge tone={tone}>{label}</StatusBadge>
}
