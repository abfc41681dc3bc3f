import type { Queryable, Database } from '../../platform/db/database.ts'
import type { People, ServerSettings, UnfinishedWork } from './doctor.rules.ts'

const SETTINGS = `select current_setting('server_version_num')::int as "versionNumber", current_setting('fsync') as fsync,
  current_setting('full_page_writes') as "fullPageWrites", current_setting('synchronous_commit') as "synchronousCommit",
  current_setting('max_connections')::int as "maxConnections",
  current_setting('autovacuum') as autovacuum, current_setting('data_checksums') as "dataChecksums", clock_timestamp() as now`

export async function readServer(db: Queryable): Promise<ServerSettings & { now: Date }> {
  const [row] = await db.query<ServerSettings & { now: Date }>(SETTINGS)
  if (row === undefined) throw new Error('the database answered without a row')
  return row
}

export async function readPeople(db: Queryable): Promise<People> {
  const [row] = await db.query<People>(
    `select (select count(*)::int from institutes) as institutes,
       (select count(*)::int from console_users where is_operator and disabled_at is null) as operators,
       coalesce((select array_agg(code order by code) from institutes i where not exists (
         select from api_keys k where k.institute_id = i.id and k.revoked_at is null)), '{}') as "withoutKey",
       coalesce((select array_agg(code order by code) from institutes i where not exists (
         select from console_memberships m where m.institute_id = i.id)), '{}') as "withoutPeople"`,
  )
  if (row === undefined) throw new Error('the database answered without a row')
  return row
}

/** How many people work at the desk of each lender. */
export async function countDeskPeople(db: Queryable): Promise<ReadonlyMap<string, number>> {
  const rows = await db.query<{ lender: string; people: number }>(
    `select m.lender, count(*)::int as people from console_lender_members m
     join console_users u on u.id = m.user_id where u.disabled_at is null group by m.lender`,
  )
  return new Map(rows.map(({ lender, people }) => [lender, people]))
}

/** Accounts that are not configured any more: neither their money nor their callbacks reach us. */
export async function listStranded(db: Database, configured: readonly string[]): Promise<UnfinishedWork[]> {
  const isStranded = `account_id not like 'pa\\_%' and account_id <> all($1)`
  return await db.query<UnfinishedWork>(
    `select account_id as "accountId", sum(payments)::int as payments, sum(refunds)::int as refunds,
       sum(mandates)::int as mandates
     from (
       select account_id, count(*) as payments, 0 as refunds, 0 as mandates from payments
       where state in ('created', 'pending') and ${isStranded} group by 1
       union all
       select account_id, count(*), 0, 0 from payments
       where state = 'captured' and settlement_id is null and ${isStranded} group by 1
       union all
       select p.account_id, 0, count(*), 0 from refunds r
       join payments p on p.institute_id = r.institute_id and p.id = r.payment_id
       where r.next_try_at is not null and r.state = 'pending' and ${isStranded} group by 1
       union all
       select account_id, 0, 0, count(*) from flex_mandates
       where state in ('pending', 'active') and ${isStranded} group by 1
     ) u group by account_id order by account_id`,
    [configured],
  )
}
