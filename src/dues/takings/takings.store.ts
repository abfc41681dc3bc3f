import type { Queryable, Transaction } from '../../platform/db/database.ts'
import type { Paise } from '../../platform/money.ts'

export type Taking = { id: string; takenBy: string; takenAt: Date; amountPaise: Paise }
/** `wayNo`: payments of the same number came in one way. */
export type TakenPayment = { paymentId: string; wayNo: number }

export async function insertTaking(
  tx: Transaction,
  instituteId: number,
  { id, takenBy, takenAt, amountPaise }: Taking,
  payments: readonly TakenPayment[],
): Promise<void> {
  await tx.query(
    'insert into counter_takings (institute_id, id, taken_by, taken_at, amount_paise) values ($1, $2, $3, $4, $5)',
    [instituteId, id, takenBy, takenAt, amountPaise],
  )
  await tx.query(
    `insert into counter_taking_payments (institute_id, taking_id, payment_id, way_no)
     select $1, $2, payment_id, way_no from unnest($3::text[], $4::int[]) as taken (payment_id, way_no)`,
    [instituteId, id, payments.map(one => one.paymentId), payments.map(one => one.wayNo)],
  )
}

/** Reads a taking with its payments in the order in which they were recorded. */
export async function findTaking(
  db: Queryable,
  instituteId: number,
  id: string,
): Promise<(Taking & { payments: TakenPayment[] }) | null> {
  const [row] = await db.query<Taking & { payments: TakenPayment[] }>(
    `select t.id, t.taken_by as "takenBy", t.taken_at as "takenAt", t.amount_paise as "amountPaise",
       (select json_agg(json_build_object('paymentId', p.payment_id, 'wayNo', p.way_no) order by p.payment_id)
        from counter_taking_payments p where p.institute_id = $1 and p.taking_id = t.id) as payments
     from counter_takings t where t.institute_id = $1 and t.id = $2`,
    [instituteId, id],
  )
  return row ?? null
}

/** Keeps a payment in its taking when it was moved to another student and so got another id. */
export async function followMove(
  tx: Transaction,
  instituteId: number,
  { from, to }: { from: string; to: string },
): Promise<void> {
  await tx.query(
    'update counter_taking_payments set payment_id = $3 where institute_id = $1 and payment_id = $2',
    [instituteId, from, to],
  )
}
