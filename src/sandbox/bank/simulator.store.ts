import { isHere, commitLater } from '../../platform/db/query.ts'
import type { Database, Queryable, Transaction } from '../../platform/db/database.ts'
import type { Paise } from '../../platform/money.ts'
import type { BankPayment, BankState, BankDispute } from './simulator.rules.ts'
import { Table } from '../../platform/db/table.ts'

const COLUMNS = `institute_id as "instituteId", ref, payment_id as "paymentId", collector_code as "collectorCode",
  amount_paise as "amountPaise", state, mode, failure_code as "failureCode", transaction_id as "transactionId",
  return_url as "returnUrl", mandate_ref as "mandateRef", captured_at as "capturedAt"`

/**
 * The payment under its id, made if it is new: a start that is repeated finds the first. Lost, it takes with it our
 * record that it was started, which is written after it: it never came to the bank, for both of us.
 */
export async function openBankPayment(
  db: Database,
  payment: Omit<BankPayment, 'state' | 'failureCode' | 'transactionId' | 'mandateRef' | 'capturedAt'>,
): Promise<string> {
  const [opened] = await db.query<{ ref: string }>(
    `insert into bank_payments (institute_id, ref, payment_id, collector_code, amount_paise, mode, return_url)
     values ($1, $2, $3, $4, $5, $6, $7) on conflict (institute_id, payment_id) do nothing ${commitLater('ref')}`,
    [
      payment.instituteId,
      payment.ref,
      payment.paymentId,
      payment.collectorCode,
      payment.amountPaise,
      payment.mode,
      payment.returnUrl,
    ],
  )
  if (opened !== undefined) return opened.ref
  const [row] = await db.query<{ ref: string }>(
    'select ref from bank_payments where institute_id = $1 and payment_id = $2',
    [payment.instituteId, payment.paymentId],
  )
  if (row === undefined) throw new Error('the bank lost a payment')
  return row.ref
}

export async function findBankPayment(
  db: Queryable,
  instituteId: number,
  key: { ref: string } | { paymentId: string },
): Promise<BankPayment | null> {
  const [column, value] = 'ref' in key ? ['ref', key.ref] : ['payment_id', key.paymentId]
  const [row] = await db.query<BankPayment>(
    `select ${COLUMNS} from bank_payments where institute_id = $1 and ${column} = $2`,
    [instituteId, value],
  )
  return row ?? null
}

export async function lockBankPayment(
  tx: Transaction,
  instituteId: number,
  ref: string,
): Promise<BankPayment | null> {
  const [row] = await tx.query<BankPayment>(
    `select ${COLUMNS} from bank_payments where institute_id = $1 and ref = $2 for update`,
    [instituteId, ref],
  )
  return row ?? null
}

/** What a payment becomes if it is found in a state. */
export type BankMove = Pick<BankPayment, 'state' | 'failureCode' | 'transactionId' | 'capturedAt'> & {
  from: BankState
}

/**
 * Answers the payment as it is then; null when it is in a state that none of the moves starts from, or is not there.
 * If the bank tells us of it next, our commit of what it told takes the move along, and until then nobody was answered.
 */
export async function moveBankPayment(
  db: Database,
  { instituteId, ref }: Pick<BankPayment, 'instituteId' | 'ref'>,
  { mode, moves, isTold }: { mode: string | undefined; moves: readonly BankMove[]; isTold: boolean },
): Promise<BankPayment | null> {
  const [row] = await db.query<BankPayment>(
    `update bank_payments set state = move.to_state, mode = coalesce($3, mode), failure_code = move.failure,
       transaction_id = move.transaction, captured_at = move.at
     from unnest($4::text[], $5::text[], $6::text[], $7::text[], $8::timestamptz[])
       as move (from_state, to_state, failure, transaction, at)
     where institute_id = $1 and ref = $2 and state = move.from_state
     ${isTold ? commitLater(COLUMNS) : `returning ${COLUMNS}`}`,
    [
      instituteId,
      ref,
      mode ?? null,
      moves.map(move => move.from),
      moves.map(move => move.state),
      moves.map(move => move.failureCode),
      moves.map(move => move.transactionId),
      moves.map(move => move.capturedAt),
    ],
  )
  return row ?? null
}

