import type { Queryable } from '../../platform/db/database.ts'

export type DeliveryCount = { webhookId: string; waiting: number; givenUp: number }

/** What waits and what was given up, by subscription; each by its own index. */
export async function countDeliveries(db: Queryable, instituteId: number): Promise<DeliveryCount[]> {
  return db.query<DeliveryCount>(
    `select webhook_id as "webhookId", sum(waiting)::int as waiting, sum(given_up)::int as "givenUp" from (
       select webhook_id, count(*) as waiting, 0 as given_up from webhook_queue
       where institute_id = $1 group by webhook_id
       union all
       select webhook_id, 0, count(*) from webhook_deliveries
       where institute_id = $1 and given_up_at is not null group by webhook_id
     ) counted group by webhook_id`,
    [instituteId],
  )
}
