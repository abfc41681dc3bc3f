import type { Queryable, Transaction } from '../../platform/db/database.ts'
import type { Paise } from '../../platform/money.ts'
import type { PlanKey } from '../plans/plans.store.ts'

export type Presentation = {
  instituteId: number
  instalmentId: string
  presentation: number
  orderId: string
  mandateId: string
  amountPaise: Paise
  presentedAt: Date
}

export async function insertPresentations(
  tx: Transaction,
  presentations: readonly Presentation[],
): Promise<void> {
  await tx.query(
    `insert into flex_presentations (institute_id, instalment_id, presentation, order_id, mandate_id, amount_paise, presented_at)
     select * from jsonb_to_recordset($1::jsonb) as r ("instituteId" int, "instalmentId" text, "presentation" int,
       "orderId" text, "mandateId" text, "amountPaise" bigint, "presentedAt" timestamptz)`,
    [JSON.stringify(presentations)],
  )
}

export type PresentationState = 'presented' | 'debited' | 'bounced' | 'reversed'

export async function endPresentations(
  tx: Transaction,
  ended: readonly {
    instituteId: number
    orderId: string
    state: PresentationState
    returnCode: string | null
    at: Date
  }[],
): Promise<void> {
  await tx.query(
    `update flex_presentations p set state = r."state", return_code = r."returnCode", ended_at = r."at"
     from jsonb_to_recordset($1::jsonb)
       as r ("instituteId" int, "orderId" text, "state" text, "returnCode" text, "at" timestamptz)
     where p.institute_id = r."instituteId" and p.order_id = r."orderId"`,
    [JSON.stringify(ended)],
  )
}

/** The instalments that these orders were made for: presentations and down payments. */
export async function findByOrders(
  db: Queryable,
  instituteId: number,
  orderIds: readonly string[],
): Promise<(PlanKey & { instalmentId: string; orderId: string; mandateId: string | null })[]> {
  return db.query(
    `select i.institute_id as "instituteId", i.plan_id as "planId", i.id as "instalmentId", o.id as "orderId",
       (select p.mandate_id from flex_presentations p where p.institute_id = $1 and p.order_id = o.id) as "mandateId"
     from unnest($2::text[]) as o (id)
     join flex_instalments i on i.institute_id = $1 and (i.order_id = o.id
       or i.id = (select p.instalment_id from flex_presentations p where p.institute_id = $1 and p.order_id = o.id))`,
    [instituteId, orderIds],
  )
}

export type PresentationRow = {
  instalmentId: string
  presentation: number
  amountPaise: Paise
  presentedAt: Date
  state: PresentationState
  returnCode: string | null
}

/** Oldest first. */
export async function listPresentations(
  db: Queryable,
  { instituteId, planId }: PlanKey,
): Promise<PresentationRow[]> {
  return db.query<PresentationRow>(
    `select p.instalment_id as "instalmentId", p.presentation, p.amount_paise as "amountPaise",
       p.presented_at as "presentedAt", p.state, p.return_code as "returnCode"
     from flex_presentations p join flex_instalments i on i.institute_id = p.institute_id and i.id = p.instalment_id
     where p.institute_id = $1 and i.plan_id = $2 order by p.presented_at, p.presentation`,
    [instituteId, planId],
  )
}
