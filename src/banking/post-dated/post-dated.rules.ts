import { badField, conflict } from '../../platform/errors.ts'
import { formatDay } from '../../platform/calendar.ts'
import type { Paise } from '../../platform/money.ts'

/**
 * `taken`: it is a payment since its day, and on no deposit slip yet. `to_give_back`: it never goes to the bank and waits in
 * the office until the family has it again.
 */
export const POST_DATED_STATES = [
  'held',
  'taken',
  'deposited',
  'cleared',
  'bounced',
  'cancelled',
  'replaced',
  'to_give_back',
  'given_back',
] as const
export type PostDatedState = (typeof POST_DATED_STATES)[number]

/** A cheque as the family hands it over. */
export type HandedCheque = {
  number: string
  bank: string | null
  date: string
  depositOn: string | null
  amountPaise: Paise
}

/** Banks do not pay a cheque that is older. */
const GOOD_FOR_MONTHS = 3
const FURTHEST_YEARS = 3
const REMIND_DAYS_BEFORE = 3

/** The day on which it goes to the bank; `key` is where it stands in what was sent. */
export function depositDayOf(
  { date, depositOn }: Pick<HandedCheque, 'date' | 'depositOn'>,
  today: string,
  key = '',
): string {
  if (date <= today)
    throw badField(`${key}date`, 'is not ahead; take this cheque as a payment under “Take money”')
  if (date > addTo(today, { years: FURTHEST_YEARS }))
    throw badField(`${key}date`, `must lie within ${FURTHEST_YEARS} years`)
  const day = depositOn ?? date
  if (day < date) throw badField(`${key}deposit_on`, 'must not be before the date on the cheque')
  if (day > lastGoodDay(date))
    throw badField(`${key}deposit_on`, `must be within ${GOOD_FOR_MONTHS} months of the date on the cheque`)
  return day
}

export function reminderDay(depositOn: string): string {
  return addTo(depositOn, { days: -REMIND_DAYS_BEFORE })
}

/** What is worth taking to the bank on this day. */
export function requireBankable(
  { number, datedOn, state }: { number: string; datedOn: string; state: PostDatedState },
  today: string,
): void {
  if (state !== 'held') throw conflict(`The cheque ${number} is ${readable(state)} already.`)
  if (datedOn > today)
    throw conflict(`The cheque ${number} is dated ${formatDay(datedOn)}; no bank takes it before that.`)
  if (lastGoodDay(datedOn) < today)
    throw conflict(
      `The cheque ${number} is more than ${GOOD_FOR_MONTHS} months old, so no bank pays it. Ask the family for another and replace it.`,
    )
}

/** Replaced by another or given back; what went to the bank and was not returned is the bank's. */
export function requireEndable(
  { number, state }: { number: string; state: PostDatedState },
  kind: 'replaced' | 'given_back',
): void {
  const isWaiting = kind === 'given_back' && state === 'to_give_back'
  if (!isWaiting && !['held', 'bounced', 'cancelled'].includes(state))
    throw conflict(`The cheque ${number} is ${readable(state)}.`)
}

function readable(state: PostDatedState): string {
  return state === 'taken' ? 'taken as a payment' : state.replaceAll('_', ' ')
}

const lastGoodDay = (date: string): string => addTo(date, { months: GOOD_FOR_MONTHS })

function addTo(day: string, duration: { years?: number; months?: number; days?: number }): string {
  return Temporal.PlainDate.from(day).add(duration).toString()
}
