import type { Tone } from '../../../ui/status-badge.tsx'

export const ROSTER_LABELS: Record<string, { label: string; tone: Tone }> = {
  checking: { label: 'Being checked', tone: 'waiting' },
  checked: { label: 'Waiting for you', tone: 'waiting' },
  running: { label: 'Being registered', tone: 'waiting' },
  done: { label: 'Done', tone: 'good' },
  failed: { label: 'Cannot be used', tone: 'bad' },
  cancelled: { label: 'Discarded', tone: 'plain' },
}
