import { badField } from '../../platform/errors.ts'
import { DAY_MS } from '../../platform/calendar.ts'

/** How money came: paid by somebody online, debited under a mandate, taken at the counter, or lent. */
export const SOURCES = ['online', 'flex', 'direct', 'cred'] as const
export type Source = (typeof SOURCES)[number]

export const KINDS = ['payment', 'refund'] as const

export const PERIODS = ['day', 'month'] as const
export type Period = (typeof PERIODS)[number]

export type Days = { from: string; to: string }

/** What a page can show of days, and of months. */
const MOST_DAYS: Record<Period, number> = { day: 92, month: 1_100 }

/** The days asked for, else the present month. */
export function readDays(sent: Partial<Days>, period: Period, today: string): Days {
  const to = sent.to ?? today
  const from = sent.from ?? `${to.slice(0, 8)}01`
  if (to < from) throw badField('to', 'must not be before from')
  if ((Date.parse(to) - Date.parse(from)) / DAY_MS >= MOST_DAYS[period]) {
    const hint = period === 'day' ? '; ask for months to see more' : ''
    throw badField('to', `must be at most ${MOST_DAYS[period]} days after from${hint}`)
  }
  return { from, to }
}
