import type { Queryable, Transaction } from '../../platform/db/database.ts'
import type { Paise } from '../../platform/money.ts'
import type { Instrument } from '../../students/direct-payments/direct-payments.rules.ts'
import type { DenominationCount } from '../../banking/deposits/denominations.rules.ts'

/** A payment as the cash book has it. */
export type BookRow = {
  id: string
  recordedAt: Date
  paidAt: Date
  cashier: string
  studentId: string
  studentName: string
  identifier: string
  mode: string
  amountPaise: Paise
  instrument: Instrument | null
  reference: string
  financialYear: string | null
  number: number | null
  isCancelled: boolean
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

/** What was recorded at the counter on a day, the first first. */
export async function listBook(
  db: Queryable,
  instituteId: number,
  { from, before }: Day,
  limit: number,
): Promise<BookRow[]> {
  return db.query<BookRow>(
    `select d.id, d.recorded_at as "recordedAt", d.paid_at as "paidAt", d.recorded_by as cashier, s.id as "studentId",
       s.fullname as "studentName", s.identifier, d.mode, d.amount_paise as "amountPaise", d.instrument,
       d.transaction_id as reference, c.financial_year as "financialYear", c.number,
       d.cancelled_at is not null as "isCancelled"
     from direct_payments d
     join students s on s.institute_id = d.institute_id and s.id = d.student_id
     left join receipts c on c.institute_id = d.institute_id and c.direct_payment_id = d.id and c.cancelled_at is null
     where d.institute_id = $1 and d.recorded_by is not null and d.recorded_at >= $2 and d.recorded_at < $3
     order by d.recorded_at, d.id limit $4`,
    [instituteId, from, before, limit],
  )
}

export async function sumCash(
  db: Queryable,
  instituteId: number,
  { from, before, cashier }: Day & { cashier: string },
): Promise<Paise> {
  const [row] = await db.query<{ amountPaise: Paise }>(
    `select coalesce(sum(amount_paise), 0)::bigint as "amountPaise" from direct_payments
     where institute_id = $1 and recorded_by = $2 and lower(mode) = 'cash' and cancelled_at is null
       and recorded_at >= $3 and recorded_at < $4`,
    [instituteId, cashier, from, before],
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
