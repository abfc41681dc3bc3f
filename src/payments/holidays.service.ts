import { dayOf, type Holidays } from '../platform/calendar.ts'
import type { Database, Queryable } from '../platform/db/database.ts'
import { toPage, type Page } from '../platform/db/list.ts'
import { badField, conflict, notFound } from '../platform/errors.ts'
import type { Context } from '../platform/context.ts'
import { transact, type Command } from '../platform/idempotency.ts'
import * as store from './holidays.store.ts'

export type { Holiday } from './holidays.store.ts'

const KNOWN_FOR_MS = 10_000
const known = new WeakMap<Database, { holidays: Holidays; until: number }>()

/** Reads past the memory, for what has to follow a change at once. */
export async function readHolidays(db: Queryable): Promise<Holidays> {
  return store.readHolidays(db)
}

/**
 * The bank holidays, read every few seconds and not for each payment: they are entered days before they come. By real
 * time, because the sandbox's clock jumps. A transaction passes itself, so that it does not wait for a second connection.
 */
export async function knownHolidays(db: Database, reader: Queryable): Promise<Holidays> {
  const remembered = known.get(db)
  if (remembered !== undefined && performance.now() < remembered.until) return remembered.holidays
  const holidays = await store.readHolidays(reader)
  known.set(db, { holidays, until: performance.now() + KNOWN_FOR_MS })
  return holidays
}

/** Begins a year back and goes on to all that are to come. */
export async function listHolidays(
  { db, clock }: Context,
  page: { after?: string | undefined; limit: number },
): Promise<Page<store.Holiday>> {
  const from = Temporal.PlainDate.from(dayOf(clock.now())).subtract({ years: 1 }).toString()
  const found = await store.listHolidays(db, { from, after: page.after, limit: page.limit + 1 })
  return toPage(found, page.limit, holiday => holiday.day)
}

const YEARS_AHEAD = 5

/** Other processes see it within seconds. What is past stays as it was: days were counted by it. */
export async function addHoliday(
  { db, clock }: Context,
  command: Command<store.Holiday>,
  holiday: store.Holiday,
): Promise<store.Holiday> {
  const today = dayOf(clock.now())
  if (holiday.day < today) throw badField('day', 'is past; what was settled by it stays')
  if (holiday.day > Temporal.PlainDate.from(today).add({ years: YEARS_AHEAD }).toString())
    throw badField('day', `is more than ${YEARS_AHEAD} years ahead`)
  const added = await transact(db, command, async tx => {
    if (await store.insertHoliday(tx, holiday)) return holiday
    throw conflict(`${holiday.day} is a holiday already. Remove it first to give it another name.`)
  })
  known.delete(db)
  return added
}

export async function removeHoliday(
  { db, clock }: Context,
  command: Command<store.Holiday>,
  day: string,
): Promise<store.Holiday> {
  if (day < dayOf(clock.now())) throw conflict('This day is past; what was settled by it stays.')
  const removed = await transact(db, command, async tx => {
    const holiday = await store.deleteHoliday(tx, day)
    if (holiday === null) throw notFound('This holiday')
    return holiday
  })
  known.delete(db)
  return removed
}
