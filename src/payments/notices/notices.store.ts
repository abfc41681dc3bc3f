import { isHere, nameRows, type RowConditions, type RowKey } from '../../platform/db/query.ts'
import type { OrderKind } from '../../orders/orders.rules.ts'
import type { Database, Queryable, Transaction } from '../../platform/db/database.ts'
import { findDueOfKinds } from '../../platform/jobs/due-rows.ts'
import type { Language } from '../../platform/languages.ts'
import type { Paise } from '../../platform/money.ts'
import type { RefundCause, Signatory } from '../../messages/texts/texts.ts'
import type { ReceiptKey, ToldCancellation } from '../../receipts/receipts.rules.ts'
import type { RefundWay } from '../../students/direct-payments/direct-payments.rules.ts'

type PaidRow = {
  instituteId: number
  institute: Signatory
  instituteCode: string
  /** None for money that was taken at the counter. */
  orderId: string | null
  orderKind: OrderKind | null
  payer: string
  phone: string
  email: string
  studentName: string | null
  amountPaise: Paise
  /** Components in the school's own order. */
  components: string[]
  at: Date
  language: Language
}
export type ReceivedPayment = PaidRow &
  ReceiptKey & {
    paymentId: string
    /** The bank's name for it. */
    transactionId: string | null
    isCancelled: boolean
    isTold: boolean
    /** The receipt of the same payment that it replaces, if the payer was told of that one. */
    replaced: ReceiptKey | null
    cancelledAt: Date | null
    cancelCause: ToldCancellation['cause'] | null
    cancelNote: string | null
    /** The number of a cheque or draft. */
    chequeNumber: string | null
    /** What the family is charged for a cheque that was returned. */
    chargePaise: Paise | null
    /** Shared by payments that were one at the bank, or were handed over at the counter at once. */
    groupId: string | null
  }
/** A refund that the office has paid out itself. */
export type PaidOut = PaidRow &
  ReceiptKey & {
    refundId: string
    paymentId: string
    way: RefundWay
    reference: string | null
  }
export type MadeRefund = PaidRow & {
  refundId: string
  utr: string | null
  cause: RefundCause | null
}

const SIGNATORY = `json_build_object('name', i.name, 'address', i.address, 'phone', i.phone, 'email', i.email)`

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

const CANCELLATIONS = {
  table: 'receipts',
  key: 'payment_id',
  where: 'cancel_note is not null and cancel_notified_at is null and payer_notified_at is not null',
  order: 'cancelled_at',
}
const PAID_OUT = { table: 'direct_refunds', where: 'payer_notified_at is null', order: 'refunded_at' }

/** Which language a family reads; `i` is its institute. The messages' own store reads it of families alone. */
const languageColumn = (phone: string): string =>
  `coalesce((select f.language from family_languages f where f.institute_id = i.id and f.family = phone_key(${phone})),
     i.family_language, 'en') as language`

type Kind = 'receipt' | 'refund' | 'cancellation' | 'paid out'

/** Receipts, cancellations and refunds whose payers have not been told, each with its payment, the oldest first. */
export async function findToNotify(
  db: Database,
  limit: number,
): Promise<readonly (RowKey & { kind: Kind })[]> {
  const kinds = { receipt: RECEIPTS, refund: REFUNDS, cancellation: CANCELLATIONS, 'paid out': PAID_OUT }
  return findDueOfKinds(db, kinds, limit)
}

/** Marks the receipts of these payments that are to be told of still as told; another process skips them until the commit. */
export async function takeReceived(
  tx: Transaction,
  keys: readonly RowKey[],
  now: Date,
): Promise<ReceivedPayment[]> {
  if (keys.length === 0) return []
  const these = nameRows(keys, 1)
  const untold = 'payer_notified_at is null'
  return tx.query<ReceivedPayment>(
    `with c as (
       update receipts set payer_notified_at = $3,
         cancel_notified_at = case when cancelled_at is null then null else $3::timestamptz end
       where ${these.lock('receipts', untold, { key: 'payment_id' })} and receipts.${untold} returning *)
     ${selectReceived(these)} from c ${JOINED_TO_RECEIPTS} order by c.issued_at, c.number`,
    [...these.values, now],
  )
}

/** The same of those that were told of and are cancelled, where that is to be told. */
export async function takeCancelled(
  tx: Transaction,
  keys: readonly RowKey[],
  now: Date,
): Promise<ReceivedPayment[]> {
  if (keys.length === 0) return []
  const these = nameRows(keys, 1)
  return tx.query<ReceivedPayment>(
    `with c as (
       update receipts set cancel_notified_at = $3
       where ${these.lock('receipts', CANCELLATIONS.where, { key: 'payment_id' })} and ${CANCELLATIONS.where} returning *)
     ${selectReceived(these)} from c ${JOINED_TO_RECEIPTS} order by c.cancelled_at, c.number`,
    [...these.values, now],
  )
}

/** The same whether it was told of or not, and only locked. */
export async function lockReceipts(tx: Transaction, keys: readonly RowKey[]): Promise<ReceivedPayment[]> {
  if (keys.length === 0) return []
  const these = nameRows(keys, 1)
  return tx.query<ReceivedPayment>(
    `${selectReceived(these)} from receipts c ${JOINED_TO_RECEIPTS}
     where ${these.match('c', 'payment_id')} order by c.issued_at, c.number for update of c`,
    these.values,
  )
}

