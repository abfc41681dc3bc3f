import { assert } from '../assert.ts'
import type { Database, Queryable, Transaction } from '../db/database.ts'
import { firstIdAt, type IdPrefix } from '../ids.ts'
import { startOfDay } from '../calendar.ts'
import { addMonths, firstDayOf, monthOf, monthsToRetire } from './months.rules.ts'

/** A table that is partitioned by the months of its ids. */
export type PartitionedLog = {
  table: string
  prefix: IdPrefix
  /** How many whole months rows are kept at least; null: for ever. */
  keepMonths: number | null
  /** Its rows leave the database only for an archive. */
  mustBeArchived: boolean
  /** Whether something still needs rows whose ids are below this one. */
  isNeeded?: (db: Queryable, belowId: string) => Promise<boolean>
}

/** Beyond this month. Inserts do not depend on it: what comes later goes into the last partition. */
const MONTHS_AHEAD = 3

/** Others who work with the log wait for us so long at most, and we for them: the next run tries again. */
const LOCK_TIMEOUT = `set local lock_timeout = '300ms'`

/** Rows are sorted into months in batches, so that their locks are free again within milliseconds. */
const BATCH = 1_000

/** Makes partitions ahead of their time. Where rows stand behind the last month it answers false: those are to be sorted. */
export async function makeMonthsAhead(db: Database, log: PartitionedLog, now: Date): Promise<boolean> {
  let isNew = false
  for (let step = await nextStep(db, log, now); step !== null; step = await nextStep(db, log, now)) {
    const [row] = await locking<{ isMade: boolean }>(db, 'select add_months($1, $2, $3::date) as "isMade"', [
      log.table,
      log.prefix,
      step,
    ])
    if (row?.isMade !== true) return false
    isNew = true
  }
  if (isNew) await analyze(db, log)
  return true
}

/**
 * Makes them where rows stand behind the last month: copies of those are put in their place at one stroke when all are
 * there. Nobody waits for the copying, and cut short it is done again by the next run.
 */
export async function sortLaterRows(
  db: Database,
  log: PartitionedLog,
  { now, isStopping }: { now: Date; isStopping: () => boolean },
): Promise<void> {
  for (let step = await nextStep(db, log, now); step !== null; step = await nextStep(db, log, now)) {
    await locking(db, 'select stage_months($1, $2, $3::date)', [log.table, log.prefix, step])
    let copied: CopiedUpTo | undefined = { institute: 0, lastId: '' }
    while (copied !== undefined && copied.institute !== null) {
      if (isStopping()) return
      copied = await copyBatch(db, log, copied)
    }
    await locking(db, 'select swap_months($1)', [log.table])
    await analyze(db, log)
  }
}

/** The first day of the last month that is to be made at once; null: all are there. */
async function nextStep(db: Database, log: PartitionedLog, now: Date): Promise<string | null> {
  const last = addMonths(monthOf(now), MONTHS_AHEAD)
  const newest = (await listMonths(db, log)).at(-1)
  return newest !== undefined && newest >= last ? null : firstDayOf(last)
}

/** The key of the last row that was copied; nulls: there was none any more. */
type CopiedUpTo = { institute: number | null; lastId: string | null }

async function copyBatch(
  db: Database,
  { table }: PartitionedLog,
  from: CopiedUpTo,
): Promise<CopiedUpTo | undefined> {
  const [copied] = await db.query<CopiedUpTo>(
    'select institute, last_id as "lastId" from copy_later($1, $2, $3, $4)',
    [table, BATCH, from.institute, from.lastId],
  )
  return copied
}

async function locking<Row extends Record<string, unknown>>(
  db: Database,
  text: string,
  values: readonly unknown[],
): Promise<Row[]> {
  return db.transaction(async tx => {
    await tx.query(LOCK_TIMEOUT)
    return tx.query<Row>(text, values)
  })
}

/** PostgreSQL analyses partitions by itself, and never the whole of them. */
async function analyze(db: Database, { table }: PartitionedLog): Promise<void> {
  await db.query(`analyze only ${table}`)
}

