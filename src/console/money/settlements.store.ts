import type { Queryable } from '../../platform/db/database.ts'
import type { Paise } from '../../platform/money.ts'

export type ExpectedRow = {
  dueOn: string
  collectorCode: string
  payments: number
  amountPaise: Paise
}

/** What is on its way to the bank, by the day it is expected and the branch. */
export async function listExpected(
  db: Queryable,
  instituteId: number,
  limit: number,
): Promise<ExpectedRow[]> {
  return db.query<ExpectedRow>(
    `select p.settle_due_on as "dueOn", o.collector_code as "collectorCode", count(*) as payments,
       sum(p.amount_paise)::bigint as "amountPaise"
     from payments p join orders o on o.institute_id = p.institute_id and o.id = p.order_id
     where p.institute_id = $1 and p.state = 'captured' and p.settlement_id is null and p.settle_due_on is not null
     group by 1, 2 order by 1, 2 limit $2`,
    [instituteId, limit],
  )
}