const selectReceived = (these: RowConditions): string => `
  select c.institute_id as "instituteId", ${SIGNATORY} as institute, i.code as "instituteCode", c.financial_year as "financialYear",
       c.number, c.payment_id as "paymentId", p.transaction_id as "transactionId", c.cancelled_at is not null as "isCancelled",
       c.payer_notified_at is not null as "isTold", c.issued_at as at, c.cancelled_at as "cancelledAt",
       c.cancel_cause as "cancelCause", c.cancel_note as "cancelNote", d.instrument ->> 'number' as "chequeNumber", q.charge_paise as "chargePaise",
       (select json_build_object('financialYear', e.financial_year, 'number', e.number) from receipts e
         where e.institute_id = ${these.institute('c')} and e.payment_id = c.payment_id and e.number <> c.number
           and e.cancelled_at is not null and e.payer_notified_at is not null and e.cancel_notified_at is null
         order by e.cancelled_at desc limit 1) as replaced,
       o.id as "orderId", o.kind as "orderKind", coalesce(p.group_id, (select k.taking_id
         from counter_taking_payments k where k.institute_id = ${these.institute('c')} and k.payment_id = c.payment_id)) as "groupId",
       coalesce(o.name, s.primary_contact_name) as payer,
       coalesce(o.phone, s.primary_contact_number) as phone, coalesce(o.email, s.primary_contact_email) as email,
       coalesce(o.student_name, s.fullname) as "studentName", coalesce(p.amount_paise, d.amount_paise) as "amountPaise",
       coalesce((select json_agg(l.component_type order by l.line_no) from order_lines l
           where l.institute_id = ${these.institute('c')} and l.order_id = o.id),
         (select json_agg(l.component_type order by l.line_no) from direct_payment_lines l
           where l.institute_id = ${these.institute('c')} and l.student_id = d.student_id and l.transaction_id = d.transaction_id), '[]') as components,
       ${languageColumn('coalesce(o.phone, s.primary_contact_number)')}`

const JOINED_TO_RECEIPTS = `
     join institutes i on i.id = c.institute_id
     left join payments p on p.institute_id = c.institute_id and p.id = c.online_payment_id
     left join orders o on o.institute_id = p.institute_id and o.id = p.order_id
     left join direct_payments d on d.institute_id = c.institute_id and d.id = c.direct_payment_id
     left join cheques q on q.institute_id = c.institute_id and q.payment_id = c.direct_payment_id
     left join students s on s.institute_id = c.institute_id and s.id = coalesce(d.student_id, o.student_id)`

/** The same for what the office has paid out itself. */
export async function takePaidOut(tx: Transaction, keys: readonly RowKey[], now: Date): Promise<PaidOut[]> {
  if (keys.length === 0) return []
  const these = nameRows(keys, 1)
  return tx.query<PaidOut>(
    `with r as (
       update direct_refunds set payer_notified_at = $3
       where ${these.lock('direct_refunds', PAID_OUT.where)} and direct_refunds.payer_notified_at is null returning *)
     select r.institute_id as "instituteId", ${SIGNATORY} as institute, i.code as "instituteCode", r.id as "refundId",
       r.payment_id as "paymentId", r.financial_year as "financialYear", r.number, r.way, r.reference, r.refunded_at as at,
       null as "orderId", null as "orderKind", s.primary_contact_name as payer, s.primary_contact_number as phone,
       s.primary_contact_email as email, s.fullname as "studentName", r.amount_paise as "amountPaise",
       (select json_agg(l.component_type order by l.line_no) from direct_refund_lines l
         where l.institute_id = ${these.institute('r')} and l.refund_id = r.id) as components,
       ${languageColumn('s.primary_contact_number')}
     from r
     join institutes i on i.id = r.institute_id
     join direct_payments d on d.institute_id = r.institute_id and d.id = r.payment_id
     join students s on s.institute_id = d.institute_id and s.id = d.student_id
     order by r.refunded_at`,
    [...these.values, now],
  )
}

/** The same for refunds that were made; what a bank took back is none. */
export async function takeRefunds(
  tx: Transaction,
  keys: readonly RowKey[],
  now: Date,
): Promise<MadeRefund[]> {
  if (keys.length === 0) return []
  const these = nameRows(keys, 1)
  return tx.query<MadeRefund>(
    `with r as (
       update refunds set payer_notified_at = $3
       where ${these.lock('refunds', REFUNDS.where)} and refunds.payer_notified_at is null returning *)
     select r.institute_id as "instituteId", ${SIGNATORY} as institute, i.code as "instituteCode", r.id as "refundId", r.utr, r.cause,
       r.processed_at as at, o.id as "orderId", o.kind as "orderKind", o.name as payer, o.phone, o.email,
       coalesce(o.student_name, s.fullname) as "studentName", r.amount_paise as "amountPaise",
       coalesce((select json_agg(l.component_type order by l.line_no) from refund_lines l
         where l.institute_id = ${these.institute('r')} and l.refund_id = r.id), '[]') as components,
       ${languageColumn('o.phone')}
     from r
     join institutes i on i.id = r.institute_id
     join orders o on o.institute_id = r.institute_id and o.id = r.order_id
     left join students s on s.institute_id = o.institute_id and s.id = o.student_id
     order by r.processed_at`,
    [...these.values, now],
  )
}

/** The oldest that waits. */
export async function nextToNotify(db: Database): Promise<Date | null> {
  const [row] = await db.query<{ at: Date | null }>(
    `select least((select min(issued_at) from receipts where payer_notified_at is null and ${isHere()}),
       (select min(processed_at) from refunds where state = 'processed'
          and kind <> 'returned' and cause is distinct from 'dispute' and payer_notified_at is null and ${isHere()}),
       (select min(cancelled_at) from receipts where ${CANCELLATIONS.where} and ${isHere()}),
       (select min(refunded_at) from direct_refunds where payer_notified_at is null and ${isHere()})) as at`,
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
