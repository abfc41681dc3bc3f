import type { Queryable, Transaction } from '../../platform/db/database.ts'
import type { Paise } from '../../platform/money.ts'
import type { Instrument } from '../../students/direct-payments/direct-payments.rules.ts'
import type { DenominationCount } from '../../banking/deposits/denominations.rules.ts'

/** A payment as the cash book has it, or what was paid out of one again. */
export type BookRow = {
  id: string
  kind: 'payment' | 'refund'
  recordedAt: Date
  paidAt: Date
  cashier: string
  studentId: string
  studentName: string
  identifier: string
  mode: string
  /** Negative for money that was paid out. */
  amountPaise: Paise
  instrument: Instrument | null
  reference: string | null
  /** The year and number are those of the receipt, a cancelled one too, and of the voucher where money was paid out. */
  financialYear: string | null
  number: number | null
  isCancelled: boolean
  cancelReason: string | null
  /** The part of the payment that was paid out again, on whatever day. */
  refundedPaise: Paise
}

export type Closing = {
  cashier: string
  expectedPaise: Paise
  countedPaise: Paise
  denominations: DenominationCount[]
  note: string | null
  closedBy: string
  closedAt: Date
}

type Day = { from: Date; before: Date }

/** What was recorded at the counter on a day and what was paid out, the first first. */
export async function listBook(
  db: Queryable,
  instituteId: number,
  { from, before, cashier }: Day & { cashier: string | null },
  limit: number,
): Promise<BookRow[]> {
  return db.query<BookRow>(
    `select b.*, s.id as "studentId", s.fullname as "studentName", s.identifier from (
       select d.id, 'payment' as kind, d.student_id, d.recorded_at as "recordedAt", d.paid_at as "paidAt",
         d.recorded_by as cashier, d.mode, d.amount_paise as "amountPaise", d.instrument, d.transaction_id as reference,
         c.financial_year as "financialYear", c.number, d.cancelled_at is not null as "isCancelled",
         c.cancel_reason as "cancelReason", (select coalesce(sum(r.amount_paise), 0)::bigint from direct_refunds r
           where r.institute_id = $1 and r.payment_id = d.id) as "refundedPaise"
       from direct_payments d
       -- The one that stands, else the one that was cancelled last.
       left join lateral (select c.financial_year, c.number, c.cancel_reason from receipts c
         where c.institute_id = $1 and c.direct_payment_id = d.id order by c.cancelled_at desc nulls first limit 1) c on true
       where d.institute_id = $1 and d.recorded_by is not null and d.recorded_at >= $2 and d.recorded_at < $3
       union all
       select r.id, 'refund', d.student_id, r.refunded_at, r.refunded_at, r.refunded_by, r.way, -r.amount_paise, null,
         r.reference, r.financial_year, r.number, false, null, 0
       from direct_refunds r join direct_payments d on d.institute_id = $1 and d.id = r.payment_id
       where r.institute_id = $1 and r.refunded_at >= $2 and r.refunded_at < $3
     ) b join students s on s.institute_id = $1 and s.id = b.student_id
     where $5::text is null or b.cashier = $5
     order by "recordedAt", id limit $4`,
    [instituteId, from, before, limit, cashier],
  )
}

/** Cash of a cashier: what was taken less what was paid out. */
export async function sumCash(
  db: Queryable,
  instituteId: number,
  { from, before, cashier }: Day & { cashier: string },
): Promise<Paise> {
  const [row] = await db.query<{ amountPaise: Paise }>(
    `select (coalesce((select sum(amount_paise) from direct_payments
         where institute_id = $1 and recorded_by = $2 and lower(mode) = 'cash' and cancelled_at is null
           and recorded_at >= $3 and recorded_at < $4), 0)
       - coalesce((select sum(amount_paise) from direct_refunds
         where institute_id = $1 and refunded_by = $2 and way = 'cash' and refunded_at >= $3 and refunded_at < $4), 0)
       )::bigint as "amountPaise"`,
    [instituteId, cashier, from, before],
  )
  return row?.amountPaise ?? (0 as Paise)
}

/** Cash that all cashiers took, as their books have it. */
export async function sumCashTaken(
  db: Queryable,
  instituteId: number,
  { from, before }: Day,
): Promise<Paise> {
  const [row] = await db.query<{ amountPaise: Paise }>(
    `select coalesce(sum(amount_paise), 0)::bigint as "amountPaise" from direct_payments
     where institute_id = $1 and recorded_by is not null and lower(mode) = 'cash' and cancelled_at is null
       and recorded_at >= $2 and recorded_at < $3`,
    [instituteId, from, before],
  )
  return row?.amountPaise ?? (0 as Paise)
}

export async function listClosings(db: Queryable, instituteId: number, day: string): Promise<Closing[]> {
  return db.query<Closing>(
    `select cashier, expected_paise as "expectedPaise", counted_paise as "countedPaise", denominations, note,
       closed_by as "closedBy", closed_at as "closedAt"
     from counter_closings where institute_id = $1 and day = $2 order by cashier, closing_no`,
    [instituteId, day],
  )
}

/** False when another closed the cashier's day at the same moment. */
export async function insertClosing(
  tx: Transaction,
  instituteId: number,
  { day, closingNo }: { day: string; closingNo: number },
  closing: Closing,
): Promise<boolean> {
  const rows = await tx.query(
    `insert into counter_closings (institute_id, day, cashier, closing_no, expected_paise, counted_paise, denominations,
       note, closed_by, closed_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) on conflict do nothing returning 1`,
    [
      instituteId,
      day,
      closing.cashier,
      closingNo,
      closing.expectedPaise,
      closing.countedPaise,
      JSON.stringify(closing.denominations),
      closing.note,
      closing.closedBy,
      closing.closedAt,
    ],
  )
  return rows.length === 1
}

export const DRAWER_ENTRIES = ['float', 'hand_over'] as const
export type DrawerEntry = {
  id: string
  cashier: string
  kind: (typeof DRAWER_ENTRIES)[number]
  amountPaise: Paise
  note: string
  recordedAt: Date
}

export async function listDrawer(db: Queryable, instituteId: number, day: string): Promise<DrawerEntry[]> {
  return db.query<DrawerEntry>(
    `select id, cashier, kind, amount_paise as "amountPaise", note, recorded_at as "recordedAt"
     from counter_drawer_entries where institute_id = $1 and day = $2 order by cashier, id`,
    [instituteId, day],
  )
}

/** Whoever counts or gives on cash of a drawer waits here until the transaction before has ended. */
export async function lockDrawer(tx: Transaction, instituteId: number, cashier: string): Promise<void> {
  await tx.query(`select pg_advisory_xact_lock(hashtextextended('drawer ' || $1::int || ' ' || $2, 0))`, [
    instituteId,
    cashier,
  ])
}

export async function insertDrawerEntry(
  tx: Transaction,
  instituteId: number,
  day: string,
  { id, cashier, kind, amountPaise, note, recordedAt }: DrawerEntry,
): Promise<void> {
  await tx.query(
    `insert into counter_drawer_entries (institute_id, id, day, cashier, kind, amount_paise, note, recorded_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [instituteId, id, day, cashier, kind, amountPaise, note, recordedAt],
  )
}
