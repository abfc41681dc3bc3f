/** A status is a word; its colour only repeats it: green done, amber waiting, red lost or failed. */
export type Tone = 'good' | 'waiting' | 'bad' | 'plain'

export function StatusBadge({ tone, children }: { tone: Tone; children: string }) {
  return <span className={`status status-${tone}`}>{children}</span>
}
