import type { Database, Queryable, Transaction } from '../../platform/db/database.ts'
import { findDue, updateDue } from '../../platform/jobs/due-rows.ts'
import type { BankMandate, MandateMove, BankDebit, BankState } from './simulator.rules.ts'
import { institutesOf, isHere, nameRows, type RowKey } from '../../platform/db/query.ts'
import type { Paise } from '../../platform/money.ts'

const COLUMNS = `institute_id as "instituteId", ref, mandate_id as "mandateId", rail, state, cap_paise as "capPaise",
  start_on as "startOn", end_on as "endOn", description, umrn, upi_reference as "upiReference", failure_code as "failureCode",
  is_paused as "isPaused", return_url as "returnUrl"`

/** The mandate under its id, made if it is new. */
export async function openMandate(
  db: Queryable,
  mandate: Omit<BankMandate, 'state' | 'umrn' | 'upiReference' | 'failureCode' | 'isPaused'>,
): Promise<string> {
  await db.query(
    `insert into bank_mandates (institute_id, ref, mandate_id, rail, cap_paise, start_on, end_on, description, return_url)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9) on conflict (institute_id, mandate_id) do nothing`,
    [
      mandate.instituteId,
      mandate.ref,
      mandate.mandateId,
      mandate.rail,
      mandate.capPaise,
      mandate.startOn,
      mandate.endOn,
      mandate.description,
      mandate.returnUrl,
    ],
  )
  const made = await findMandate(db, mandate.instituteId, mandate)
  if (made === null) throw new Error('the bank lost a mandate')
  return made.ref
}

export async function findMandate(
  db: Queryable,
  instituteId: number,
  key: { mandateId: string } | { ref: string },
): Promise<BankMandate | null> {
  const [column, value] = 'mandateId' in key ? ['mandate_id', key.mandateId] : ['ref', key.ref]
  const [row] = await db.query<BankMandate>(
    `select ${COLUMNS} from bank_mandates where institute_id = $1 and ${column} = $2`,
    [instituteId, value],
  )
  return row ?? null
}

export async function lockMandate(
  tx: Transaction,
  instituteId: number,
  ref: string,
): Promise<BankMandate | null> {
  const [row] = await tx.query<BankMandate>(
    `select ${COLUMNS} from bank_mandates where institute_id = $1 and ref = $2 for update`,
    [instituteId, ref],
  )
  return row ?? null
}

export async function moveMandate(
  tx: Transaction,
  { instituteId, ref }: Pick<BankMandate, 'instituteId' | 'ref'>,
  move: MandateMove,
): Promise<void> {
  await tx.query(
    `update bank_mandates set state = $3, umrn = $4, upi_reference = $5, failure_code = $6, confirm_at = $7,
       is_paused = $8
     where institute_id = $1 and ref = $2`,
    [
      instituteId,
      ref,
      move.state,
      move.umrn,
      move.upiReference,
      move.failureCode,
      move.confirmAt,
      move.isPaused,
    ],
  )
}

export async function cancelMandate(
  db: Queryable,
  { instituteId, mandateId }: Pick<BankMandate, 'instituteId' | 'mandateId'>,
): Promise<void> {
  await db.query(
    `update bank_mandates set state = 'cancelled', failure_code = 'merchant_cancelled', confirm_at = null
     where institute_id = $1 and mandate_id = $2 and state in ('open', 'authorised', 'active')`,
    [instituteId, mandateId],
  )
}

const TO_CONFIRM = { table: 'bank_mandates', key: 'ref', where: 'confirm_at <= $1', order: 'confirm_at' }

/** The destination banks decide about what was authorised; answers the mandates as they are then. */
export async function confirmMandates(db: Database, now: Date, limit: number): Promise<BankMandate[]> {
  const set = `confirm_at = null, state = case when failure_code is null then 'active' else 'rejected' end`
  return updateDue(db, TO_CONFIRM, { now, limit }, { set, returning: COLUMNS })
}

/** The debit under its payment's id, made if it is new: one that is presented twice is one debit. */
export async function presentAtBank(
  db: Queryable,
  debit: Pick<BankDebit, 'instituteId' | 'ref' | 'paymentId' | 'amountPaise' | 'mode'> & {
    collectorCode: string
    mandateRef: string
    decideAt: Date
  },
): Promise<string> {
  const values = [debit.instituteId, debit.paymentId]
  const [made] = await db.query<{ ref: string }>(
    `insert into bank_payments (institute_id, payment_id, ref, collector_code, amount_paise, mode, mandate_ref, decide_at,
       state, return_url)
     values ($1, $2, $3, $4, $5, $6, $7, $8, 'pending', '')
     on conflict (institute_id, payment_id) do nothing returning ref`,
    [
      ...values,
      debit.ref,
      debit.collectorCode,
      debit.amountPaise,
      debit.mode,
      debit.mandateRef,
      debit.decideAt,
    ],
  )
  if (made !== undefined) return made.ref
  const [row] = await db.query<{ ref: string }>(
    'select ref from bank_payments where institute_id = $1 and payment_id = $2',
    values,
  )
  if (row === undefined) throw new Error('the bank lost a debit')
  return row.ref
}

const DEBIT = `b.institute_id as "instituteId", b.ref, b.payment_id as "paymentId", b.amount_paise as "amountPaise", b.mode,
  b.state, b.decide_at as "decideAt", b.scripted_code as "scriptedCode", b.script is not null as "hasWaited", b.returned_code is not null as "isReturned",
  m.state as "mandateState", m.is_paused as "isPaused", m.cap_paise as "capPaise", m.start_on as "startOn", m.end_on as "endOn"`

