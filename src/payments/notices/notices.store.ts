import { isHere } from '../../platform/db/query.ts'
import type { OrderKind } from '../../orders/orders.rules.ts'
import type { Database, Queryable, Transaction } from '../../platform/db/database.ts'
import { findDue } from '../../platform/jobs/claim.ts'
import { institutesOf, nameRows, type RowKey } from '../../platform/db/named-rows.ts'
import type { Language } from '../../platform/languages.ts'
import type { Paise } from '../../platform/money.ts'
import type { RefundCause } from '../../messages/texts/texts.ts'
import type { ReceiptKey } from '../../receipts/receipts.rules.ts'

type Paid = {
  instituteId: number
  institute: string
  instituteCode: string
  /** None for money that was taken at the counter. */
  orderId: string | null
  orderKind: OrderKind | null
  payer: string
  phone: string
  email: string
  studentName: string | null
  amountPaise: Paise
  /** As the school orders them. */
  components: string[]
  at: Date
  language: Language
}
export type ReceivedPayment = Paid &
  ReceiptKey & {
    paymentId: string
    /** The bank's name for it. */
    transactionId: string | null
    isCancelled: boolean
    isTold: boolean
    /** Of payments that were one at the bank. */
    groupId: string | null
  }
export type MadeRefund = Paid & {
  refundId: string
  utr: string | null
  cause: RefundCause | null
}

const RECEIPTS = {
  table: 'receipts',
  key: 'payment_id',
  where: 'payer_notified_at is null',
  order: 'issued_at',
}
const REFUNDS = {
  table: 'refunds',
  where: `state = 'processed' and kind <> 'returned' and cause is distinct from 'dispute' and payer_notified_at is null`,
  order: 'processed_at',
}

/** Which language a family reads; `i` is its institute. The messages' own store reads it of families alone. */
const languageColumn = (phone: string): string =>
  `coalesce((select f.language from family_languages f where f.institute_id = i.id and f.family = phone_key(${phone})),
     i.family_language, 'en') as language`

/** Of receipts and refunds whose payers have not been told: their payments and themselves, the oldest first. */
export async function findToNotify(
  db: Database,
  limit: number,
): Promise<readonly (RowKey & { kind: 'receipt' | 'refund' })[]> {
  const [received, refunded] = await Promise.all([
    findDue(db, RECEIPTS, null, limit),
    findDue(db, REFUNDS, null, limit),
  ])
  return [
    ...received.map(key => ({ ...key, kind: 'receipt' as const })),
    ...refunded.map(key => ({ ...key, kind: 'refund' as const })),
  ]
}

/** Receipts of these payments that are to be told of still; another process skips them until the commit. */
export async function lockReceived(tx: Transaction, keys: readonly RowKey[]): Promise<ReceivedPayment[]> {
  return selectReceived(tx, keys, 'and c.payer_notified_at is null', 'skip locked')
}

/** The same whether it was told of or not. */
export async function lockReceipts(tx: Transaction, keys: readonly RowKey[]): Promise<ReceivedPayment[]> {
  return selectReceived(tx, keys, '', '')
}

async function selectReceived(
  tx: Transaction,
  keys: readonly RowKey[],
  condition: string,
  waiting: 'skip locked' | '',
): Promise<ReceivedPayment[]> {
  if (keys.length === 0) return []
  const these = nameRows(keys, 1)
  return tx.query<ReceivedPayment>(
    `select c.institute_id as "instituteId", i.name as institute, i.code as "instituteCode", c.financial_year as "financialYear",
       c.number, c.payment_id as "paymentId", p.transaction_id as "transactionId", c.cancelled_at is not null as "isCancelled",
       c.payer_notified_at is not null as "isTold", c.issued_at as at,
       o.id as "orderId", o.kind as "orderKind", p.group_id as "groupId", coalesce(o.name, s.primary_contact_name) as payer,
       coalesce(o.phone, s.primary_contact_number) as phone, coalesce(o.email, s.primary_contact_email) as email,
       coalesce(o.student_name, s.fullname) as "studentName", coalesce(p.amount_paise, d.amount_paise) as "amountPaise",
       coalesce((select json_agg(l.component_type order by l.line_no) from order_lines l
           where l.institute_id = ${these.institute('c')} and l.order_id = o.id),
         (select json_agg(l.component_type order by l.line_no) from direct_payment_lines l
           where l.institute_id = ${these.institute('c')} and l.student_id = d.student_id and l.transaction_id = d.transaction_id), '[]') as components,
       ${languageColumn('coalesce(o.phone, s.primary_contact_number)')}
     from receipts c
     join institutes i on i.id = c.institute_id
     left join payments p on p.institute_id = c.institute_id and p.id = c.online_payment_id
     left join orders o on o.institute_id = p.institute_id and o.id = p.order_id
     left join direct_payments d on d.institute_id = c.institute_id and d.id = c.direct_payment_id
     left join students s on s.institute_id = c.institute_id and s.id = coalesce(d.student_id, o.student_id)
     where ${these.match('c', 'payment_id')} ${condition}
     order by c.issued_at, c.number for update of c ${waiting}`,
    these.values,
  )
}

