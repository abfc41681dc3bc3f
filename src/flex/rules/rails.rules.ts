import {
  addDays,
  addWorkingDays,
  dayOf,
  isWorkingDay,
  startOfDay,
  type Holidays,
} from '../../platform/calendar.ts'
import { paiseOf, type Paise } from '../../platform/money.ts'

/** How a debit reaches a bank. The figures are NPCI's and the banks'; an operator may change each of them. */
export type Rail = 'enach' | 'upi_autopay'

/** Minutes of the day in India, the end not included. */
type Window = { from: number; to: number }

export type RailRules = {
  /** The most that one debit may take without the payer. */
  limitPaise: Paise
  windows: readonly Window[]
  /** When a debit is presented on its day, if nothing is in the way. */
  presentAtMinute: number
  /** Presentations in all, those that a bank's own trouble returned not counted. */
  presentations: number
  /** Days between a return and the next presentation; 0 presents again in the next window of the same notice. */
  daysBetween: number
  firstDebitAfter: { workingDays: number } | { days: number }
  /** A result is late after so many working days. */
  resultWorkingDays: number
}

export type FlexRules = {
  rails: Record<Rail, RailRules>
  fetchFromMinutes: number
  fetchUntilMinutes: number
  noticeMinutes: number
  /** A debit after its notice: presentations without a new one end then. */
  noticeLastsMinutes: number
  onHoliday: 'next' | 'previous'
  /** Returns for the bank's own trouble: so often, within so many days. */
  bankReturns: { times: number; days: number }
  /** A closed plan opens again within these days if something comes back; then its mandate is ended. */
  closedForGoodDays: number
}

const at = (hour: number, minute = 0): number => hour * 60 + minute
const END_OF_DAY = at(24)

export const STANDARD_RULES: FlexRules = {
  rails: {
    upi_autopay: {
      limitPaise: paiseOf(15_000_00),
      windows: [
        { from: 0, to: at(10) },
        { from: at(13), to: at(17) },
        { from: at(21, 30), to: END_OF_DAY },
      ],
      presentAtMinute: at(9),
      presentations: 4,
      daysBetween: 0,
      firstDebitAfter: { days: 2 },
      resultWorkingDays: 1,
    },
    enach: {
      limitPaise: paiseOf(1_00_00_000_00),
      windows: [{ from: 0, to: at(8, 59) }],
      presentAtMinute: at(8, 30),
      presentations: 3,
      daysBetween: 3,
      firstDebitAfter: { workingDays: 5 },
      resultWorkingDays: 2,
    },
  },
  fetchFromMinutes: 30 * 60,
  fetchUntilMinutes: 24 * 60 + 30,
  noticeMinutes: 24 * 60,
  noticeLastsMinutes: 48 * 60,
  onHoliday: 'next',
  bankReturns: { times: 5, days: 15 },
  closedForGoodDays: 45,
}

const MINUTE_MS = 60_000

/** Families read notices of debits in these minutes of the day, if that can be helped. */
const AWAKE: Window = { from: at(7), to: at(21) }

/** When a debit of a day is presented: not so early that its notice would have to leave in the night before. */
export function presentationOn(day: string, { presentAtMinute, windows }: RailRules): Date {
  const isLaterOpen = windows.some(
    ({ from, to }) => from <= presentAtMinute && presentAtMinute < AWAKE.from && AWAKE.from < to,
  )
  return momentOf(day, isLaterOpen ? AWAKE.from : presentAtMinute)
}

/** When a notice that is ready now leaves: at night it waits for the morning, as long as that is early enough. */
export function noticeMoment(now: Date, latest: Date): Date {
  const today = dayOf(now)
  const isMorning = now < momentOf(today, AWAKE.from)
  if (!isMorning && now < momentOf(today, AWAKE.to)) return now
  const morning = momentOf(isMorning ? today : addDays(today, 1), AWAKE.from)
  return morning <= latest ? morning : now
}

export function minutesBefore(moment: Date, minutes: number): Date {
  return new Date(moment.getTime() - minutes * MINUTE_MS)
}

/** The first moment from `from` on at which the rail takes debits, on a working day. */
export function nextWindow(from: Date, rail: RailRules, holidays: Holidays): Date {
  for (let day = dayOf(from); ; day = addDays(day, 1)) {
    if (!isWorkingDay(day, holidays)) continue
    for (const window of rail.windows) {
      const end = momentOf(day, window.to)
      if (end <= from) continue
      const start = momentOf(day, window.from)
      return start > from ? start : from
    }
  }
}

/** The working day for a day: itself, or the next one, or the previous one where the rules say so. */
export function workingDayFor(
  day: string,
  { onHoliday }: Pick<FlexRules, 'onHoliday'>,
  holidays: Holidays,
): string {
  const step = onHoliday === 'next' ? 1 : -1
  let found = day
  while (!isWorkingDay(found, holidays)) found = addDays(found, step)
  return found
}

/** The first day on which a mandate that was set up on a day can be debited. */
export function firstDebitAfter(
  setUpOn: string,
  { firstDebitAfter: wait }: RailRules,
  holidays: Holidays,
): string {
  return 'days' in wait ? addDays(setUpOn, wait.days) : addWorkingDays(setUpOn, wait.workingDays, holidays)
}

export function momentOf(day: string, minute: number): Date {
  return new Date(startOfDay(day).getTime() + minute * MINUTE_MS)
}
