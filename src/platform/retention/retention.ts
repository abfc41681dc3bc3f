import type { Database, Queryable } from '../db/database.ts'
import { isHeld, NoPermit } from '../db/cluster-semaphore.ts'
import type { Log } from '../log.ts'
import type { Vault } from '../secrets.ts'
import { type Manifest, writeArchive } from './archive.ts'
import {
  dropRetired,
  listRetired,
  makeMonthsAhead,
  retireOldest,
  sortLaterRows,
  type PartitionedLog,
  type RetiredMonth,
} from './logs.ts'
import type { Waiting } from './months.rules.ts'

type Retention = {
  db: Database
  /** The vault whose key seals archives. */
  vault: Vault
  log: Pick<Log, 'info'>
  logs: readonly PartitionedLog[]
  /** Null: months are dropped as they are, but for those that must be archived. */
  archiveDir: string | null
}

export type Dropped = RetiredMonth & { archive: Manifest | null }

/** Processes that do it, one at a time. */
const PERMIT = 'bursar archive'

type RunOptions = { now?: Date; isStopping?: () => boolean; isPerson?: boolean }

/**
 * Makes the months to come, and takes those that are past their time out of their logs, into the archive and out of the
 * database. Ids are made in real time, so a sandbox clock that was moved changes nothing. Any number of processes may run
 * it: one works and the others wait for it or leave it be. Whatever it was doing when it was killed, the next run goes on.
 */
export async function retainLogs(retention: Retention, options: RunOptions = {}): Promise<Dropped[]> {
  const { db, logs } = retention
  const { now = new Date(), isStopping = () => false, isPerson = false } = options
  let release: () => void
  try {
    release = await db.semaphore.acquire(PERMIT, 1, isPerson)
  } catch (error) {
    if (error instanceof NoPermit) return []
    throw error
  }
  try {
    const unsorted: PartitionedLog[] = []
    for (const log of logs) if (!(await makeMonthsAhead(db, log, now))) unsorted.push(log)
    for (const log of unsorted) await sortLaterRows(db, log, { now, isStopping })
    for (const log of logs) while ((await retireOldest(db, log, now)) !== null);
    return await dropAll(retention, isStopping)
  } finally {
    release()
  }
}

export async function readWaiting(db: Queryable, logs: readonly PartitionedLog[]): Promise<Waiting> {
  const isUnderWay = await isHeld(db, PERMIT)
  return { months: await listRetired(db, logs), isUnderWay }
}

async function dropAll(
  { db, vault, log, logs, archiveDir }: Retention,
  isStopping: () => boolean,
): Promise<Dropped[]> {
  const dropped: Dropped[] = []
  for (const retired of await listRetired(db, logs)) {
    if (archiveDir === null && retired.mustBeArchived) continue
    const archive =
      archiveDir === null ? null : await writeArchive(db, retired, { folder: archiveDir, vault, isStopping })
    await dropRetired(db, retired)
    dropped.push({ ...retired, archive })
    const { table, month } = retired
    log.info({ table, month, rows: archive?.rows, file: archive?.file }, 'a month has left its log')
  }
  return dropped
}
