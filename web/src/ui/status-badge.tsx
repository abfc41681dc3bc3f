/** The colour only repeats the label: green done, amber waiting, red lost money or failure. */
export type Tone = 'good' | 'waiting' | 'bad' | 'plain'

export function StatusBadge({ tone, children }: { tone: Tone; children: string }) {
  return <span className={`status status-${tone}`}>{children}</span>
}
