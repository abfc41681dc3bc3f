/** Days as people in India type them, the day first: 18 Nov 2026, 18/11/2026, 18-11-26. Nothing here knows of the page. */

const MONTHS = [
  'january',
  'february',
  'march',
  'april',
  'may',
  'june',
  'july',
  'august',
  'september',
  'october',
  'november',
  'december',
]
/** A year of two digits from 70 on is of the last century, as in files that are imported. */
const LAST_CENTURY = 70

/** The day as YYYY-MM-DD; null for what is none. */
export function readDay(typed: string): string | null {
  const text = tidy(typed)
  const yearFirst = /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})$/.exec(text)
  if (yearFirst !== null) return dayFrom(yearFirst[1], yearFirst[2], yearFirst[3])
  const bare = /^(\d{2})(\d{2})(\d{4})$/.exec(text)
  if (bare !== null) return dayFrom(bare[3], bare[2], bare[1])
  const numbers = /^(\d{1,2}) ?[-/. ] ?(\d{1,2}) ?[-/. ] ?(\d{4}|\d{2})$/.exec(text)
  if (numbers !== null) return dayFrom(numbers[3], numbers[2], numbers[1])
  const named = /^(\d{1,2})(?:st|nd|rd|th)?[ /.,-]*([a-z]{3,9})[ /.,-]*(\d{4}|\d{2})$/.exec(text)
  if (named !== null) return dayFrom(named[3], monthOf(named[2]), named[1])
  const monthFirst = /^([a-z]{3,9})[ .]*(\d{1,2})(?:st|nd|rd|th)?,? (\d{4})$/.exec(text)
  return monthFirst === null ? null : dayFrom(monthFirst[3], monthOf(monthFirst[1]), monthFirst[2])
}

/** The same while somebody types: 18/11/20 is on the way to 2026, and 2026-11-1 to the 18th. */
export function readWholeDay(typed: string): string | null {
  return /\d{4}$|^\d{4}\D\d{1,2}\D\d{2}$/.test(typed.trim()) ? readDay(typed) : null
}

const TIME = /(?<=[ ,])(\d{1,2})(?:[:.](\d{2}))? ?([ap])?(?:\.?m\.?)?$/

/** Day and time as YYYY-MM-DDTHH:MM: 18 Nov 2026, 9:30 am; 18/11/2026 21:30. Null for what is not both. */
export function readMoment(typed: string): string | null {
  const text = tidy(typed).replace(/^(\d{4}-\d{2}-\d{2})t/, '$1 ')
  const found = TIME.exec(text)
  if (found === null) return null
  const [, hourText = '', minuteText, half] = found
  const day = readDay(text.slice(0, found.index).replace(/(?:,| at)? ?$/, ''))
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

function monthOf(name = ''): string {
  const at = name === 'sept' ? 8 : MONTHS.findIndex(month => month === name || month.slice(0, 3) === name)
  return String(at + 1)
}

function dayFrom(year = '', month = '', day = ''): string | null {
  const full = year.length === 2 ? `${Number(year) >= LAST_CENTURY ? '19' : '20'}${year}` : year
  const text = `${full}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
  const time = Date.parse(`${text}T00:00:00Z`)
  const isReal = !Number.isNaN(time) && new Date(time).toISOString().startsWith(text)
  return isReal && full >= '1900' ? text : null
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0')
}
