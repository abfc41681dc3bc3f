import { parseDay } from './calendar.ts'
import { parseRupees, type Paise } from './money.ts'
import { plainDigits } from './names.ts'

/** What people write into a form: a day, an amount. Programs have exact forms instead, in `calendar.ts` and `money.ts`. */

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

function dayFrom(year = '', month = '', day = ''): string | null {
  const century = Number(year) >= LAST_CENTURY ? '19' : '20'
  const full = year.length === 2 ? century + year : year
  return parseDay(`${full}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`)
}

/** 27/02/2016 00:00:00, 27-Feb-16 12:00 AM and 2016-02-27T00:00. */
export function withoutTime(text: string): string {
  const colon = text.indexOf(':')
  return colon < 0 ? text : text.slice(0, colon).replace(/[T\s]\d{1,2}$/, '')
}

/** ₹1,500, 1500.50, Rs. 500/-, also in digits of India's scripts; null for what is no amount. */
export function readTypedRupees(text: string): Paise | null {
  const plain = plainDigits(text)
    .trim()
    .replace(/^(₹|rs\.?|inr)\s*/i, '')
    .replace(/\/-$/, '')
    .trimEnd()
  // Commas only as group separators: "1,5" is not fifteen.
  const isGrouped = /^\d{1,3}(,\d{2,3})*(,\d{3})(\.\d{1,2})?$/.test(plain)
  return parseRupees(isGrouped ? plain.replaceAll(',', '') : plain)
}
