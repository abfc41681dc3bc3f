import { INDIA } from '../../../platform/calendar.ts'

/** The figures of the office, or to each class teacher who of the class is late. */
export const MAILED = ['figures', 'class_sheets'] as const
export type Mailed = (typeof MAILED)[number]

export const EVERY = ['week', 'month'] as const
/** `day`: of the week, from 1 for Monday; of the month. */
export type Schedule = { every: (typeof EVERY)[number]; day: number }

/** Mails leave in the morning, when people open them. */
const AT = { hour: 8 }

/** The first such morning after a moment. One that was missed is not made up for: the next one has its figures. */
export function nextMailAt({ every, day }: Schedule, now: Date): Date {
  const today = Temporal.Instant.fromEpochMilliseconds(now.getTime()).toZonedDateTimeISO(INDIA)
  const date = today.toPlainDate()
  const first = every === 'week' ? date.add({ days: (day - date.dayOfWeek + 7) % 7 }) : date.with({ day })
  const next = every === 'week' ? { days: 7 } : { months: 1 }
  return new Date(morning(first) > now.getTime() ? morning(first) : morning(first.add(next)))
}

function morning(day: Temporal.PlainDate): number {
  return day.toZonedDateTime({ timeZone: INDIA, plainTime: AT }).epochMilliseconds
}

export type Days = { from: string; to: string }

/** The seven days before a day, or the calendar month before its own; and the same before that. */
export function periodBefore({ every }: Schedule, day: string): { period: Days; earlier: Days } {
  const date = Temporal.PlainDate.from(day)
  if (every === 'week') return { period: weekBefore(date), earlier: weekBefore(date.subtract({ days: 7 })) }
  return { period: monthBefore(date), earlier: monthBefore(date.subtract({ months: 1 })) }
}

function weekBefore(day: Temporal.PlainDate): Days {
  return { from: day.subtract({ days: 7 }).toString(), to: day.subtract({ days: 1 }).toString() }
}

function monthBefore(day: Temporal.PlainDate): Days {
  const first = day.with({ day: 1 })
  return { from: first.subtract({ months: 1 }).toString(), to: first.subtract({ days: 1 }).toString() }
}
