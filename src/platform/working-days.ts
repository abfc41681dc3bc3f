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