const FROM = `from bank_payments b
  left join bank_mandates m on m.institute_id = b.institute_id and m.ref = b.mandate_ref`

const TO_DECIDE = { table: 'bank_payments', key: 'ref', where: 'decide_at <= $1', order: 'decide_at' }

/** Debits whose moment has come. */
export async function findDueDebits(db: Database, now: Date, limit: number): Promise<RowKey[]> {
  return findDue(db, TO_DECIDE, now, limit)
}

/** Debits come in the order of their moments; what others hold is skipped. */
export async function lockDueDebits(
  tx: Transaction,
  now: Date,
  keys: readonly RowKey[],
): Promise<BankDebit[]> {
  const these = nameRows(keys, 2)
  return tx.query<BankDebit>(
    `select ${DEBIT} ${FROM} where ${these.match('b', 'ref')} and b.decide_at <= $1
     order by b.decide_at for update of b skip locked`,
    [now, ...these.values],
  )
}

export async function lockDebit(
  tx: Transaction,
  instituteId: number,
  ref: string,
): Promise<BankDebit | null> {
  const [row] = await tx.query<BankDebit>(
    `select ${DEBIT} ${FROM} where b.institute_id = $1 and b.ref = $2 and b.mandate_ref is not null for update of b`,
    [instituteId, ref],
  )
  return row ?? null
}

export type DebitMove = Pick<BankDebit, 'instituteId' | 'ref' | 'decideAt' | 'scriptedCode' | 'hasWaited'> & {
  state: BankState
  failureCode: string | null
  transactionId: string | null
  capturedAt: Date | null
  returnedCode: string | null
}

/** Moves debits. One that is taken back stays captured in the books: the return is a refund beside it. */
export async function moveDebits(tx: Transaction, moves: readonly DebitMove[]): Promise<void> {
  await tx.query(
    `update bank_payments b set state = m.state, decide_at = m.decide_at, scripted_code = m.scripted,
       script = case when m.waited then 'waited' end, failure_code = m.failure,
       transaction_id = coalesce(m.transaction, b.transaction_id), captured_at = coalesce(m.captured_at, b.captured_at),
       returned_code = m.returned
     from unnest($1::int[], $2::text[], $3::text[], $4::timestamptz[], $5::text[], $6::boolean[], $7::text[], $8::text[],
       $9::timestamptz[], $10::text[])
       as m (institute_id, ref, state, decide_at, scripted, waited, failure, transaction, captured_at, returned)
     where b.institute_id = m.institute_id and b.institute_id = any ($11::int[]) and b.ref = m.ref`,
    [
      moves.map(move => move.instituteId),
      moves.map(move => move.ref),
      moves.map(move => move.state),
      moves.map(move => move.decideAt),
      moves.map(move => move.scriptedCode),
      moves.map(move => move.hasWaited),
      moves.map(move => move.failureCode),
      moves.map(move => move.transactionId),
      moves.map(move => move.capturedAt),
      moves.map(move => move.returnedCode),
      institutesOf(moves),
    ],
  )
}

type BankReturn = {
  instituteId: number
  ref: string
  refundId: string
  paymentRef: string
  amountPaise: Paise
  at: Date
}

export async function insertReturns(tx: Transaction, returns: readonly BankReturn[]): Promise<void> {
  await tx.query(
    `insert into bank_refunds (institute_id, ref, refund_id, payment_ref, amount_paise, utr, processed_at)
     select r.institute_id, r.ref, r.refund_id, r.payment_ref, r.amount, 'RET' || upper(right(r.ref, 13)), r.at
     from unnest($1::int[], $2::text[], $3::text[], $4::text[], $5::bigint[], $6::timestamptz[])
       as r (institute_id, ref, refund_id, payment_ref, amount, at)`,
    [
      returns.map(one => one.instituteId),
      returns.map(one => one.ref),
      returns.map(one => one.refundId),
      returns.map(one => one.paymentRef),
      returns.map(one => one.amountPaise),
      returns.map(one => one.at),
    ],
  )
}

/** When and why the bank took a debit back; null when it did not. */
export async function findReturn(
  db: Queryable,
  { instituteId, paymentId, refundId }: { instituteId: number; paymentId: string; refundId: string },
): Promise<{ amountPaise: Paise; code: string; returnedAt: Date } | null> {
  const [row] = await db.query<{ amountPaise: Paise; code: string; returnedAt: Date }>(
    `select r.amount_paise as "amountPaise", b.returned_code as code, r.processed_at as "returnedAt"
     from bank_payments b join bank_refunds r on r.institute_id = b.institute_id and r.payment_ref = b.ref
     where b.institute_id = $1 and b.payment_id = $2 and b.returned_code is not null and r.refund_id = $3`,
    [instituteId, paymentId, refundId],
  )
  return row ?? null
}

/** When the bank has to decide about something next. */
export async function nextAtBank(db: Database): Promise<Date | null> {
  const [row] = await db.query<{ at: Date | null }>(
    `select least((select min(decide_at) from bank_payments where decide_at is not null and ${isHere()}),
       (select min(confirm_at) from bank_mandates where confirm_at is not null and ${isHere()})) as at`,
  )
  return row?.at ?? null
}
