import type { Queryable, Transaction } from '../platform/db/database.ts'
import type { ImportKey } from './imports.store.ts'

/** Forgets files and rows of those that are over; answers how many imports that were. */
export async function clearFinished(tx: Transaction, now: Date, limit: number): Promise<number> {
  const done = await tx.query<ImportKey>(
    `update imports set cleared_at = $1 where (institute_id, id) in (
       select institute_id, id from imports where cleared_at is null and finished_at is not null
       order by finished_at limit $2 for update skip locked)
     returning institute_id as "instituteId", id`,
    [now, limit],
  )
  const keys = [done.map(key => key.instituteId), done.map(key => key.id)]
  // The file of a list stays for as long as its problems do: its bad rows are taken from it.
  for (const [table, kept] of [
    ['import_files', "and i.kind <> 'roster'"],
    ['import_rows', ''],
  ]) {
    await tx.query(
      `delete from ${table} f using imports i where (i.institute_id, i.id) in (select * from unnest($1::int[], $2::text[]))
         ${kept} and f.institute_id = i.institute_id and f.import_id = i.id`,
      keys,
    )
  }
  return done.length
}

/** Nobody decided in time: what was checked is not applied any more. */
export async function cancelForgotten(db: Queryable, checkedBefore: Date, now: Date): Promise<number> {
  const rows = await db.query(
    `update imports set state = 'cancelled', finished_at = $2, message = 'Nobody said within a week what is to come of it.'
     where state = 'checked' and checked_at < $1 returning 1`,
    [checkedBefore, now],
  )
  return rows.length
}

/** Imports that ended so long ago that nobody asks for their problems any more; those that orders were made of stay. */
export async function deleteOld(tx: Transaction, finishedBefore: Date, limit: number): Promise<number> {
  const gone = await tx.query<ImportKey>(
    `delete from imports where (institute_id, id) in (
       select i.institute_id, i.id from imports i where i.cleared_at is not null and i.finished_at < $1
         and not exists (select 1 from import_links l where l.institute_id = i.institute_id and l.import_id = i.id)
       limit $2 for update skip locked)
     returning institute_id as "instituteId", id`,
    [finishedBefore, limit],
  )
  const keys = [gone.map(key => key.instituteId), gone.map(key => key.id)]
  for (const table of ['import_problems', 'import_files']) {
    await tx.query(
      `delete from ${table} where (institute_id, import_id) in (select * from unnest($1::int[], $2::text[]))`,
      keys,
    )
  }
  return gone.length
}
