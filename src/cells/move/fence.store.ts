import { setTimeout as wait } from 'node:timers/promises'
import type { Queryable } from '../../platform/db/database.ts'
import type { School } from './carry.store.ts'
import { inTransaction, sqlStateOf } from './connection.ts'
import { NEVER_FENCED, SKIPPED_WHEN_FENCED } from './move.rules.ts'

/** The first half of the lock that fence_school() shares; the second is the school. */
const FENCE_LOCK = 1651012467

const MOVE_LOCK = 1651012468
/** A process that was killed keeps its locks until its server notices. */
const LOCK_TRIES = 50
const LOCK_AGAIN_MS = 100

const LOCK_TIMEOUT = '55P03'
const DEADLOCK = '40P01'
const LONGEST_HOLD_MS = 50
const MOST_TRIES = 600

/**
 * Changes a table of all schools without holding them up: whoever reads or writes it waits for so long at most, and then the
 * change is tried again.
 */
async function alterGently(db: Queryable, statement: string): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await inTransaction(db, async () => {
        await db.query(`set local lock_timeout = '${LONGEST_HOLD_MS}ms'; ${statement}`)
      })
    } catch (error) {
      if (![LOCK_TIMEOUT, DEADLOCK].includes(sqlStateOf(error)) || tries === MOST_TRIES) throw error
      await wait(LONGEST_HOLD_MS * (1 + Math.random()))
    }
  }
}

/** One process at a time works on the move of a school; the lock ends with its connection. */
export async function lockMove(db: Queryable, schoolId: number): Promise<void> {
  for (let tries = 1; ; tries++) {
    const [row] = await db.query<{ isMine: boolean }>('select pg_try_advisory_lock($1, $2) as "isMine"', [
      MOVE_LOCK,
      schoolId,
    ])
    if (row?.isMine === true) return
    if (tries === LOCK_TRIES) throw new Error('another process is moving this school at this moment')
    await wait(LOCK_AGAIN_MS)
  }
}

/** Whether some process works on the move of a school. */
export async function isLocked(db: Queryable, schoolId: number): Promise<boolean> {
  const [row] = await db.query<{ isLocked: boolean }>(
    `select exists (select from pg_locks where locktype = 'advisory' and granted and objsubid = 2
       and database = (select oid from pg_database where datname = current_database())
       and classid = $1::int::oid and objid = $2::int::oid) as "isLocked"`,
    [MOVE_LOCK, schoolId],
  )
  return row?.isLocked === true
}

type FencedTable = { name: string; column: string }

const triggerNames = (schoolId: number): [write: string, remove: string] => [
  `fence_${schoolId}_write`,
  `fence_${schoolId}_delete`,
]

/** Adds the triggers by which the school's rows of these tables can be shut. */
export async function addFence(
  db: Queryable,
  schoolId: number,
  tables: readonly FencedTable[],
): Promise<void> {
  const [write, remove] = triggerNames(schoolId)
  const done = new Set((await listFenced(db, schoolId)).map(({ table }) => table))
  for (const { name, column } of tables) {
    if (name === NEVER_FENCED || done.has(name)) continue
    const how = name === SKIPPED_WHEN_FENCED ? 'skip' : 'raise'
    const call = `execute function fence_school('${how}', '${schoolId}')`
    await alterGently(
      db,
      `create trigger ${write} before insert or update on ${name} for each row when (new.${column} = ${schoolId}) ${call};
       create trigger ${remove} before delete on ${name} for each row when (old.${column} = ${schoolId}) ${call}`,
    )
  }
}

/** Both triggers of a table are made and dropped in one transaction. */
async function listFenced(db: Queryable, schoolId: number): Promise<{ table: string }[]> {
  return db.query<{ table: string }>(
    `select distinct c.relname as "table" from pg_trigger t join pg_class c on c.oid = t.tgrelid
     where t.tgname = any ($1) and t.tgparentid = 0 and c.relnamespace = 'public'::regnamespace`,
    [triggerNames(schoolId)],
  )
}

export async function dropFence(db: Queryable, schoolId: number): Promise<void> {
  const triggers = triggerNames(schoolId)
  for (const { table } of await listFenced(db, schoolId))
    await alterGently(db, triggers.map(name => `drop trigger ${name} on ${table}`).join('; '))
}

export async function markLeaving(db: Queryable, moveId: string, { id, code }: School): Promise<void> {
  await db.query(
    `insert into moving_schools (school_id, move_id, side, code) values ($1, $2, 'leaving', $3)
     on conflict (school_id) do update set move_id = $2, side = 'leaving', code = $3, held_until = null, fenced_until = null,
       key_ids = '{}', account_ids = '{}', forward_to = '{}', changed_at = now()`,
    [id, moveId, code],
  )
}

/** Its rows are shut from the start, and no job takes them. It may have left this cell before. */
export async function markArriving(db: Queryable, moveId: string, { id, code }: School): Promise<void> {
  await db.query(
    `insert into moving_schools (school_id, move_id, side, code, held_until, fenced_until) values ($1, $2, 'arriving', $3, 'infinity', 'infinity')
     on conflict (school_id) do update set move_id = $2, side = 'arriving', code = $3, held_until = 'infinity', fenced_until = 'infinity',
       key_ids = '{}', account_ids = '{}', forward_to = '{}', changed_at = now()`,
    [id, moveId, code],
  )
}

