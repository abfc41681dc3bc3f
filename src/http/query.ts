import { dayAfter, parseDay, parseMoment, startOfDay } from '../platform/calendar.ts'
import { badField } from '../platform/errors.ts'

/** The end of a range: a moment as it is, a bare day up to its end in India. */
export function readUntil(key: string, text: string): Date {
  const day = parseDay(text)
  const until = day === null ? parseMoment(text) : startOfDay(dayAfter(day))
  if (until === null) throw badField(key, 'must be an ISO 8601 date and time, or a day as YYYY-MM-DD')
  return until
}

type Years = { academic_year_start?: number; academic_year_end?: number }

/** An academic year's two ends, which must not be the wrong way round. */
export function readYears(sent: Years, path = ''): { start: number | undefined; end: number | undefined } {
  const { academic_year_start: start, academic_year_end: end } = sent
  if (start !== undefined && end !== undefined && end < start) {
    throw badField(`${path}academic_year_end`, 'must not be before academic_year_start')
  }
  return { start, end }
}