/** The refund under its id, made if it is new; answers what stands in the books. */
export async function refundAtBank(
  db: Queryable,
  refund: {
    instituteId: number
    ref: string
    refundId: string
    paymentRef: string
    amountPaise: Paise
    utr: string
    at: Date
  },
): Promise<{ ref: string; utr: string; processedAt: Date }> {
  await db.query(
    `insert into bank_refunds (institute_id, ref, refund_id, payment_ref, amount_paise, utr, processed_at)
     values ($1, $2, $3, $4, $5, $6, $7) on conflict (institute_id, refund_id) do nothing`,
    [
      refund.instituteId,
      refund.ref,
      refund.refundId,
      refund.paymentRef,
      refund.amountPaise,
      refund.utr,
      refund.at,
    ],
  )
  const [row] = await db.query<{ ref: string; utr: string; processedAt: Date }>(
    `select ref, utr, processed_at as "processedAt" from bank_refunds where institute_id = $1 and refund_id = $2`,
    [refund.instituteId, refund.refundId],
  )
  if (row === undefined) throw new Error('the bank lost a refund')
  return row
}

/** Institutes of which something was captured, or a dispute lost, before a moment and is in no pay-out. */
export async function findToPayOut(db: Database, before: Date): Promise<{ instituteId: number }[]> {
  return await db.query(
    `select institute_id as "instituteId" from bank_payments
     where state = 'captured' and settlement_utr is null and captured_at < $1 and ${isHere()}
     union
     select institute_id from bank_disputes
     where state = 'lost' and settlement_utr is null and closed_at < $1 and ${isHere()}`,
    [before],
  )
}

/**
 * Pays out to every branch of an institute what was captured before a moment, less refunds and lost disputes: one UTR each,
 * and one for each linked account that a part of it belongs to.
 */
export async function payOut(
  tx: Transaction,
  { before, at, instituteId }: { before: Date; at: Date; instituteId: number },
): Promise<number> {
  // One statement over everything that is due may take longer than one that a request waits for.
  await tx.query(`set local statement_timeout = '300s'`)
  const rows = await tx.query<{ count: number }>(
    `with due as (
       select institute_id, ref, collector_code from bank_payments
       where state = 'captured' and settlement_utr is null and captured_at < $1 and institute_id = $3
     ), lost as (
       select d.institute_id, d.ref, b.collector_code
       from bank_disputes d join bank_payments b on b.institute_id = d.institute_id and b.ref = d.payment_ref
       where d.institute_id = $3 and b.institute_id = $3 and d.state = 'lost' and d.settlement_utr is null and d.closed_at < $1
     ), part as (
       select s.institute_id, s.our_id, s.linked_id, d.collector_code
       from due d join bank_payments b on b.institute_id = d.institute_id and b.ref = d.ref
       join bank_splits s on s.institute_id = b.institute_id and s.kind = 'payment' and s.our_id = b.payment_id
       where b.institute_id = $3 and s.institute_id = $3
     ), paid_out as (
       insert into bank_settlements (institute_id, utr, collector_code, linked_id, settled_at)
       select institute_id, 'SBX' || upper(substr(md5(random()::text || institute_id || collector_code), 1, 13)), collector_code,
         linked_id, $2
       from (select institute_id, collector_code, null::text as linked_id from due
         union select institute_id, collector_code, null from lost
         union select institute_id, collector_code, linked_id from part) branch
       returning institute_id, collector_code, linked_id, utr
     ), pay_out as (
       select institute_id, collector_code, utr from paid_out where linked_id is null
     ), parts_paid as (
       update bank_splits s set settlement_utr = p.utr
       from part t join paid_out p on p.collector_code = t.collector_code and p.linked_id = t.linked_id
       where s.institute_id = $3 and s.kind = 'payment' and s.our_id = t.our_id and s.linked_id = t.linked_id returning 1
     ), parts_refunded as (
       update bank_splits s set settlement_utr = p.utr
       from bank_refunds r join bank_payments b on b.institute_id = r.institute_id and b.ref = r.payment_ref
       join paid_out p on p.collector_code = b.collector_code
       where s.institute_id = $3 and r.institute_id = $3 and b.institute_id = $3 and s.kind = 'refund' and s.our_id = r.refund_id
         and s.linked_id = p.linked_id and s.settlement_utr is null and r.processed_at <= $2 returning 1
     ), paid as (
       update bank_payments b set settlement_utr = p.utr from due d join pay_out p using (institute_id, collector_code)
       where b.institute_id = $3 and b.institute_id = d.institute_id and b.ref = d.ref and b.settlement_utr is null returning 1
     ), refunded as (
       update bank_refunds r set settlement_utr = p.utr
       from bank_payments b join pay_out p using (institute_id, collector_code)
       where r.institute_id = $3 and b.institute_id = $3 and b.institute_id = r.institute_id and b.ref = r.payment_ref and r.settlement_utr is null and r.processed_at <= $2
       returning 1
     ), disputed as (
       update bank_disputes d set settlement_utr = p.utr from lost l join pay_out p using (institute_id, collector_code)
       where d.institute_id = $3 and d.institute_id = l.institute_id and d.ref = l.ref returning 1
     )
     select count(*) from paid`,
    [before, at, instituteId],
  )
  return rows[0]?.count ?? 0
}

