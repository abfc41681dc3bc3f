import type { Queryable } from '../../platform/db/database.ts'
import { allOf } from '../../platform/db/list.ts'
import type { Paise } from '../../platform/money.ts'
import type { ReceiptKey } from './receipts.rules.ts'
import { by, type Sorting } from '../../platform/db/sorted-list.ts'
import { limitOf, type Query } from '../../platform/db/query.ts'

export type ReceiptRow = {
  financialYear: string
  number: number
  issuedAt: Date
  cancelledAt: Date | null
  cancelReason: string | null
  source: 'online' | 'direct'
  paymentId: string
  /** None for money that was taken at the counter. */
  orderId: string | null
  payer: string
  studentName: string | null
  identifier: string | null
  studentId: string | null
  amountPaise: Paise
  /** What of it went back to the payer. */
  refundedPaise: Paise
  mode: string
}

export type ReceiptFilter = {
  number?: { financialYear: string | undefined; number: number } | undefined
  isCancelled?: boolean | undefined
  from?: Date | undefined
  before?: Date | undefined
  /** Only these. */
  keys?: readonly ReceiptKey[] | undefined
}

const SELECT = `select c.financial_year as "financialYear", c.number, c.issued_at as "issuedAt",
    c.cancelled_at as "cancelledAt", c.cancel_reason as "cancelReason", c.payment_id as "paymentId",
    c.source, o.id as "orderId", coalesce(o.name, s.primary_contact_name) as payer,
    coalesce(o.student_name, s.fullname) as "studentName", coalesce(o.identifier, s.identifier) as identifier,
    coalesce(o.student_id, s.id) as "studentId", coalesce(p.amount_paise, d.amount_paise) as "amountPaise",
    coalesce(p.mode, d.mode) as mode,
    (select coalesce(sum(r.amount_paise - r.charged_paise), 0)::bigint from refunds r where r.institute_id = $1
       and r.payment_id = c.online_payment_id and r.state = 'processed')
      + (select coalesce(sum(r.amount_paise), 0)::bigint from direct_refunds r where r.institute_id = $1
       and r.payment_id = c.direct_payment_id) as "refundedPaise"
  from receipts c
  left join payments p on p.institute_id = c.institute_id and p.id = c.online_payment_id
  left join orders o on o.institute_id = p.institute_id and o.id = p.order_id
  left join direct_payments d on d.institute_id = c.institute_id and d.id = c.direct_payment_id
  left join students s on s.institute_id = c.institute_id and s.id = coalesce(d.student_id, o.student_id)`

/** The last issued first. */
export function receiptsQuery(
  instituteId: number,
  filter: ReceiptFilter,
  range?: { cursor: ReceiptKey | undefined; limit: number },
): Query {
  const values: unknown[] = []
  const { number, isCancelled } = filter
  const where = allOf(values, [
    ['c.institute_id = $1', instituteId],
    ['c.number = $1', number?.number],
    ['c.financial_year = $1', number?.financialYear],
    ['c.issued_at >= $1', filter.from],
    ['c.issued_at < $1', filter.before],
    [
      '(c.financial_year, c.number) in (select k.year, k.number from unnest($1::text[], $2::int[]) as k (year, number))',
      filter.keys?.map(key => key.financialYear),
      filter.keys?.map(key => key.number),
    ],
    isCancelled !== undefined && [`c.cancelled_at is ${isCancelled ? 'not null' : 'null'}`],
    [
      `(c.issued_at, c.financial_year, c.number) < (select r.issued_at, r.financial_year, r.number from receipts r
        where r.institute_id = $1 and r.financial_year = $2 and r.number = $3)`,
      instituteId,
      range?.cursor?.financialYear,
      range?.cursor?.number,
    ],
  ])
  const text = `${SELECT} where ${where}
    order by c.issued_at desc, c.financial_year desc, c.number desc${limitOf(values, range)}`
  return { text, values }
}

export const RECEIPT_SORTING: Sorting = {
  // As a receipt stands in an address.
  key: `"financialYear" || '-' || lpad(number::text, greatest(6, length(number::text)), '0')`,
  columns: {
    issued: by.moment('"issuedAt"'),
    number: by.number(`left("financialYear", 4)::bigint * 10000000000 + number`),
    payer: by.name('payer'),
    student: by.name('"studentName"'),
    amount: by.number('"amountPaise"'),
  },
}

export async function findReceipt(
  db: Queryable,
  instituteId: number,
  key: ReceiptKey,
): Promise<ReceiptRow | null> {
  const [row] = await db.query<ReceiptRow>(
    `${SELECT} where c.institute_id = $1 and c.financial_year = $2 and c.number = $3`,
    [instituteId, key.financialYear, key.number],
  )
  return row ?? null
}
