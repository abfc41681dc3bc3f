import type { Queryable, Transaction } from '../platform/db/database.ts'
import { leasedRows } from '../platform/jobs/leased-rows.ts'
import type { Application, Emi, LoanFile, LoanState, RecordedPayOut, Tranche } from './loans.rules.ts'

export type LoanKey = { instituteId: number; applicationId: string }

const COLUMNS = `institute_id as "instituteId", id, student_id as "studentId", collector_code as "collectorCode", lender,
  lender_ref as "lenderRef", lender_url as "lenderUrl", state, asked_paise as "askedPaise", amount_paise as "amountPaise",
  reason, created_at as "createdAt", sent_at as "sentAt", filled_at as "filledAt", approved_at as "approvedAt",
  signed_at as "signedAt", ended_at as "endedAt", expires_at as "expiresAt", ending, next_check_at as "nextCheckAt", checks`

/** False when the student has an open application. */
export async function insertApplication(tx: Transaction, application: Application): Promise<boolean> {
  const rows = await tx.query(
    `insert into cred_applications (institute_id, id, student_id, collector_code, lender, state, asked_paise, amount_paise,
       created_at, expires_at, next_check_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
     on conflict (institute_id, student_id) where state in ('started', 'filled', 'final_approved', 'agreement_signed')
     do nothing returning 1`,
    [
      application.instituteId,
      application.id,
      application.studentId,
      application.collectorCode,
      application.lender,
      application.state,
      application.askedPaise,
      application.amountPaise,
      application.createdAt,
      application.expiresAt,
      application.nextCheckAt,
    ],
  )
  return rows.length === 1
}

/** The student's open application; a unique index allows only one. */
export async function findLive(
  db: Queryable,
  instituteId: number,
  studentId: string,
): Promise<Application | null> {
  const [row] = await db.query<Application>(
    `select ${COLUMNS} from cred_applications where institute_id = $1 and student_id = $2
       and state in ('started', 'filled', 'final_approved', 'agreement_signed')`,
    [instituteId, studentId],
  )
  return row ?? null
}

export async function findApplication(
  db: Queryable,
  { instituteId, applicationId }: LoanKey,
): Promise<Application | null> {
  const [row] = await db.query<Application>(
    `select ${COLUMNS} from cred_applications where institute_id = $1 and id = $2`,
    [instituteId, applicationId],
  )
  return row ?? null
}

/** Every change to a loan locks its application first. */
export async function lockFile(tx: Transaction, key: LoanKey): Promise<LoanFile | null> {
  const rows = await tx.query(
    'select 1 from cred_applications where institute_id = $1 and id = $2 for update',
    [key.instituteId, key.applicationId],
  )
  return rows.length === 0 ? null : readFile(tx, key)
}

/** An application with its tranches, pay-outs and EMIs. */
export async function readFile(db: Queryable, key: LoanKey): Promise<LoanFile | null> {
  const application = await findApplication(db, key)
  if (application === null) return null
  const values = [key.instituteId, key.applicationId]
  const of = 'where institute_id = $1 and application_id = $2'
  const tranches = await db.query<Tranche>(
    `select id, number, lender_ref as "lenderRef", state, planned_on as "plannedOn", amount_paise as "amountPaise",
       disbursed_paise as "disbursedPaise", settlement_utr as "settlementUtr", failure
     from cred_tranches ${of} order by planned_on, number`,
    values,
  )
  const payOuts = await db.query<RecordedPayOut>(
    `select number, tranche_id as "trancheId", order_id as "orderId", payment_id as "paymentId",
       amount_paise as "amountPaise", reference, paid_out_at as "paidOutAt" from cred_pay_outs ${of} order by number`,
    values,
  )
  const emis = await db.query<Emi>(
    `select id, lender_ref as "lenderRef", due_on as "dueOn", paid_at as "paidAt", amount_paise as "amountPaise"
     from cred_emis ${of} order by paid_at, id`,
    values,
  )
  return { application, tranches, payOuts, emis }
}

/** Writes all mutable columns. */
export async function writeApplication(tx: Transaction, application: Application): Promise<void> {
  await tx.query(
    `update cred_applications set state = $3, amount_paise = $4, reason = $5, lender_ref = $6, lender_url = $7, sent_at = $8,
       filled_at = $9, approved_at = $10, signed_at = $11, ended_at = $12, expires_at = $13, ending = $14,
       next_check_at = $15, checks = $16
     where institute_id = $1 and id = $2`,
    [
      application.instituteId,
      application.id,
      application.state,
      application.amountPaise,
      application.reason,
      application.lenderRef,
      application.lenderUrl,
      application.sentAt,
      application.filledAt,
      application.approvedAt,
      application.signedAt,
      application.endedAt,
      application.expiresAt,
      application.ending,
      application.nextCheckAt,
      application.checks,
    ],
  )
}

