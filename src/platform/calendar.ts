/** Calendar days and moments as the process reads and writes them: days of Asia/Kolkata, moments in UTC. */
export const INDIA = 'Asia/Kolkata'

/** A day as a length of time; no day of India is longer or shorter. */
export const DAY_MS = 86_400_000

const DAY = /^\d{4}-\d{2}-\d{2}$/
const MOMENT = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}(:\d{2}([.,]\d{1,9})?)?([Zz]|[+-]\d{2}(:?\d{2})?)?$/
const OFFSET = /([Zz]|[+-]\d{2}(:?\d{2})?)$/

// Bounds keep every accepted moment inside what PostgreSQL and ISO 8601 with four-digit years can hold.
const EARLIEST = Date.parse('0001-01-02T00:00:00Z')
const LATEST = Date.UTC(9999, 11, 31)

/** A real day as `YYYY-MM-DD` from the year 1 on, or null. */
export function parseDay(text: string): string | null {
  if (!DAY.test(text)) return null
  try {
    const day = Temporal.PlainDate.from(text, { overflow: 'reject' })
    return day.year >= 1 ? text : null
  } catch {
    return null
  }
}

/** An ISO 8601 date-time; without an offset it is Indian time. Null when it is not one. */
export function parseMoment(text: string): Date | null {
  if (!MOMENT.test(text) || parseDay(text.slice(0, 10)) === null) return null
  try {
    const time = text.slice(11)
    const instant = OFFSET.test(time)
      ? Temporal.Instant.from(text)
      : Temporal.PlainDateTime.from(text, { overflow: 'reject' }).toZonedDateTime(INDIA).toInstant()
    return withinBounds(instant.epochMilliseconds)
  } catch {
    return null
  }
}

/** Midnight in India at the start of a day given as `YYYY-MM-DD`. */
export function startOfDay(day: string): Date {
  return new Date(Temporal.PlainDate.from(day).toZonedDateTime(INDIA).epochMilliseconds)
}

/** The day in India at a moment. */
export function dayOf(moment: Date): string {
  return Temporal.Instant.fromEpochMilliseconds(moment.getTime())
    .toZonedDateTimeISO(INDIA)
    .toPlainDate()
    .toString()
}

export function dayAfter(day: string): string {
  return addDays(day, 1)
}

/** The day so many days later; earlier with a negative number. */
export function addDays(day: string, days: number): string {
  return Temporal.PlainDate.from(day).add({ days }).toString()
}

export function dayBefore(day: string): string {
  return Temporal.PlainDate.from(day).subtract({ days: 1 }).toString()
}

/** How many days the second lies after the first; less than 0 when it lies before it. */
export function daysBetween(first: string, second: string): number {
  return Temporal.PlainDate.from(first).until(second, { largestUnit: 'days' }).days
}

const PEOPLE_MOMENT = new Intl.DateTimeFormat('en-IN', {
  timeZone: INDIA,
  day: 'numeric',
  month: 'long',
  year: 'numeric',
  hour: 'numeric',
  minute: '2-digit',
})

/** 15 November 2026 at 9:30 am IST, for people. */
export function formatMoment(moment: Date): string {
  return `${PEOPLE_MOMENT.format(moment)} IST`
}

/** The last minute of what ends at a midnight: people read "until 11:59 pm", not "until 12:00 am" of a day that is none of it. */
export function lastMoment(end: Date): Date {
  const { hour, minute, second } = Temporal.Instant.fromEpochMilliseconds(end.getTime()).toZonedDateTimeISO(
    INDIA,
  )
  return hour === 0 && minute === 0 && second === 0 ? new Date(end.getTime() - 60_000) : end
}

const PEOPLE_DAY = new Intl.DateTimeFormat('en-IN', {
  timeZone: 'UTC',
  day: 'numeric',
  month: 'long',
  year: 'numeric',
})

/** 15 November 2026, for people. */
export function formatDay(day: string): string {
  return PEOPLE_DAY.format(Date.parse(day))
}

function withinBounds(epochMs: number): Date | null {
  return epochMs >= EARLIEST && epochMs <= LATEST ? new Date(epochMs) : null
}

/** Banking days in India: Monday to Friday and the 1st, 3rd and 5th Saturday, less holidays. Days are `YYYY-MM-DD`. */
export type Holidays = ReadonlySet<string>

const SATURDAY = 6
const SUNDAY = 7

export function isWorkingDay(day: string, holidays: Holidays): boolean {
  const { dayOfWeek, day: dayOfMonth } = Temporal.PlainDate.from(day)
  if (holidays.has(day) || dayOfWeek === SUNDAY) return false
  return dayOfWeek !== SATURDAY || Math.ceil(dayOfMonth / 7) % 2 === 1
}

/** The working day that many working days after a day; a holiday counts for nothing. */
export function addWorkingDays(day: string, count: number, holidays: Holidays): string {
  let date = Temporal.PlainDate.from(day)
  for (let left = count; left > 0;) {
    date = date.add({ days: 1 })
    if (isWorkingDay(date.toString(), holidays)) left--
  }
  return date.toString()
}