export async function markReceived(
  tx: Transaction,
  told: readonly ReceivedPayment[],
  now: Date,
): Promise<void> {
  if (told.length === 0) return
  await tx.query(
    `update receipts c set payer_notified_at = $4
     from unnest($1::int[], $2::text[], $3::int[]) as t (institute_id, financial_year, number)
     where c.institute_id = t.institute_id and c.institute_id = any ($5::int[]) and c.financial_year = t.financial_year and c.number = t.number`,
    [
      told.map(one => one.instituteId),
      told.map(one => one.financialYear),
      told.map(one => one.number),
      now,
      institutesOf(told),
    ],
  )
}

/** The same for refunds that were made; what a bank took back is none. */
export async function lockRefunds(tx: Transaction, keys: readonly RowKey[]): Promise<MadeRefund[]> {
  if (keys.length === 0) return []
  const these = nameRows(keys, 1)
  return tx.query<MadeRefund>(
    `select r.institute_id as "instituteId", i.name as institute, i.code as "instituteCode", r.id as "refundId", r.utr, r.cause,
       r.processed_at as at, o.id as "orderId", o.kind as "orderKind", o.name as payer, o.phone, o.email,
       coalesce(o.student_name, s.fullname) as "studentName", r.amount_paise as "amountPaise",
       coalesce((select json_agg(l.component_type order by l.line_no) from refund_lines l
         where l.institute_id = ${these.institute('r')} and l.refund_id = r.id), '[]') as components,
       ${languageColumn('o.phone')}
     from refunds r
     join institutes i on i.id = r.institute_id
     join orders o on o.institute_id = r.institute_id and o.id = r.order_id
     left join students s on s.institute_id = o.institute_id and s.id = o.student_id
     where ${these.match('r')} and r.state = 'processed' and r.kind <> 'returned'
       and r.cause is distinct from 'dispute' and r.payer_notified_at is null
     order by r.processed_at for update of r skip locked`,
    these.values,
  )
}

export async function markRefunds(tx: Transaction, told: readonly MadeRefund[], now: Date): Promise<void> {
  if (told.length === 0) return
  await tx.query(
    `update refunds r set payer_notified_at = $3 from unnest($1::int[], $2::text[]) as t (institute_id, id)
     where r.institute_id = t.institute_id and r.institute_id = any ($4::int[]) and r.id = t.id`,
    [told.map(one => one.instituteId), told.map(one => one.refundId), now, institutesOf(told)],
  )
}

/** The oldest that waits. */
export async function nextToNotify(db: Database): Promise<Date | null> {
  const [row] = await db.query<{ at: Date | null }>(
    `select least((select min(issued_at) from receipts where payer_notified_at is null and ${isHere()}),
       (select min(processed_at) from refunds where state = 'processed'
          and kind <> 'returned' and cause is distinct from 'dispute' and payer_notified_at is null and ${isHere()})) as at`,
  )
  return row?.at ?? null
}

/** The order that a payment paid; null for one taken at the counter. */
export async function findOrderOf(
  db: Queryable,
  instituteId: number,
  paymentId: string,
): Promise<string | null> {
  const [row] = await db.query<{ orderId: string }>(
    'select order_id as "orderId" from payments where institute_id = $1 and id = $2',
    [instituteId, paymentId],
  )
  return row?.orderId ?? null
}
