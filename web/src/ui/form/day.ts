import { readTypedDay } from '../../../../src/platform/typed/day.rules.ts'

/** What stands in a field of a day or a time while somebody types it. Nothing here knows of the page. */

/** A day that is typed whole: 18/11/20 is on the way to 2026, and 2026-11-1 to the 18th. */
export function readWholeDay(typed: string): string | null {
  return /\d{4}$|^\d{4}\D\d{1,2}\D\d{2}$/.test(typed.trim()) ? readTypedDay(typed) : null
}

const TIME = /(?<=[ ,])(\d{1,2})(?:[:.](\d{2}))? ?([ap])?(?:\.?m\.?)?$/

/** Day and time as YYYY-MM-DDTHH:MM: 18 Nov 2026, 9:30 am; 18/11/2026 21:30. Null for what is not both. */
export function readMoment(typed: string): string | null {
  const text = tidy(typed).replace(/^(\d{4}-\d{2}-\d{2})t/, '$1 ')
  const found = TIME.exec(text)
  if (found === null) return null
  const [, hourText = '', minuteText, half] = found
  const day = readTypedDay(text.slice(0, found.index).replace(/(?:,| at)? ?$/, ''))
  const [hour, minute] = [Number(hourText), Number(minuteText ?? 0)]
  // 18 Nov 2026 9 may be a slip; 9 am and 9:00 are times.
  if (day === null || minute > 59 || (minuteText === undefined && half === undefined)) return null
  if (half === undefined) return hour > 23 ? null : `${day}T${twoDigits(hour)}:${twoDigits(minute)}`
  if (hour < 1 || hour > 12) return null
  return `${day}T${twoDigits((hour % 12) + (half === 'p' ? 12 : 0))}:${twoDigits(minute)}`
}

/** 9:30 am, of what reads HH:MM. */
export function formatTime(time: string): string {
  const [hour = 0, minute = 0] = time.split(':').map(Number)
  return `${hour % 12 === 0 ? 12 : hour % 12}:${twoDigits(minute)} ${hour < 12 ? 'am' : 'pm'}`
}

function tidy(typed: string): string {
  return typed.trim().replaceAll(/\s+/g, ' ').toLowerCase()
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0')
}
