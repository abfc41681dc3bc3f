/** How late a due is, by the institute's due days; what has none stands by itself. */
const BUCKETS = ['not_due', 'days_0_30', 'days_31_60', 'days_61_90', 'days_over_90', 'no_due_day'] as const
export type Bucket = (typeof BUCKETS)[number]

/** What the list of those who owe can be narrowed to: all who are late, or one bucket. */
export const DEFAULTER_BUCKETS = ['late', ...BUCKETS] as const
export type DefaulterBucket = (typeof DEFAULTER_BUCKETS)[number]

export const GROUPINGS = ['component', 'grade', 'branch'] as const
export type Grouping = (typeof GROUPINGS)[number]

/** Days late, from and to; what is due today is not late. */
export const LATE_DAYS: Record<
  Exclude<Bucket, 'not_due' | 'no_due_day'>,
  readonly [number, number | null]
> = {
  days_0_30: [1, 30],
  days_31_60: [31, 60],
  days_61_90: [61, 90],
  days_over_90: [91, null],
}

const CURSOR = /^(\d{4}-\d{2}-\d{2})\.([A-Za-z0-9_-]{1,50})$/
const NEVER = '9999-12-31'

/** Where a page ended: the list is by the oldest due day, and who has none comes last. */
export function dueCursor(row: { oldestDueOn: string | null; studentId: string }): string {
  return `${row.oldestDueOn ?? NEVER}.${row.studentId}`
}

export function parseDueCursor(text: string): { dueOn: string; studentId: string } | null {
  const [, dueOn, studentId] = CURSOR.exec(text) ?? []
  if (dueOn === undefined || studentId === undefined || Number.isNaN(Date.parse(dueOn))) return null
  return { dueOn, studentId }
}
