import { escapeLiteral } from 'pg'
import type { Queryable } from '../../platform/db/database.ts'
import { asReplica } from './connection.ts'
import type { Table } from './carry.store.ts'
import type { namesOf } from './move.rules.ts'

type Names = ReturnType<typeof namesOf>

/** Every row of the school, and the slot that keeps what is written from now on. Made once, however often it is asked for. */
export async function publish(
  db: Queryable,
  { publication, slot }: Names,
  schoolId: number,
  tables: readonly Table[],
): Promise<void> {
  const rows = tables.map(({ name }) => `table ${name} where (institute_id = ${schoolId})`).join(', ')
  if ((await db.query('select from pg_publication where pubname = $1', [publication])).length === 0)
    await db.query(`create publication ${publication} for ${rows} with (publish_via_partition_root = true)`)
  if ((await db.query('select from pg_replication_slots where slot_name = $1', [slot])).length === 0)
    await db.query(`select pg_create_logical_replication_slot($1, 'pgoutput')`, [slot])
}

/** While somebody is connected to it, it stays. */
export async function dropSlot(db: Queryable, { slot }: Names): Promise<void> {
  await db.query(
    'select pg_drop_replication_slot(slot_name) from pg_replication_slots where slot_name = $1 and not active',
    [slot],
  )
}

export async function dropPublication(db: Queryable, { publication }: Names): Promise<void> {
  await db.query(`drop publication if exists ${publication}`)
}

export type SlotState = 'followed' | 'waiting' | 'lost' | 'gone'

/**
 * Whether the slot still keeps what the new cell has not read. A standby that took over has none, and a server that may keep
 * so much and no more has given it up: then rows are lost to the copy, and it cannot go on.
 */
export async function readSlot(db: Queryable, { slot }: Names): Promise<SlotState> {
  const [row] = await db.query<{ isActive: boolean; isLost: boolean }>(
    `select active as "isActive", wal_status is not distinct from 'lost' as "isLost"
     from pg_replication_slots where slot_name = $1`,
    [slot],
  )
  if (row === undefined) return 'gone'
  if (row.isLost) return 'lost'
  return row.isActive ? 'followed' : 'waiting'
}

/**
 * The slot is there already: where both databases are on one server, a subscription that made it would wait for its own
 * transaction. `address` is how the server of the new cell reaches the old database.
 */
export async function subscribe(db: Queryable, { publication, slot }: Names, address: string): Promise<void> {
  if ((await db.query('select from pg_subscription where subname = $1', [publication])).length > 0) return
  await db.query(
    `create subscription ${publication} connection ${escapeLiteral(address)} publication ${publication}
     with (create_slot = false, slot_name = '${slot}', origin = none)`,
  )
}

/**
 * Lets the server of the new cell connect to the old database as a subscription would, and takes it back. Null: it can;
 * otherwise why not.
 */
export async function tryToSubscribe(db: Queryable, address: string): Promise<string | null> {
  await db.query('begin')
  try {
    await db.query(
      `create subscription bursar_move_trial connection ${escapeLiteral(address)} publication bursar_move_trial
       with (create_slot = false, slot_name = none, enabled = false, copy_data = false)`,
    )
    return null
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  } finally {
    await db.query('rollback')
  }
}

/**
 * Drops the slot and those of tables that were still being copied too, for which its server connects to the old one. One that
 * is gone already would keep the subscription from being dropped.
 */
export async function unsubscribe(db: Queryable, { publication }: Names, hasSlot: boolean): Promise<void> {
  if ((await db.query('select from pg_subscription where subname = $1', [publication])).length === 0) return
  await db.query(`alter subscription ${publication} disable`)
  if (!hasSlot) await db.query(`alter subscription ${publication} set (slot_name = none)`)
  await db.query(`drop subscription ${publication}`)
}

export type CopyProgress = { copied: number; tables: number; failures: number }

export async function readCopyProgress(db: Queryable, { publication }: Names): Promise<CopyProgress> {
  const [row] = await db.query<CopyProgress>(
    `select count(*) filter (where r.srsubstate = 'r') as copied, count(*) as tables,
       (select coalesce(sum(apply_error_count + sync_error_count), 0)::bigint from pg_stat_subscription_stats s where s.subid = p.oid) as failures
     from pg_subscription p join pg_subscription_rel r on r.srsubid = p.oid where p.subname = $1 group by p.oid`,
    [publication],
  )
  return row ?? { copied: 0, tables: 0, failures: 0 }
}

/** Rows of a school that does not live in this cell; answers how many there were. */
export async function deleteRows(db: Queryable, schoolId: number, tables: readonly Table[]): Promise<number> {
  let deleted = 0
  for (const { name } of tables)
    deleted += await asReplica(db, async () => {
      const [row] = await db.query<{ rows: number }>(
        `with gone as (delete from ${name} where institute_id = $1 returning 1) select count(*) as rows from gone`,
        [schoolId],
      )
      return row?.rows ?? 0
    })
  return deleted
}

/** The old rows of a table, kept apart under the same name. In one transaction, so the table is there or was not touched. */
export async function stashTable(
  db: Queryable,
  schema: string,
  { name }: Table,
  schoolId: number,
): Promise<number> {
  return asReplica(db, async () => {
    await db.query(`create schema if not exists ${schema}`)
    const [found] = await db.query<{ exists: boolean }>('select to_regclass($1) is not null as exists', [
      `${schema}.${name}`,
    ])
    if (found?.exists !== true)
      await db.query(`create table ${schema}.${name} as select * from public.${name} where false`)
    const [row] = await db.query<{ rows: number }>(
      `with gone as (delete from public.${name} where institute_id = $1 returning *),
         kept as (insert into ${schema}.${name} select * from gone returning 1)
       select count(*) as rows from kept`,
      [schoolId],
    )
    return row?.rows ?? 0
  })
}

export async function dropStash(db: Queryable, schema: string): Promise<void> {
  await db.query(`drop schema if exists ${schema} cascade`)
}
