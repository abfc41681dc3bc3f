import type { Queryable } from '../../platform/db/database.ts'
import { leasedRows } from '../../platform/jobs/due-rows.ts'
import type { PlanKey } from '../plans/plans.store.ts'

export type MandateKey = PlanKey & { id: string }

/** Mandates about which the provider is to be asked. */
export const mandatesToCheck = leasedRows<MandateKey>({
  table: 'flex_mandates',
  dueAt: 'next_check_at',
  columns: 'institute_id as "instituteId", id, plan_id as "planId"',
})

export async function findMandate(
  db: Queryable,
  instituteId: number,
  id: string,
): Promise<(PlanKey & { accountId: string }) | null> {
  const [row] = await db.query<PlanKey & { accountId: string }>(
    'select institute_id as "instituteId", plan_id as "planId", account_id as "accountId" from flex_mandates where institute_id = $1 and id = $2',
    [instituteId, id],
  )
  return row ?? null
}

/** A reference belongs to one mandate; institutes whose accounts are the same could repeat one. */
const MOST_BY_REF = 10

/** Looks for the provider's reference, or the part of it before the slash; callbacks do not name the institute. */
export async function findByProviderRef(
  db: Queryable,
  accountId: string,
  ref: string,
): Promise<MandateKey[]> {
  return db.query<MandateKey>(
    `select institute_id as "instituteId", id, plan_id as "planId" from flex_mandates
     where split_part(provider_ref, '/', 1) = split_part($1, '/', 1) and account_id = $2 order by created_at desc limit ${MOST_BY_REF}`,
    [ref, accountId],
  )
}

/** Used for a mandate that is over, when only the provider has to be told. */
export async function setNextCheck(
  db: Queryable,
  { instituteId, id }: { instituteId: number; id: string },
  { at, checks }: { at: Date | null; checks: number },
): Promise<void> {
  await db.query(
    `update flex_mandates set next_check_at = $3, checks = $4, held_until = null
     where institute_id = $1 and id = $2 and state = 'cancelled'`,
    [instituteId, id, at, checks],
  )
}
