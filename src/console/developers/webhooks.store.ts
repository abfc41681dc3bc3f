import type { Queryable } from '../../platform/db/database.ts'
import { firstIdAt } from '../../platform/ids.ts'

export type DeliveryDay = { day: string; atOnce: number; later: number; waiting: number; givenUp: number }

/** What became of deliveries, by the day that they were made; days without any are left out. */
export async function countByDay(db: Queryable, instituteId: number, since: Date): Promise<DeliveryDay[]> {
  return db.query<DeliveryDay>(
    `select to_char(created_at at time zone 'Asia/Kolkata', 'YYYY-MM-DD') as day,
       count(*) filter (where state = 'delivered' and jsonb_array_length(attempts) = 1)::int as "atOnce",
       count(*) filter (where state = 'delivered' and jsonb_array_length(attempts) > 1)::int as later,
       count(*) filter (where state in ('pending', 'retrying'))::int as waiting,
       count(*) filter (where state = 'exhausted')::int as "givenUp"
     from webhook_deliveries
     where institute_id = $1 and id >= $2 and created_at >= $3 and state <> 'cancelled'
     group by 1 order by 1`,
    [instituteId, firstIdAt('dlv', since), since],
  )
}
