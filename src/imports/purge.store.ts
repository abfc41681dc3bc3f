import { isHere } from '../platform/db/moving.ts'
import type { Database, Transaction } from '../platform/db/database.ts'
import { findDue } from '../platform/jobs/claim.ts'
import { nameRows } from '../platform/db/named-rows.ts'
import type { ImportKey } from './imports.store.ts'

const IS_OVER = 'cleared_at is null and finished_at <= $1'
const TO_CLEAR = { table: 'imports', where: IS_OVER, order: 'finished_at' }

export async function findFinished(db: Database, now: Date, limit: number): Promise<ImportKey[]> {
  return findDue(db, TO_CLEAR, now, limit)
}

/** Forgets the files and rows of one that is over; answers how many imports that were. */
export async function clearFinished(tx: Transaction, now: Date, keys: readonly ImportKey[]): Promise<number> {
  const these = nameRows(keys, 2)
  const done = await tx.query<ImportKey>(
    `update imports set cleared_at = $1 where ${these.lock('imports', IS_OVER)}
     returning institute_id as "instituteId", id`,
    [now, ...these.values],
  )
  if (done.length === 0) return 0
  const cleared = nameRows(done, 1)
  // The file of a list stays for as long as its problems do: its bad rows are taken from it.
  for (const [table, kept] of [
    ['import_files', "and i.kind <> 'roster'"],
    ['import_rows', ''],
  ]) {
    await tx.query(
      `delete from ${table} f using imports i where ${cleared.match('i')}
         ${kept} and f.institute_id = i.institute_id and f.import_id = i.id`,
      cleared.values,
    )
  }
  return done.length
}

/** Nobody decided in time: what was checked is not applied any more. */
export async function cancelForgotten(db: Database, checkedBefore: Date, now: Date): Promise<number> {
  const rows = await db.query(
    `update imports set state = 'cancelled', finished_at = $2, message = 'Nobody said within a week what is to come of it.'
     where state = 'checked' and checked_at < $1 and ${isHere()} returning 1`,
    [checkedBefore, now],
  )
  return rows.length
}

/** Imports that ended so long ago that nobody asks for their problems any more; those that orders were made of stay. */
export async function findOld(db: Database, finishedBefore: Date, limit: number): Promise<ImportKey[]> {
  return findDue(db, TO_DELETE, finishedBefore, limit)
}

const TO_DELETE = {
  table: 'imports i',
  where: `cleared_at is not null and finished_at < $1 and not exists (
    select 1 from import_links l where l.institute_id = i.institute_id and l.import_id = i.id)`,
  order: 'finished_at',
}

export async function deleteOld(tx: Transaction, keys: readonly ImportKey[]): Promise<number> {
  const these = nameRows(keys, 1)
  const gone = await tx.query<ImportKey>(
    `delete from imports where ${these.lock('imports', 'cleared_at is not null')}
     returning institute_id as "instituteId", id`,
    these.values,
  )
  if (gone.length === 0) return 0
  const deleted = nameRows(gone, 1)
  for (const table of ['import_problems', 'import_files'])
    await tx.query(`delete from ${table} where ${deleted.match(table, 'import_id')}`, deleted.values)
  return gone.length
}
