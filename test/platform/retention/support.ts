import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { partitionedLogs } from '../../../src/app/retention.ts'
import { startOfDay } from '../../../src/platform/calendar.ts'
import { firstIdAt } from '../../../src/platform/ids.ts'
import type { PartitionedLog } from '../../../src/platform/retention/logs.ts'
import { addMonths, firstDayOf, monthOf } from '../../../src/platform/retention/months.rules.ts'
import { retainLogs, type DroppedMonth } from '../../../src/platform/retention/retention.ts'
import type { TestBursar } from '../../harness/bursar.ts'

type Owner = { after(done: () => Promise<void> | void): void }

export async function temporaryFolder(owner: Owner): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'bursar-archive-'))
  owner.after(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** As the job does it, at another time. */
export function retain(bursar: TestBursar, archiveDir: string | null, now: Date): Promise<DroppedMonth[]> {
  const { db, vault, log } = bursar.app.ctx
  const logs = partitionedLogs({ archiveDir, events: 13, deliveries: 4, fetches: 17, requests: 1 })
  return retainLogs({ db, vault, log, logs, archiveDir }, { now })
}

/** The middle of the month so many months after this one. */
export function monthsFromNow(count: number): Date {
  const today = new Date()
  return new Date(Date.UTC(today.getUTCFullYear(), today.getUTCMonth() + count, 15))
}

/** Ids of that moment, as many as are asked for. */
export function idsAt(prefix: 'evt' | 'dlv' | 'req' | 'fetch', at: Date, count: number): string[] {
  return Array.from({ length: count }, (_, no) => firstIdAt(prefix, at) + String(no).padStart(15, '0'))
}

/** Straight into the log of Demo School, with texts that are hard to write down. */
export async function insertEvents(bursar: TestBursar, ids: readonly string[]): Promise<void> {
  await bursar.sql(
    `insert into events (institute_id, id, event_code, collector_code, resource_id, occurred_at, payload)
     select 1, id, 'pay.payment.debited', (select collector_code from branches where institute_id = 1 limit 1), 'order_1', now(),
       $2::json
     from unnest($1::text[]) id`,
    [ids, '{"name":\n "आशा \\"R\\" \\n \\\\ 🎓",\n "amount": 100.50}'],
  )
}

export async function insertRequests(bursar: TestBursar, ids: readonly string[]): Promise<void> {
  await bursar.sql(
    `insert into api_requests select 1, id, now(), 'GET', '/x', 200, null, 1.5, 'k' from unnest($1::text[]) id`,
    [ids],
  )
}

export async function countOf(bursar: TestBursar, table: string): Promise<number> {
  const [row] = await bursar.sql<{ rows: number }>(`select count(*)::int as rows from ${table}`)
  return row?.rows ?? -1
}

/** Months before this one get partitions of their own, as if Bursar had run then. */
export async function addOlderMonths(
  bursar: TestBursar,
  { table, prefix }: Pick<PartitionedLog, 'table' | 'prefix'>,
  count: number,
): Promise<void> {
  const thisMonth = monthOf(new Date())
  const firstId = (month: string): string => firstIdAt(prefix, startOfDay(firstDayOf(month)))
  await bursar.sql(`drop table ${table}_before`)
  for (let back = 1; back <= count; back++) {
    const month = addMonths(thisMonth, -back)
    await bursar.sql('select add_partition($1, $2, $3, $4)', [
      table,
      month,
      firstId(month),
      firstId(addMonths(month, 1)),
    ])
  }
  await bursar.sql(`select add_partition($1, 'before', null, $2)`, [
    table,
    firstId(addMonths(thisMonth, -count)),
  ])
}

/** As if nobody had made months for a long time: the log has this one, and what comes after it. */
export async function forgetMonths(
  bursar: TestBursar,
  { table, prefix }: Pick<PartitionedLog, 'table' | 'prefix'>,
): Promise<void> {
  const next = addMonths(monthOf(new Date()), 1)
  const parts = await bursar.sql<{ name: string }>(
    `select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
     where i.inhparent = $1::regclass and c.relname >= $2`,
    [table, `${table}_${next}`],
  )
  for (const { name } of parts) if (!name.endsWith('before')) await bursar.sql(`drop table ${name}`)
  await bursar.sql(`select add_partition($1, 'after', $2, null)`, [
    table,
    firstIdAt(prefix, startOfDay(firstDayOf(next))),
  ])
}
