import type { Database, Queryable, Transaction } from '../../platform/db/database.ts'
import { isHere } from '../../platform/db/query.ts'

/** Institutes in which at least so many changes wait. */
export async function findChanged(db: Database, least: number): Promise<number[]> {
  const rows = await db.query<{ instituteId: number }>(
    `select institute_id as "instituteId" from (
       select institute_id from dues_changes union all select institute_id from collected_changes
     ) waiting where ${isHere()} group by institute_id having count(*) >= $1 order by institute_id`,
    [least],
  )
  return rows.map(({ instituteId }) => instituteId)
}

const LOCK = `hashtextextended('sums ' || $1::int, 0)`

/** One at a time counts the changes of an institute; false if somebody is at it. */
export async function tryLock(tx: Transaction, instituteId: number): Promise<boolean> {
  const [row] = await tx.query<{ isMine: boolean }>(`select pg_try_advisory_xact_lock(${LOCK}) as "isMine"`, [
    instituteId,
  ])
  return row?.isMine === true
}

export async function lock(tx: Transaction, instituteId: number): Promise<void> {
  await tx.query(`select pg_advisory_xact_lock(${LOCK})`, [instituteId])
}

/** Adds the oldest changes to their days; answers how many they were. */
export async function addToDays(tx: Transaction, instituteId: number, limit: number): Promise<number> {
  const [row] = await tx.query<{ count: number }>(
    `with added as (
       delete from collected_changes c where c.institute_id = $1 and c.id = any(array(
         select id from collected_changes where institute_id = $1 order by id limit ${limit}))
       returning c.day, c.amount_paise, c.count, c.given_back_paise
     ), days as (
       insert into collected_days as d (institute_id, day, amount_paise, count, given_back_paise)
       select $1, a.day, sum(a.amount_paise), sum(a.count), sum(a.given_back_paise) from added a group by a.day
       on conflict (institute_id, day) do update set amount_paise = d.amount_paise + excluded.amount_paise,
         count = d.count + excluded.count, given_back_paise = d.given_back_paise + excluded.given_back_paise
     )
     select count(*) as count from added`,
    [instituteId],
  )
  return row?.count ?? 0
}

/** Writes each correction as one more change, because what comes meanwhile adds its own. */
export async function correctDays(tx: Transaction, instituteId: number): Promise<void> {
  await tx.query(
    `insert into collected_changes (institute_id, day, amount_paise, count, given_back_paise)
     select $1, day, amount_paise, count, given_back_paise from collected_differences($1)`,
    [instituteId],
  )
}

/** How many sums are not what students owe, and how many days not what payments and refunds say. */
export async function countDifferences(
  db: Queryable,
  instituteId: number,
): Promise<{ dues: number; days: number }> {
  const [row] = await db.query<{ dues: number; days: number }>(
    `select (select count(*) from dues_differences($1)) as dues, (select count(*) from collected_differences($1)) as days`,
    [instituteId],
  )
  return row ?? { dues: 0, days: 0 }
}

export async function countWaiting(db: Queryable, instituteId: number): Promise<number> {
  const [row] = await db.query<{ count: number }>(
    'select count(*) as count from dues_changes where institute_id = $1',
    [instituteId],
  )
  return row?.count ?? 0
}