export async function writeTranche(tx: Transaction, key: LoanKey, tranche: Tranche): Promise<void> {
  await tx.query(
    `insert into cred_tranches (institute_id, application_id, id, number, lender_ref, state, planned_on, amount_paise,
       disbursed_paise, settlement_utr, failure)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
     on conflict (institute_id, id) do update set state = excluded.state, planned_on = excluded.planned_on,
       amount_paise = excluded.amount_paise, disbursed_paise = excluded.disbursed_paise,
       settlement_utr = excluded.settlement_utr, failure = excluded.failure`,
    [
      key.instituteId,
      key.applicationId,
      tranche.id,
      tranche.number,
      tranche.lenderRef,
      tranche.state,
      tranche.plannedOn,
      tranche.amountPaise,
      tranche.disbursedPaise,
      tranche.settlementUtr,
      tranche.failure,
    ],
  )
}

export async function insertPayOut(tx: Transaction, key: LoanKey, payOut: RecordedPayOut): Promise<void> {
  await tx.query(
    `insert into cred_pay_outs (institute_id, application_id, number, tranche_id, order_id, payment_id, amount_paise,
       reference, paid_out_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [
      key.instituteId,
      key.applicationId,
      payOut.number,
      payOut.trancheId,
      payOut.orderId,
      payOut.paymentId,
      payOut.amountPaise,
      payOut.reference,
      payOut.paidOutAt,
    ],
  )
}

export async function insertEmi(tx: Transaction, key: LoanKey, emi: Emi): Promise<void> {
  await tx.query(
    `insert into cred_emis (institute_id, application_id, id, lender_ref, due_on, paid_at, amount_paise)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    [key.instituteId, key.applicationId, emi.id, emi.lenderRef, emi.dueOn, emi.paidAt, emi.amountPaise],
  )
}

/** The loans that these orders are pay-outs of, sorted so that concurrent lockers cannot deadlock. */
export async function findByOrders(
  tx: Transaction,
  instituteId: number,
  orderIds: readonly string[],
): Promise<{ applicationId: string; orderId: string; trancheId: string; number: number }[]> {
  return tx.query(
    `select application_id as "applicationId", order_id as "orderId", tranche_id as "trancheId", number
     from cred_pay_outs where institute_id = $1 and order_id = any($2) order by application_id, number`,
    [instituteId, orderIds],
  )
}

export type LoanFilter = {
  studentId?: string | undefined
  status?: LoanState | undefined
  collectorCode?: string | undefined
  createdFrom?: Date | undefined
  createdBefore?: Date | undefined
  cursor?: string | undefined
}

/** Newest first; ids sort by creation, so the cursor is the id of the last row of a page. */
export async function listApplications(
  db: Queryable,
  instituteId: number,
  filter: LoanFilter,
  limit: number,
): Promise<Application[]> {
  const values: unknown[] = [instituteId]
  const where = ['institute_id = $1']
  const add = (value: unknown, condition: string): void => {
    if (value !== undefined) where.push(`${condition} $${values.push(value)}`)
  }
  add(filter.studentId, 'student_id =')
  add(filter.status, 'state =')
  add(filter.collectorCode, 'collector_code =')
  add(filter.createdFrom, 'created_at >=')
  add(filter.createdBefore, 'created_at <')
  add(filter.cursor, 'id <')
  return db.query<Application>(
    `select ${COLUMNS} from cred_applications where ${where.join(' and ')}
     order by id desc limit $${values.push(limit)}`,
    values,
  )
}

/** Applications due for a status check at the lender. */
export const toCheck = leasedRows<Application>({
  table: 'cred_applications',
  dueAt: 'next_check_at',
  attempts: 'checks',
  columns: COLUMNS,
})

export async function nextExpiry(db: Queryable, after: Date): Promise<Date | null> {
  const [row] = await db.query<{ at: Date | null }>(
    `select min(expires_at) as at from cred_applications
     where state in ('started', 'filled', 'final_approved') and expires_at > $1`,
    [after],
  )
  return row?.at ?? null
}
