import { plainDigits } from '../names.ts'

/** Days as people write them into forms and files; the console's pages read them here too. Programs use `parseDay`. */

/** Which part comes first in days of three numbers. */
export type DayOrder = { yearLast: 'dmy' | 'mdy'; yearFirst: 'ymd' | 'ydm' }

/** How days are written in India. */
const INDIAN_DAYS: DayOrder = { yearLast: 'dmy', yearFirst: 'ymd' }

/** No day is longer, with its time. */
export const LONGEST_DAY = 40

/** 27-Feb-16, 27/02/2016, 2016.27.2 or Feb 27, 2016, by the order given; null for what is no day. */
export function readTypedDay(text: string, order: DayOrder = INDIAN_DAYS): string | null {
  if (text.length > LONGEST_DAY) return null
  const bare = withoutTime(plainDigits(text).trim())
  const numbers = dayInNumbers(bare)
  if (numbers !== null) return numbers[numbers.isYearFirst ? order.yearFirst : order.yearLast]
  return dayInWords(bare)
}

type NumberDays = { isYearFirst: boolean; text: string } & Record<
  'dmy' | 'mdy' | 'ymd' | 'ydm',
  string | null
>

/** The day that three numbers are in each order. */
export function dayInNumbers(text: string): NumberDays | null {
  const spaced = text
    .replace(/^(\d{2})(\d{2})((?:19|20)\d{2})$/, '$1/$2/$3')
    .replace(/^((?:19|20)\d{2})(\d{2})(\d{2})$/, '$1-$2-$3')
    .replaceAll(/ ?([/.,\\-]) ?/g, '$1')
  const found = /^(\d{1,4})([/., \\-])(\d{1,2})\2(\d{1,4})$/.exec(spaced)
  if (found === null) return null
  const [, first = '', , middle = '', last = ''] = found
  const isYearFirst = first.length === 4
  if (isYearFirst ? last.length > 2 : first.length > 2 || (last.length !== 4 && last.length !== 2))
    return null
  return {
    isYearFirst,
    text: spaced,
    dmy: isYearFirst ? null : dayFrom(last, middle, first),
    mdy: isYearFirst ? null : dayFrom(last, first, middle),
    ymd: isYearFirst ? dayFrom(first, middle, last) : null,
    ydm: isYearFirst ? dayFrom(first, last, middle) : null,
  }
}

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

/** 27-Feb-16, 27th February 2016, Feb 27, 2016, 2016-Feb-27. */
function dayInWords(text: string): string | null {
  const gap = String.raw`[\s/.,'’-]*`
  const [day, month, year] = [
    String.raw`(\d{1,2})(?:st|nd|rd|th)?`,
    '([a-z]{3,9})',
    String.raw`(\d{4}|\d{2})`,
  ]
  const has = (parts: readonly string[]): RegExpExecArray | null =>
    new RegExp(`^${parts.join(gap)}$`, 'i').exec(text)
  const dayFirst = has([day, month, year])
  if (dayFirst !== null) return dayFrom(dayFirst[3], monthOf(dayFirst[2]), dayFirst[1])
  const yearFirst = has([String.raw`(\d{4})`, month, day])
  if (yearFirst !== null) return dayFrom(yearFirst[1], monthOf(yearFirst[2]), yearFirst[3])
  const monthFirst = has([month, String.raw`${day}[\s,]`, year])
  return monthFirst === null ? null : dayFrom(monthFirst[3], monthOf(monthFirst[1]), monthFirst[2])
}

function monthOf(name = ''): string {
  const said = name.toLowerCase() === 'sept' ? 'sep' : name.toLowerCase()
  return String(MONTHS.findIndex(month => month.startsWith(said)) + 1)
}

/** A year of two digits from 70 on belongs to the last century. */
const LAST_CENTURY = 70

/** 18/11/0202 is a slip, and no child of a school was born before. */
const FIRST_YEAR = '1900'

/** Without Temporal, which older browsers do not have. */
function dayFrom(year = '', month = '', day = ''): string | null {
  const century = Number(year) >= LAST_CENTURY ? '19' : '20'
  const full = year.length === 2 ? century + year : year
  const text = `${full}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
  const time = Date.parse(`${text}T00:00:00Z`)
  const isReal = !Number.isNaN(time) && new Date(time).toISOString().startsWith(text)
  return isReal && full >= FIRST_YEAR ? text : null
}

/** 27/02/2016 00:00:00, 27-Feb-16 12:00 AM and 2016-02-27T00:00. */
export function withoutTime(text: string): string {
  const colon = text.indexOf(':')
  return colon < 0 ? text : text.slice(0, colon).replace(/[T\s]\d{1,2}$/, '')
}
