import { EARLIEST_HOUR, LATEST_HOUR, type School } from '../institutes/school/school.rules.ts'
import { dayAfter, dayOf, startOfDay } from '../platform/calendar.ts'

/** Reminders reach people only while they are awake, 09:00 to 20:00 in India; a school may choose fewer hours. */
type MessageHours = Pick<School, 'messagesFrom' | 'messagesUntil'>
const HOURS: MessageHours = { messagesFrom: EARLIEST_HOUR, messagesUntil: LATEST_HOUR }
const HOUR_MS = 3_600_000

export function isWakingHour(moment: Date, hours = HOURS): boolean {
  return nextWakingMoment(moment, hours).getTime() === moment.getTime()
}

/** That moment itself, or the next morning. */
export function nextWakingMoment(moment: Date, hours = HOURS): Date {
  const today = dayOf(moment)
  if (moment < morningOf(today, hours)) return morningOf(today, hours)
  const isEvening = moment.getTime() >= startOfDay(today).getTime() + hours.messagesUntil * HOUR_MS
  return isEvening ? morningOf(dayAfter(today), hours) : moment
}

export function morningOf(day: string, { messagesFrom } = HOURS): Date {
  return new Date(startOfDay(day).getTime() + messagesFrom * HOUR_MS)
}
