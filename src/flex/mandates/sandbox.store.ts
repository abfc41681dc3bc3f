import type { Queryable } from '../../platform/db/database.ts'

/** What the sandbox's API has to find at the bank. Null when there is no such plan. */
export async function findPendingMandate(
  db: Queryable,
  instituteId: number,
  planId: string,
): Promise<{ providerRef: string | null } | null> {
  const [row] = await db.query<{ providerRef: string | null }>(
    `select m.provider_ref as "providerRef" from flex_plans p
     left join flex_mandates m on m.institute_id = p.institute_id and m.plan_id = p.id and m.state = 'pending'
     where p.institute_id = $1 and p.id = $2`,
    [instituteId, planId],
  )
  return row ?? null
}

/** Null when there is no such instalment. */
export async function findInstalmentOrder(
  db: Queryable,
  instituteId: number,
  id: string,
): Promise<{ orderId: string | null } | null> {
  const [row] = await db.query<{ orderId: string | null }>(
    `select order_id as "orderId" from flex_instalments where institute_id = $1 and id = $2`,
    [instituteId, id],
  )
  return row ?? null
}
