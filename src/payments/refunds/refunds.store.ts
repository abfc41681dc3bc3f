import type { Queryable, Transaction } from '../../platform/db/database.ts'
import { leasedRows } from '../../platform/jobs/leased-rows.ts'
import type { Paise } from '../../platform/money.ts'
import type { Payment, Refund, RefundState } from '../payments.rules.ts'

const COLUMNS = `institute_id as "instituteId", id, payment_id as "paymentId", order_id as "orderId", kind, state,
  amount_paise as "amountPaise", reason, provider_ref as "providerRef", utr, failure_message as "failureMessage",
  requested_at as "requestedAt", processed_at as "processedAt", tries`

export async function insertRefund(
  tx: Transaction,
  refund: Refund,
  lines: readonly { componentType: string; amountPaise: Paise }[],
): Promise<void> {
  await tx.query(
    `insert into refunds (institute_id, id, payment_id, order_id, kind, amount_paise, reason, requested_at, next_try_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $8)`,
    [
      refund.instituteId,
      refund.id,
      refund.paymentId,
      refund.orderId,
      refund.kind,
      refund.amountPaise,
      refund.reason,
      refund.requestedAt,
    ],
  )
  await tx.query(
    `insert into refund_lines (institute_id, refund_id, line_no, component_type, amount_paise)
     select $1, $2, l.no, l.component_type, l.amount
     from unnest($3::text[], $4::bigint[]) with ordinality as l (component_type, amount, no)`,
    [
      refund.instituteId,
      refund.id,
      lines.map(line => line.componentType),
      lines.map(line => line.amountPaise),
    ],
  )
}

/** All of a payment, taken back by the bank: done when it is written, line by line as it was paid. */
export async function insertReturn(
  tx: Transaction,
  payment: Payment,
  returned: { refundId: string; reason: string; at: Date },
): Promise<void> {
  await tx.query(
    `with refund as (
       insert into refunds (institute_id, id, payment_id, order_id, kind, state, amount_paise, reason, requested_at, processed_at)
       values ($1, $2, $3, $4, 'returned', 'processed', $5, $6, $7, $7)
     )
     insert into refund_lines (institute_id, refund_id, line_no, component_type, amount_paise)
     select institute_id, $2, line_no, component_type, amount_paise from order_lines where institute_id = $1 and order_id = $4`,
    [
      payment.instituteId,
      returned.refundId,
      payment.id,
      payment.orderId,
      payment.amountPaise,
      returned.reason,
      returned.at,
    ],
  )
}

export async function listRefunds(db: Queryable, instituteId: number, paymentId: string): Promise<Refund[]> {
  return db.query<Refund>(
    `select ${COLUMNS} from refunds where institute_id = $1 and payment_id = $2 order by requested_at, id`,
    [instituteId, paymentId],
  )
}

export async function listRefundsOfOrder(
  db: Queryable,
  instituteId: number,
  orderId: string,
): Promise<Refund[]> {
  return db.query<Refund>(
    `select ${COLUMNS} from refunds where institute_id = $1 and order_id = $2 order by requested_at, id`,
    [instituteId, orderId],
  )
}

/** What has been refunded of each line so far, by line number. */
export async function refundedByLine(
  tx: Transaction,
  instituteId: number,
  paymentId: string,
): Promise<Map<number, Paise>> {
  const rows = await tx.query<{ no: number; refunded: Paise }>(
    `select l.line_no as no, sum(l.amount_paise)::bigint as refunded
     from refund_lines l join refunds r on r.institute_id = l.institute_id and r.id = l.refund_id
     where r.institute_id = $1 and r.payment_id = $2 and r.kind = 'requested' and r.state <> 'failed'
     group by l.line_no`,
    [instituteId, paymentId],
  )
  return new Map(rows.map(row => [row.no, row.refunded]))
}

export async function findRefund(db: Queryable, instituteId: number, id: string): Promise<Refund | null> {
  const [row] = await db.query<Refund>(`select ${COLUMNS} from refunds where institute_id = $1 and id = $2`, [
    instituteId,
    id,
  ])
  return row ?? null
}

export async function lockRefund(tx: Transaction, instituteId: number, id: string): Promise<Refund | null> {
  const [row] = await tx.query<Refund>(
    `select ${COLUMNS} from refunds where institute_id = $1 and id = $2 for update`,
    [instituteId, id],
  )
  return row ?? null
}

export async function finishRefund(
  tx: Transaction,
  refund: Refund,
  result: {
    state: RefundState
    providerRef: string
    utr: string | null
    processedAt: Date | null
    failure: string | null
  },
): Promise<void> {
  await tx.query(
    `update refunds set state = $3, provider_ref = $4, utr = $5, processed_at = $6, failure_message = $7,
       next_try_at = case when $3 = 'pending' then next_try_at end
     where institute_id = $1 and id = $2`,
    [
      refund.instituteId,
      refund.id,
      result.state,
      result.providerRef,
      result.utr,
      result.processedAt,
      result.failure,
    ],
  )
}

/** Those to send to the provider, or to send again when its answer was lost. */
export const toTry = leasedRows<Refund>({
  table: 'refunds',
  dueAt: 'next_try_at',
  attempts: 'tries',
  columns: COLUMNS,
})

export async function listPending(
  db: Queryable,
  instituteId: number,
  ids: readonly string[],
): Promise<Refund[]> {
  return db.query<Refund>(
    `select ${COLUMNS} from refunds where institute_id = $1 and id = any($2) and state = 'pending' order by id`,
    [instituteId, ids],
  )
}

/** Those of these payments that debited an instalment and still stand. */
export async function listUnreturned(
  db: Queryable,
  instituteId: number,
  paymentIds: readonly string[],
): Promise<{ id: string; providerRef: string | null }[]> {
  return db.query(
    `select p.id, p.provider_ref as "providerRef" from payments p
     join orders o on o.institute_id = p.institute_id and o.id = p.order_id and o.kind = 'instalment' and o.state <> 'reversed'
     where p.institute_id = $1 and p.id = any($2) order by p.id`,
    [instituteId, paymentIds],
  )
}

/** The student that an order was made for by Bursar itself; null for orders, links and pages, which the ERP reads. */
export async function findStudentOf(
  tx: Transaction,
  instituteId: number,
  orderId: string,
): Promise<string | null> {
  const [row] = await tx.query<{ id: string | null }>(
    `select student_id as id from orders where institute_id = $1 and id = $2 and kind not in ('order', 'link', 'page')`,
    [instituteId, orderId],
  )
  return row?.id ?? null
}
