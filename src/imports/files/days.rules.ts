import { DAY_MS, parseDay } from '../../platform/calendar.ts'
import { plainDigits } from '../../platform/names.ts'
import {
  dayInNumbers,
  type DayOrder,
  LONGEST_DAY,
  readTypedDay,
  withoutTime,
} from '../../platform/typed/day.rules.ts'

/**
 * The order in which a column writes days in numbers alone. People keep to one order within a column, so one cell that can
 * only be read one way, such as 27/02/2016, says how all the others are meant. Where a column says nothing, it is India's.
 */
export type DayForm = DayOrder & {
  /** A spreadsheet read 01/02/2015 month first where the day came first, so its own dates have the two exchanged. */
  isExchanged?: boolean
}

const MONTHS_OF_A_YEAR = 12

/** A day as people type it, or the number that a spreadsheet has for it, such as 42427. Null for what is no day. */
export function readDayText(text: string, form?: DayForm): string | null {
  if (text.length > LONGEST_DAY) return null
  const bare = withoutTime(plainDigits(text).trim())
  return /^\d{5}(\.0+)?$/.test(bare) ? serialDay(Number(bare)) : readTypedDay(text, form)
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
  if (Number(date) > MONTHS_OF_A_YEAR) return
  dates.low++
  if (month !== date) dates.first ??= `${date}/${month}/${year}`
}

export function addDay(tally: DayTally, text: string): void {
  if (text.length > LONGEST_DAY || !/^\s*\p{Nd}/u.test(text)) return
  const days = dayInNumbers(withoutTime(plainDigits(text).trim()))
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
  return first > MONTHS_OF_A_YEAR && first <= 31
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
