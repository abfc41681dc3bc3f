import type { Queryable } from '../platform/db/database.ts'
import type { Payment } from './payments.rules.ts'
import { payments } from './payments.store.ts'
import type { ReceiptKey } from '../receipts/receipts.rules.ts'

/** A payment with what became of its money. */
export type PaymentRecord = Payment & {
  settleDueOn: string | null
  settlementUtr: string | null
  settledAt: Date | null
  receipt: ReceiptKey | null
  receiptCancelledAt: Date | null
  receiptCancelReason: string | null
}

const MOST = 200

/** Oldest first: the tries in their order. */
export async function readRecords(
  db: Queryable,
  instituteId: number,
  orderId: string,
): Promise<PaymentRecord[]> {
  return db.query<PaymentRecord>(
    `select ${payments.columns('p')}, p.settle_due_on as "settleDueOn", s.utr as "settlementUtr",
       s.settled_at as "settledAt", c.cancelled_at as "receiptCancelledAt", c.cancel_reason as "receiptCancelReason",
       case when c.number is not null
         then json_build_object('financialYear', c.financial_year, 'number', c.number) end as receipt
     from payments p
     left join settlements s on s.institute_id = p.institute_id and s.id = p.settlement_id
     left join receipts c on c.institute_id = p.institute_id and c.payment_id = p.id
     where p.institute_id = $1 and p.order_id = $2 order by p.created_at, p.id limit ${MOST}`,
    [instituteId, orderId],
  )
}
