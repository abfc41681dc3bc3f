import { dayAfter, dayOf, startOfDay } from '../platform/calendar.ts'

/** Reminders reach people only while they are awake, 09:00 to 20:00 in India. */
const FIRST_MS = 9 * 3_600_000
const LAST_MS = 20 * 3_600_000

export function isWakingHour(moment: Date): boolean {
  return nextWakingMoment(moment).getTime() === moment.getTime()
}

/** That moment itself, or the next morning. */
export function nextWakingMoment(moment: Date): Date {
  const today = dayOf(moment)
  if (moment < morningOf(today)) return morningOf(today)
  const isEvening = moment.getTime() >= startOfDay(today).getTime() + LAST_MS
  return isEvening ? morningOf(dayAfter(today)) : moment
}

export function morningOf(day: string): Date {
  return new Date(startOfDay(day).getTime() + FIRST_MS)
}
