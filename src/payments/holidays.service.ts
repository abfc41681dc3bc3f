import type { Database, Queryable } from '../platform/db.ts'
import type { Holidays } from '../platform/working-days.ts'
import { readHolidays } from './payments.store.ts'

const KNOWN_FOR_MS = 10_000
const known = new WeakMap<Database, { holidays: Holidays; until: number }>()

/**
 * The bank holidays, read every few seconds and not for each payment: they are entered days before they come. By real
 * time, because the sandbox's clock jumps. A transaction passes itself, so that it does not wait for a second connection.
 */
export async function knownHolidays(db: Database, reader: Queryable): Promise<Holidays> {
  const remembered = known.get(db)
  if (remembered !== undefined && performance.now() < remembered.until) return remembered.holidays
  const holidays = await readHolidays(reader)
  known.set(db, { holidays, until: performance.now() + KNOWN_FOR_MS })
  return holidays
}
