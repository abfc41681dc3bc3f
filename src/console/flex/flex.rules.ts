import type { Instalment, Plan } from '../../flex/rules/plan.rules.ts'
import { assertNever } from '../../platform/assert.ts'
import { dayAfter, parseDay, startOfDay, addDays } from '../../platform/calendar.ts'
import { badField } from '../../platform/errors.ts'
import { firstOfMonth } from '../home/home.rules.ts'

/**
 * What became of a debit on a day. The first seven are of instalments whose day it is and that were not presented; the
 * others are of presentations, each on the day it was made, so that a debit that bounced stays on its day when it is
 * presented again on another.
 */
export const DEBIT_STATUSES = [
  'scheduled',
  'announced',
  'stopped',
  'skipped',
  'covered',
  'waived',
  'due',
  'presented',
  'debited',
  'bounced',
  'reversed',
] as const
export type DebitStatus = (typeof DEBIT_STATUSES)[number]

/** What a list of debits can be asked for: one status, or all that is still to be presented. */
export const ASKED_STATUSES = [...DEBIT_STATUSES, 'coming'] as const
export type AskedStatus = (typeof ASKED_STATUSES)[number]

/** Will be presented, as things stand; what waits for somebody will not. */
export const COMING: readonly DebitStatus[] = ['scheduled', 'announced']

export function statusesOf(asked: AskedStatus): readonly DebitStatus[] {
  return asked === 'coming' ? COMING : [asked]
}

const PRESENTED: readonly DebitStatus[] = ['presented', 'debited', 'bounced', 'reversed']

export function isPresentation(status: DebitStatus): boolean {
  return PRESENTED.includes(status)
}

/** The status of an instalment's newest debit; a cancelled instalment has none any more. */
export function statusOf(
  instalment: Pick<Instalment, 'state' | 'orderId'>,
  plan: Pick<Plan, 'state' | 'isHeld'>,
): DebitStatus | 'cancelled' {
  const { state } = instalment
  switch (state) {
    case 'scheduled':
      return plan.state === 'active' && !plan.isHeld ? 'scheduled' : 'stopped'
    case 'confirmed':
      return plan.state === 'active' && !plan.isHeld ? 'announced' : 'stopped'
    case 'settled':
      return 'debited'
    case 'bounced':
    case 'due':
    case 'presented':
    case 'debited':
    case 'skipped':
    case 'reversed':
    case 'covered':
    case 'waived':
    case 'cancelled':
      return state
    default:
      return assertNever(state)
  }
}

/** Where a page of debits ended: among those that were not presented, or among presentations after them. */
export type DebitCursor =
  | { part: 'instalments'; presentOn: string; instalmentId: string }
  | { part: 'presentations'; presentedAt: Date; instalmentId: string; presentation: number }

type DebitPlace = { day: string; presentedAt: Date | null; instalmentId: string; presentation: number }

export function cursorAfter({ day, presentedAt, instalmentId, presentation }: DebitPlace): string {
  return presentedAt === null
    ? `i.${day}.${instalmentId}`
    : `p.${presentedAt.getTime()}.${instalmentId}.${presentation}`
}

const OF_INSTALMENTS = /^i\.(\d{4}-\d{2}-\d{2})\.(\w+)$/
const OF_PRESENTATIONS = /^p\.(\d{1,14})\.(\w+)\.(\d{1,6})$/

export function readCursor(text: string): DebitCursor {
  const [, presentOn, instalment] = OF_INSTALMENTS.exec(text) ?? []
  if (presentOn !== undefined && instalment !== undefined && parseDay(presentOn) !== null)
    return { part: 'instalments', presentOn, instalmentId: instalment }
  const [, ms, instalmentId, presentation] = OF_PRESENTATIONS.exec(text) ?? []
  if (instalmentId === undefined)
    throw badField('cursor', 'is not a cursor of this list; use next_cursor of the page before')
  return {
    part: 'presentations',
    presentedAt: new Date(Number(ms)),
    instalmentId,
    presentation: Number(presentation),
  }
}

/** Days, both included. */
export type DayRange = { from: string; to: string }

/** Days as such for instalments, and their moments for presentations; the end is not included. */
export type Span = { from: string; before: string; fromAt: Date; beforeAt: Date }

export function spanOf({ from, to }: DayRange): Span {
  const before = dayAfter(to)
  return { from, before, fromAt: startOfDay(from), beforeAt: startOfDay(before) }
}

const RETURNS_DAYS = 30
const AHEAD_DAYS = 7

/** The days whose returns are looked at, unless others are named. */
export function returnsRange(today: string): DayRange {
  return { from: addDays(today, 1 - RETURNS_DAYS), to: today }
}

/** Today and the days after it that somebody plans by. */
export function aheadRange(today: string): DayRange {
  return { from: today, to: addDays(today, AHEAD_DAYS - 1) }
}

const MOST_DAYS = 366
const EARLIEST = '2000-01-01'

/** A range that was asked for, or a part of it; what is missing is as long as usual. */
export function rangeOf(
  asked: { from?: string | undefined; to?: string | undefined },
  usual: DayRange,
): DayRange {
  const from = asked.from ?? (asked.to !== undefined && asked.to < usual.from ? asked.to : usual.from)
  const to = asked.to ?? (from > usual.to ? from : usual.to)
  if (from < EARLIEST) throw badField('from', `must not be before ${EARLIEST}`)
  if (to < from) throw badField('to', 'must not be before from')
  if (to >= addDays(from, MOST_DAYS)) throw badField('to', `must be within ${MOST_DAYS} days of from`)
  return { from, to }
}

export function monthOf(day: string): DayRange {
  const from = firstOfMonth(day)
  const next = Temporal.PlainDate.from(from).add({ months: 1 }).toString()
  return { from, to: addDays(next, -1) }
}

export function daysOf({ from, to }: DayRange): string[] {
  const days: string[] = []
  for (let day = from; day <= to; day = addDays(day, 1)) days.push(day)
  return days
}
