import type { Database } from '../../platform/db/database.ts'

/** What went through an account of the installation and is not finished. */
export type Unfinished = { accountId: string; payments: number; refunds: number; mandates: number }

/** Of accounts that are not configured: neither their money nor their callbacks reach us any more. */
export async function listStranded(db: Database, configured: readonly string[]): Promise<Unfinished[]> {
  const isStranded = `account_id not like 'pa\\_%' and account_id <> all($1)`
  return await db.query<Unfinished>(
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
