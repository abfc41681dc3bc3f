import type { Queryable, Transaction } from '../platform/db.ts'
import type { Payment, PaymentState } from './payments.rules.ts'

const COLUMNS = `institute_id as "instituteId", id, order_id as "orderId", provider, state, amount_paise as "amountPaise", mode,
  provider_ref as "providerRef", redirect_url as "redirectUrl", transaction_id as "transactionId",
  failure_code as "failureCode", failure_message as "failureMessage", is_duplicate as "isDuplicate",
  created_at as "createdAt", captured_at as "capturedAt", settlement_id as "settlementId", checks`

/** False when the order has a payment under way already. */
export async function insertPayment(tx: Transaction, payment: Payment, nextCheckAt: Date): Promise<boolean> {
  const rows = await tx.query(
    `insert into payments (institute_id, id, order_id, provider, amount_paise, mode, created_at, next_check_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8)
     on conflict (institute_id, order_id) where state in ('created', 'pending') do nothing returning 1`,
    [
      payment.instituteId,
      payment.id,
      payment.orderId,
      payment.provider,
      payment.amountPaise,
      payment.mode,
      payment.createdAt,
      nextCheckAt,
    ],
  )
  return rows.length === 1
}

export async function recordStarted(
  db: Queryable,
  payment: Pick<Payment, 'instituteId' | 'id'>,
  started: { providerRef: string; redirectUrl: string },
): Promise<void> {
  await db.query(
    'update payments set provider_ref = $3, redirect_url = $4 where institute_id = $1 and id = $2',
    [payment.instituteId, payment.id, started.providerRef, started.redirectUrl],
  )
}

export async function lockPayment(tx: Transaction, instituteId: number, id: string): Promise<Payment | null> {
  const [row] = await tx.query<Payment>(
    `select ${COLUMNS} from payments where institute_id = $1 and id = $2 for update`,
    [instituteId, id],
  )
  return row ?? null
}

export async function findPayment(db: Queryable, instituteId: number, id: string): Promise<Payment | null> {
  const [row] = await db.query<Payment>(
    `select ${COLUMNS} from payments where institute_id = $1 and id = $2`,
    [instituteId, id],
  )
  return row ?? null
}

/** Newest first. */
export async function listPayments(db: Queryable, instituteId: number, orderId: string): Promise<Payment[]> {
  return db.query<Payment>(
    `select ${COLUMNS} from payments where institute_id = $1 and order_id = $2 order by created_at desc, id desc`,
    [instituteId, orderId],
  )
}

/** The payment that pays the order, as opposed to a duplicate of it. */
export async function lockPaying(
  tx: Transaction,
  instituteId: number,
  orderId: string,
): Promise<Payment | null> {
  const [row] = await tx.query<Payment>(
    `select ${COLUMNS} from payments
     where institute_id = $1 and order_id = $2 and state = 'captured' and not is_duplicate for update`,
    [instituteId, orderId],
  )
  return row ?? null
}

export type PaymentMove = {
  state: PaymentState
  mode?: string
  transactionId?: string
  capturedAt?: Date
  settleDueOn?: string
  isDuplicate?: boolean
  failure?: { code: string; message: string }
  nextCheckAt: Date | null
}

export async function movePayment(tx: Transaction, payment: Payment, move: PaymentMove): Promise<void> {
  await tx.query(
    `update payments set state = $3, mode = coalesce($4, mode), transaction_id = coalesce($5, transaction_id),
       captured_at = $6, settle_due_on = $7, is_duplicate = $8, failure_code = $9, failure_message = $10, next_check_at = $11,
       provider_ref = coalesce(provider_ref, $12)
     where institute_id = $1 and id = $2`,
    [
      payment.instituteId,
      payment.id,
      move.state,
      move.mode ?? null,
      move.transactionId ?? null,
      move.capturedAt ?? null,
      move.settleDueOn ?? null,
      move.isDuplicate ?? false,
      move.failure?.code ?? null,
      move.failure?.message ?? null,
      move.nextCheckAt,
      payment.providerRef,
    ],
  )
}

/** Takes payments that are due to be asked about and pushes their next question away: that is the lease. */
export async function claimToCheck(db: Queryable, now: Date, until: Date, limit: number): Promise<Payment[]> {
  return db.query<Payment>(
    `update payments set next_check_at = $2, checks = checks + 1
     where (institute_id, id) in (
       select institute_id, id from payments where next_check_at <= $1
       order by next_check_at limit $3 for update skip locked)
     returning ${COLUMNS}`,
    [now, until, limit],
  )
}

export async function setNextCheck(db: Queryable, payment: Payment, at: Date | null): Promise<void> {
  await db.query(
    'update payments set next_check_at = $3 where institute_id = $1 and id = $2 and next_check_at is not null',
    [payment.instituteId, payment.id, at],
  )
}

export async function nextCheckDue(db: Queryable): Promise<Date | null> {
  const [row] = await db.query<{ at: Date | null }>(
    'select min(next_check_at) as at from payments where next_check_at is not null',
  )
  return row?.at ?? null
}

export async function readHolidays(db: Queryable): Promise<Set<string>> {
  const rows = await db.query<{ day: string }>('select day from holidays')
  return new Set(rows.map(row => row.day))
}
