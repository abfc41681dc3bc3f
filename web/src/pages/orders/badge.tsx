import { StatusBadge, type Tone } from '../../ui/status-badge.tsx'

/** A status out of one of the lists in words.ts. */
export function Badge({ of, words }: { of: string; words: Record<string, { word: string; tone: Tone }> }) {
  const { word, tone } = words[of] ?? { word: of, tone: 'plain' }
  return <StatusBadge tone={tone}>{word}</StatusBadge>
}
