/** Days and months as text (YYYY-MM-DD, YYYY-MM), without time zones. */
const MONTH = new Intl.DateTimeFormat('en-IN', { timeZone: 'UTC', month: 'long', year: 'numeric' })
const WEEKDAY = new Intl.DateTimeFormat('en-IN', { timeZone: 'UTC', weekday: 'long' })

function dateOf(day: string): Date {
  return new Date(`${day}T00:00:00Z`)
}

export function addDays(day: string, days: number): string {
  const date = dateOf(day)
  date.setUTCDate(date.getUTCDate() + days)
  return date.toISOString().slice(0, 10)
}

export function addMonths(month: string, months: number): string {
  const date = dateOf(`${month}-01`)
  date.setUTCMonth(date.getUTCMonth() + months)
  return date.toISOString().slice(0, 7)
}

/** November 2026 */
export function monthName(month: string): string {
  return MONTH.format(dateOf(`${month}-01`))
}

/** Sunday … Saturday */
export function weekdayName(day: string): string {
  return WEEKDAY.format(dateOf(day))
}

/** 0 for Monday, 6 for Sunday. */
export function weekdayOf(day: string): number {
  return (dateOf(day).getUTCDay() + 6) % 7
}

export function isMonth(text: string | undefined): text is string {
  return text !== undefined && /^\d{4}-(0[1-9]|1[0-2])$/.test(text)
}
