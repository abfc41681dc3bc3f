import { DAY_MS, parseDay } from '../../platform/calendar.ts'
import { plainDigits } from '../../platform/names.ts'

/**
 * The order in which a column writes days in numbers alone. People keep to one order within a column, so one cell that can
 * only be read one way, such as 27/02/2016, says how all the others are meant.
 */
export type DayForm = {
  yearLast: 'dmy' | 'mdy'
  yearFirst: 'ymd' | 'ydm'
  /** A spreadsheet read 01/02/2015 month first where the day came first, so its own dates have the two exchanged. */
  isExchanged?: boolean
}

/** How days are written in India: it holds where a column does not say otherwise. */
const INDIAN_DAYS: DayForm = { yearLast: 'dmy', yearFirst: 'ymd' }

/** No day is longer, with its time. */
const LONGEST = 40

/** 27-Feb-16, 27/02/2016, 2016.27.2, Feb 27, 2016 or 42427, by the order of its column. Null for what is no day. */
export function readDayText(text: string, form: DayForm = INDIAN_DAYS): string | null {
  if (text.length > LONGEST) return null
  const bare = withoutTime(plainDigits(text).trim())
  if (/^\d{5}(\.0+)?$/.test(bare)) return serialDay(Number(bare))
  const numbers = inNumbers(bare)
  if (numbers !== null) return numbers[numbers.isYearFirst ? form.yearFirst : form.yearLast]
  return inWords(bare)
}

type NumberDays = { isYearFirst: boolean; text: string } & Record<
  'dmy' | 'mdy' | 'ymd' | 'ydm',
  string | null
>

/** The day that three numbers are in each order. */
function inNumbers(text: string): NumberDays | null {
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
function inWords(text: string): string | null {
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
function withoutTime(text: string): string {
  const colon = text.indexOf(':')
  return colon < 0 ? text : text.slice(0, colon).replace(/[T\s]\d{1,2}$/, '')
}

/** Day 0 of a spreadsheet; from 1900-03-01 on, before which its calendar has a day too many, to the end of 2099. */
export const SERIAL_START = Date.UTC(1899, 11, 30)
const FIRST_SERIAL = 61
const LAST_SERIAL = 73_050

export function isSerial(serial: number): boolean {
  return serial >= FIRST_SERIAL && serial <= LAST_SERIAL
}

function serialDay(serial: number): string | null {
  if (!isSerial(serial)) return null
  return new Date(SERIAL_START + serial * DAY_MS).toISOString().slice(0, 10)
}

type Order = DayForm['yearLast'] | DayForm['yearFirst']

/**
 * How many cells of a column can be read in one order only, and the first that could be read in two, with the year last
 * and with the year first. `dates` counts a spreadsheet's own dates, whose day could be a month in `low` of them.
 */
export type DayTally = {
  only: Record<Order, number>
  open: string | null
  openYearFirst: string | null
  dates: { all: number; low: number; first: string | null }
}

export function newDayTally(): DayTally {
  return {
    only: { dmy: 0, mdy: 0, ymd: 0, ydm: 0 },
    open: null,
    openYearFirst: null,
    dates: { all: 0, low: 0, first: null },
  }
}

/** A day that the spreadsheet holds as a date. */
export function addDate({ dates }: DayTally, day: string): void {
  const [year = '', month = '', date = ''] = day.split('-')
  dates.all++
  if (Number(date) > MONTHS.length) return
  dates.low++
  if (month !== date) dates.first ??= `${date}/${month}/${year}`
}

export function addDay(tally: DayTally, text: string): void {
  if (text.length > LONGEST || !/^\s*\p{Nd}/u.test(text)) return
  const days = inNumbers(withoutTime(plainDigits(text).trim()))
  if (days === null) return
  const [usual, other] = days.isYearFirst ? (['ymd', 'ydm'] as const) : (['dmy', 'mdy'] as const)
  if (days[other] === null && (days[usual] !== null || isDayShaped(days.text))) tally.only[usual]++
  if (days[usual] === null && days[other] !== null) tally.only[other]++
  const isOpen = days[usual] !== null && days[other] !== null && days[usual] !== days[other]
  if (!isOpen) return
  // 2016-02-03 is the international form, and nobody means it otherwise.
  if (!days.isYearFirst) tally.open ??= days.text
  else if (!days.text.includes('-')) tally.openYearFirst ??= days.text
}

/** 31/02/2015 is no day, but no month comes first in it either. */
function isDayShaped(text: string): boolean {
  const first = Number(/^\d+/.exec(text)?.[0])
  return first > MONTHS.length && first <= 31
}

/** A question to a person: what this day means. `spreadsheet`: it may have been exchanged when the file was made. */
export type OpenDay = { day: string; why: 'order' | 'spreadsheet' }

/** Below so many cells it may be chance that all texts have a day beyond 12 and all dates one below. */
const FEW = 4

/** Decides the order by the column's unambiguous days, where they agree; `asks` is a day that could mean two. */
export function decideForm({ only, open, openYearFirst, dates }: DayTally): {
  form: DayForm
  asks: OpenDay | null
} {
  const form: DayForm = {
    yearLast: only.mdy > only.dmy ? 'mdy' : 'dmy',
    yearFirst: only.ydm > only.ymd ? 'ydm' : 'ymd',
  }
  const isAgreed = (one: Order, other: Order): boolean => only[one] > 0 !== only[other] > 0
  if (open !== null && !isAgreed('dmy', 'mdy')) return { form, asks: { day: open, why: 'order' } }
  if (openYearFirst !== null && !isAgreed('ymd', 'ydm'))
    return { form, asks: { day: openYearFirst, why: 'order' } }
  // Excel makes dates of the days that it can read in its own order and leaves the others as texts.
  const texts = only.dmy + only.mdy
  const isSplit = isAgreed('dmy', 'mdy') && open === null && dates.low === dates.all
  if (isSplit && dates.first !== null && texts + dates.all >= FEW)
    return { form, asks: { day: dates.first, why: 'spreadsheet' } }
  return { form, asks: null }
}

/** The form by what a person said of the open day. */
export function answerForm(form: DayForm, { day, why }: OpenDay, said: DayForm['yearLast']): DayForm {
  if (why === 'spreadsheet') return { ...form, isExchanged: said === 'mdy' }
  return /^\d{4}/.test(day)
    ? { ...form, yearFirst: said === 'mdy' ? 'ymd' : 'ydm' }
    : { ...form, yearLast: said }
}

/** A spreadsheet's date with day and month exchanged back; one whose day is no month was never exchanged. */
export function exchangeDay(day: string): string {
  const [year = '', month = '', date = ''] = day.split('-')
  return parseDay(`${year}-${date}-${month}`) ?? day
}
