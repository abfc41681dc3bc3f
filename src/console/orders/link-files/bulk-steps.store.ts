import type { Queryable, Transaction } from '../../../platform/db/database.ts'
import type { BatchKey, LinkBatch, StagedLink } from './bulk.store.ts'

/** The batch that has waited longest and that nobody is at; held until the commit. */
export async function claimRunning(tx: Transaction): Promise<BatchKey | null> {
  const [row] = await tx.query<BatchKey>(
    `select institute_id as "instituteId", id from link_batches where state = 'running'
     order by started_at limit 1 for update skip locked`,
  )
  return row ?? null
}

/** Whether any is to be gone on with, and since when. */
export async function oldestRunning(db: Queryable): Promise<Date | null> {
  const [row] = await db.query<{ at: Date | null }>(
    `select min(started_at) as at from link_batches where state = 'running'`,
  )
  return row?.at ?? null
}

export async function readRows(
  tx: Transaction,
  { instituteId, id }: BatchKey,
  { lastRow, limit }: { lastRow: number; limit: number },
): Promise<StagedLink[]> {
  return tx.query<StagedLink>(
    `select row_no as "rowNo", row_key as key, body as row from link_batch_rows
     where institute_id = $1 and batch_id = $2 and row_no > $3 and body is not null order by row_no limit $4`,
    [instituteId, id, lastRow, limit],
  )
}

/**
 * Takes the keys for links that are about to be made; answers those that were free. One that names its row by a
 * reference is taken for ever, the others until the moment given. Whoever takes the same at this moment waits here.
 */
export async function takeKeys(
  tx: Transaction,
  instituteId: number,
  links: readonly { key: Buffer; orderId: string; isForEver: boolean }[],
  { now, freeBefore }: { now: Date; freeBefore: Date },
): Promise<Set<string>> {
  const rows = await tx.query<{ key: Buffer }>(
    `insert into link_batch_keys as k (institute_id, row_key, order_id, made_at)
     select $1, l.key, l.order_id, $5 from unnest($2::bytea[], $3::text[]) as l (key, order_id) order by l.key
     on conflict (institute_id, row_key) do update set order_id = excluded.order_id, made_at = excluded.made_at
       where k.made_at < $6 and not (k.row_key = any($4::bytea[]))
     returning row_key as key`,
    [
      instituteId,
      links.map(link => link.key),
      links.map(link => link.orderId),
      links.filter(link => link.isForEver).map(link => link.key),
      now,
      freeBefore,
    ],
  )
  return new Set(rows.map(row => row.key.toString('hex')))
}

/** The link that each of these keys stands for, by the key in hex. */
export async function findKeys(
  db: Queryable,
  instituteId: number,
  keys: readonly Buffer[],
): Promise<Map<string, { orderId: string; madeAt: Date }>> {
  const rows = await db.query<{ key: Buffer; orderId: string; madeAt: Date }>(
    `select row_key as key, order_id as "orderId", made_at as "madeAt" from link_batch_keys
     where institute_id = $1 and row_key = any($2)`,
    [instituteId, keys],
  )
  return new Map(rows.map(({ key, orderId, madeAt }) => [key.toString('hex'), { orderId, madeAt }]))
}

export type DoneRow = { rowNo: number; orderId: string | null; isRepeated: boolean }

/** What a row asked for stands in its order from now on. */
export async function finishRows(
  tx: Transaction,
  { instituteId, id }: BatchKey,
  rows: readonly DoneRow[],
): Promise<void> {
  await tx.query(
    `update link_batch_rows r set body = null, order_id = d.order_id, is_repeated = d.is_repeated
     from unnest($3::int[], $4::text[], $5::boolean[]) as d (row_no, order_id, is_repeated)
     where r.institute_id = $1 and r.batch_id = $2 and r.row_no = d.row_no`,
    [
      instituteId,
      id,
      rows.map(row => row.rowNo),
      rows.map(row => row.orderId),
      rows.map(row => row.isRepeated),
    ],
  )
}

export type BatchChange = Partial<
  Pick<
    LinkBatch,
    | 'state'
    | 'channels'
    | 'language'
    | 'madeRows'
    | 'repeatedRows'
    | 'failedRows'
    | 'lastRow'
    | 'startedAt'
    | 'finishedAt'
  >
>

/** What is not given stays. The caller holds its lock. */
export async function updateBatch(
  tx: Transaction,
  { instituteId, id }: BatchKey,
  change: BatchChange,
): Promise<void> {
  await tx.query(
    `update link_batches set state = coalesce($3, state), channels = coalesce($4, channels),
       language = coalesce($5, language), made_rows = coalesce($6, made_rows),
       repeated_rows = coalesce($7, repeated_rows), failed_rows = coalesce($8, failed_rows),
       last_row = coalesce($9, last_row), started_at = coalesce($10, started_at),
       finished_at = coalesce($11, finished_at)
     where institute_id = $1 and id = $2`,
    [
      instituteId,
      id,
      change.state,
      change.channels,
      change.language,
      change.madeRows,
      change.repeatedRows,
      change.failedRows,
      change.lastRow,
      change.startedAt,
      change.finishedAt,
    ],
  )
}

/** Checked so long ago that nobody will start it, or called off: forgotten with its rows. */
export async function purgeUnstarted(db: Queryable, before: Date, limit: number): Promise<number> {
  const rows = await db.query(
    `delete from link_batches where (institute_id, id) in (
       select institute_id, id from link_batches where state in ('checked', 'cancelled') and created_at < $1
       limit $2 for update skip locked) returning 1`,
    [before, limit],
  )
  return rows.length
}