export async function readSide(
  db: Queryable,
  moveId: string,
): Promise<'leaving' | 'arriving' | 'left' | null> {
  const [row] = await db.query<{ side: 'leaving' | 'arriving' | 'left' }>(
    'select side from moving_schools where move_id = $1',
    [moveId],
  )
  return row?.side ?? null
}

export async function unmark(db: Queryable, moveId: string): Promise<void> {
  await db.query('delete from moving_schools where move_id = $1', [moveId])
}

export async function holdJobs(db: Queryable, schoolId: number, forMs: number): Promise<void> {
  await db.query(
    `update moving_schools set held_until = clock_timestamp() + $2 * interval '1 millisecond' where school_id = $1`,
    [schoolId, forMs],
  )
}

/** Since when processes of the old cell know that the school is about to leave. */
export async function readWarnedMs(db: Queryable, schoolId: number): Promise<number> {
  const [row] = await db.query<{ ms: number }>(
    `select extract(epoch from clock_timestamp() - changed_at)::float8 * 1000 as ms from moving_schools where school_id = $1`,
    [schoolId],
  )
  return row?.ms ?? 0
}

/** How many rows of the school a worker holds at this moment. */
export async function countLeases(
  db: Queryable,
  schoolId: number,
  tables: readonly { name: string; lease: string | null }[],
): Promise<number> {
  const counts = tables.flatMap(({ name, lease }) =>
    lease === null
      ? []
      : [`(select count(*) from ${name} where institute_id = $1 and ${lease} > clock_timestamp())`],
  )
  const [row] = await db.query<{ held: number }>(`select ${counts.join(' + ')} as held`, [schoolId])
  return row?.held ?? 0
}

/**
 * Shuts the fence for so long. False: somebody who writes to the school did not end in time, and it is open again.
 */
export async function shutFence(
  db: Queryable,
  schoolId: number,
  { forMs, drainMs }: { forMs: number; drainMs: number },
): Promise<boolean> {
  try {
    await Promise.all([
      db.query(
        `update moving_schools set fenced_until = clock_timestamp() + $2 * interval '1 millisecond' where school_id = $1`,
        [schoolId, forMs],
      ),
      db.query(`set lock_timeout = '${drainMs}ms'`),
      db.query('select pg_advisory_lock($1, $2)', [FENCE_LOCK, schoolId]),
    ])
    await db.query('select pg_advisory_unlock($1, $2)', [FENCE_LOCK, schoolId])
    return true
  } catch (error) {
    if (![LOCK_TIMEOUT, DEADLOCK].includes(sqlStateOf(error))) throw error
    await openFence(db, schoolId)
    return false
  } finally {
    await db.query('set lock_timeout = 0')
  }
}

/** Lets the school's writes through again. */
export async function openFence(db: Queryable, schoolId: number): Promise<void> {
  await db.query(
    `update moving_schools set fenced_until = null, held_until = null where school_id = $1 and side = 'leaving'`,
    [schoolId],
  )
}

/**
 * Keeps the fence shut for good, in the transaction in which the school leaves. The lock is taken first, so that a fence
 * which runs out meanwhile lets nobody in. False: it ran out before, and somebody may have written since.
 */
export async function keepShut(db: Queryable, schoolId: number): Promise<boolean> {
  const locked = db.query('select pg_advisory_xact_lock($1, $2)', [FENCE_LOCK, schoolId])
  const shut = db.query(
    `update moving_schools m set side = 'left', held_until = 'infinity', fenced_until = 'infinity', changed_at = now(),
       key_ids = array(select key_id from api_keys where institute_id = $1),
       account_ids = array(select id from provider_accounts where institute_id = $1)
     where school_id = $1 and side = 'leaving' and fenced_until > clock_timestamp() returning school_id`,
    [schoolId],
  )
  const [, kept] = await Promise.all([locked, shut])
  return kept.length > 0
}

/** The ids of the school that callers know, by which directory and proxies find it. */
export type Routes = { keyIds: string[]; accountIds: string[] }

export async function readRoutes(db: Queryable, moveId: string): Promise<Routes> {
  const [row] = await db.query<Routes>(
    'select key_ids as "keyIds", account_ids as "accountIds" from moving_schools where move_id = $1',
    [moveId],
  )
  return row ?? { keyIds: [], accountIds: [] }
}

/** Callbacks that still come to the old cell are sent on to these, given as host:port. */
export async function setForwarding(
  db: Queryable,
  moveId: string,
  addresses: readonly string[],
): Promise<void> {
  await db.query(`update moving_schools set forward_to = $2 where move_id = $1 and side = 'left'`, [
    moveId,
    addresses,
  ])
}

export async function writeMark(db: Queryable, schoolId: number, mark: string): Promise<void> {
  await db.query('insert into move_marks (institute_id, mark) values ($1, $2)', [schoolId, mark])
}

export async function hasMark(db: Queryable, schoolId: number, mark: string): Promise<boolean> {
  return (
    (await db.query('select from move_marks where institute_id = $1 and mark = $2', [schoolId, mark]))
      .length > 0
  )
}

export async function removeMarks(db: Queryable, schoolId: number): Promise<void> {
  await db.query('delete from move_marks where institute_id = $1', [schoolId])
}