/** Months that have a partition. */
async function listMonths(db: Queryable, { table }: PartitionedLog): Promise<string[]> {
  const rows = await db.query<{ month: string }>(
    `select right(c.relname, 7) as month from pg_inherits i join pg_class c on c.oid = i.inhrelid
     where i.inhparent = $1::regclass and c.relname ~ '_[0-9]{4}_[0-9]{2}$' order by 1`,
    [table],
  )
  return rows.map(({ month }) => month)
}

/**
 * Takes the oldest month that is past its time out of the log, whole; answers which. From then on nobody reads or changes
 * it, and it waits in the schema `retired`. A month that something still needs stays, and so do those after it.
 */
export async function retireOldest(db: Database, log: PartitionedLog, now: Date): Promise<string | null> {
  if (log.keepMonths === null) return null
  const [month] = monthsToRetire(await listMonths(db, log), log.keepMonths, now)
  if (month === undefined) return null
  const below = firstIdAt(log.prefix, startOfDay(firstDayOf(addMonths(month, 1))))
  // Asked before as well, so that the log is locked for nothing but its own catalogue.
  if ((await log.isNeeded?.(db, below)) === true) return null
  return db.transaction(async tx => {
    await tx.query(LOCK_TIMEOUT)
    await tx.query(`lock table ${log.table} in access exclusive mode`)
    if ((await log.isNeeded?.(tx, below)) === true) return null
    // Another process may have been here since.
    if (!(await listMonths(tx, log)).includes(month)) return null
    await replaceBefore(tx, log, { month, below })
    return month
  })
}

/** The month and what is older leave; `_before` grows over their place, so that no insert ever fails. */
async function replaceBefore(
  tx: Transaction,
  { table }: PartitionedLog,
  { month, below }: { month: string; below: string },
): Promise<void> {
  const before = `${table}_before`
  const [older] = await tx.query<{ exists: boolean }>(`select exists (select 1 from ${before})`)
  if (older?.exists === true) {
    await detach(tx, table, before)
    await tx.query(`alter table retired.${before} rename to ${before}_${month}`)
  } else {
    await tx.query(`drop table ${before}`)
  }
  await detach(tx, table, `${table}_${month}`)
  await tx.query(`select add_partition($1, 'before', null, $2)`, [table, below])
}

/** Drops the foreign keys first: dropping the table later would lock the tables that they name. */
async function detach(tx: Transaction, table: string, partition: string): Promise<void> {
  await tx.query(`alter table ${table} detach partition ${partition}`)
  const keys = await tx.query<{ name: string }>(
    `select quote_ident(conname) as name from pg_constraint where conrelid = $1::regclass and contype = 'f'`,
    [partition],
  )
  for (const { name } of keys) await tx.query(`alter table ${partition} drop constraint ${name}`)
  await tx.query(`alter table ${partition} set schema retired`)
}

export type RetiredMonth = {
  /** The log that it was a part of. */
  table: string
  /** Name of the table in the schema `retired`. */
  name: string
  month: string
  mustBeArchived: boolean
}

/** Lists months that have left their log and are not dropped yet, oldest first. */
export async function listRetired(
  db: Queryable,
  logs: readonly Pick<PartitionedLog, 'table' | 'mustBeArchived'>[],
): Promise<RetiredMonth[]> {
  const rows = await db.query<{ name: string }>(
    `select relname as name from pg_class where relnamespace = to_regnamespace('retired') and relkind = 'r'
     order by right(relname, 7), relname`,
  )
  return rows.map(({ name }) => {
    const log = logs.find(({ table }) => name.startsWith(`${table}_`))
    assert(log !== undefined, `the table ${name} is not of a log`)
    return { table: log.table, name, month: name.slice(-7), mustBeArchived: log.mustBeArchived }
  })
}

export async function dropRetired(db: Queryable, { name }: RetiredMonth): Promise<void> {
  await db.query(`drop table if exists retired.${name}`)
}