export async function listPayOuts(
  db: Queryable,
  from: Date,
  to: Date,
): Promise<{ instituteId: number; utr: string; settledAt: Date; linkedId: string | null }[]> {
  return db.query(
    `select institute_id as "instituteId", utr, settled_at as "settledAt", linked_id as "linkedId" from bank_settlements
     where settled_at >= $1 and settled_at < $2 and ${isHere()} order by settled_at, utr`,
    [from, to],
  )
}

export type PayOutItem = {
  /** A dispute has the payment's id as `ourId`. */
  kind: 'payment' | 'refund' | 'dispute'
  ourId: string
  ref: string
  amountPaise: Paise
  /** What the bank takes its fee of: the whole payment, where it pays out its own part. */
  feeOnPaise: Paise
  mode: string
}

const LINKED = (kind: 'payment' | 'refund', ourId: string): string =>
  `(select coalesce(sum(s.amount_paise), 0)::bigint from bank_splits s where s.institute_id = $1 and s.kind = '${kind}' and s.our_id = ${ourId})`

/** A pay-out's items in slices: a large one is never in memory whole. */
export async function listPayOutItems(
  db: Queryable,
  instituteId: number,
  utr: string,
  page: { after: string; limit: number },
): Promise<PayOutItem[]> {
  return db.query(
    `select * from (
       (select 'payment' as kind, payment_id as "ourId", ref, amount_paise - ${LINKED('payment', 'payment_id')} as "amountPaise",
          amount_paise as "feeOnPaise", mode from bank_payments
        where institute_id = $1 and settlement_utr = $2 and ref > $3 order by ref limit $4)
       union all
       (select 'refund', r.refund_id, r.ref, r.amount_paise - ${LINKED('refund', 'r.refund_id')}, 0, b.mode
        from bank_refunds r join bank_payments b on b.institute_id = r.institute_id and b.ref = r.payment_ref
        where r.institute_id = $1 and r.settlement_utr = $2 and r.ref > $3 order by r.ref limit $4)
       union all
       (select s.kind, s.our_id, s.our_id, s.amount_paise, 0, '' from bank_splits s
        where s.institute_id = $1 and s.settlement_utr = $2 and s.our_id > $3 order by s.our_id limit $4)
       union all
       (select 'dispute', b.payment_id, d.ref, d.amount_paise, 0, b.mode
        from bank_disputes d join bank_payments b on b.institute_id = d.institute_id and b.ref = d.payment_ref
        where d.institute_id = $1 and d.settlement_utr = $2 and d.ref > $3 order by d.ref limit $4)
     ) item order by ref limit $4`,
    [instituteId, utr, page.after, page.limit],
  )
}

const disputes = new Table<BankDispute>('bank_disputes', {
  instituteId: 'int',
  ref: 'text',
  paymentRef: 'text',
  amountPaise: 'bigint',
  state: 'text',
  reasonCode: 'text',
  respondBy: 'timestamptz',
  openedAt: 'timestamptz',
  closedAt: 'timestamptz',
})

export async function putBankDispute(tx: Transaction, dispute: BankDispute): Promise<void> {
  await disputes.insert(tx, [dispute], {
    onConflict: `on conflict (institute_id, ref) do update set ${disputes.excluded(['state', 'closedAt'])}`,
  })
}

/** Oldest first. */
export async function listBankDisputes(
  db: Queryable,
  instituteId: number,
  paymentRef: string,
): Promise<BankDispute[]> {
  return db.query<BankDispute>(
    `select ${disputes.columns('d')} from bank_disputes d where d.institute_id = $1 and d.payment_ref = $2
     order by d.opened_at, d.ref`,
    [instituteId, paymentRef],
  )
}
