/** Work that falls due by itself. */
export const JOB_KINDS = [
  'orders_expired',
  'payments_checked',
  'refunds_sent',
  'mandates_checked',
  'instalments_stepped',
  'loans_checked',
  'messages_sent',
  'webhooks_delivered',
  'imports_run',
] as const
export type JobKind = (typeof JOB_KINDS)[number]

/** What can be given up. */
export const LETTER_KINDS = ['delivery', 'message', 'import'] as const
export type LetterKind = (typeof LETTER_KINDS)[number]

/** Beyond that it does not matter to anybody how many more. */
export const MOST_COUNTED = 10_000

const BEHIND_MS = 5 * 60_000

/** Nobody does the work, or too few do: a worker looks for it every few seconds. An import may well take longer. */
export function isBehind(jobs: readonly { kind: JobKind; lateMs: number }[]): boolean {
  return jobs.some(({ kind, lateMs }) => kind !== 'imports_run' && lateMs > BEHIND_MS)
}
