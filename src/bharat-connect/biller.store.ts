import type { Queryable, Transaction } from '../platform/db/database.ts'
import { isHere } from '../platform/db/query.ts'
import { Table } from '../platform/db/table.ts'
import type { Paise } from '../platform/money.ts'
import type { Tries } from '../platform/rate-limits.rules.ts'
import type { SecondIdentifier } from './biller-port.ts'
import type { AmountRule, PaidOutBill } from './bills.rules.ts'

/** A school as a biller, without what its unit signs with. */
export type Biller = {
  instituteId: number
  unit: string
  isOn: boolean
  secondIdentifier: SecondIdentifier
  amountRule: AmountRule
  heardAt: Date | null
  changedAt: Date
  changedBy: string
}

export type SealedBiller = Biller & { credentialsSealed: Buffer }

const billers = new Table<SealedBiller>('billers', {
  instituteId: 'int',
  unit: 'text',
  isOn: 'boolean',
  secondIdentifier: 'text',
  amountRule: 'text',
  credentialsSealed: 'bytea',
  heardAt: 'timestamptz',
  changedAt: 'timestamptz',
  changedBy: 'text',
})

export async function findBiller(db: Queryable, instituteId: number): Promise<SealedBiller | null> {
  const [row] = await db.query<SealedBiller>(
    `select ${billers.columns('b')} from billers b where b.institute_id = $1`,
    [instituteId],
  )
  return row ?? null
}

export async function writeBiller(tx: Transaction, biller: SealedBiller): Promise<void> {
  const changing = [
    'unit',
    'isOn',
    'secondIdentifier',
    'amountRule',
    'credentialsSealed',
    'changedAt',
    'changedBy',
  ] as const
  await billers.insert(tx, [biller], {
    onConflict: `on conflict (institute_id) do update set ${billers.excluded(changing)}`,
  })
}

/** Written once a minute at most. */
export async function recordHeard(db: Queryable, instituteId: number, at: Date): Promise<void> {
  await db.query(
    `update billers set heard_at = $2
     where institute_id = $1 and (heard_at is null or heard_at < $2::timestamptz - interval '1 minute')`,
    [instituteId, at],
  )
}

export type BillRow = {
  instituteId: number
  id: string
  studentId: string
  amountPaise: Paise
  madeAt: Date
  paidAt: Date | null
}

const bills = new Table<BillRow>('bills', {
  instituteId: 'int',
  id: 'text',
  studentId: 'text',
  amountPaise: 'bigint',
  madeAt: 'timestamptz',
  paidAt: 'timestamptz',
})

export async function insertBill(db: Queryable, bill: BillRow): Promise<void> {
  await bills.insert(db, [bill])
}

export async function findBill(db: Queryable, instituteId: number, id: string): Promise<BillRow | null> {
  const [row] = await db.query<BillRow>(
    `select ${bills.columns('b')} from bills b where b.institute_id = $1 and b.id = $2`,
    [instituteId, id],
  )
  return row ?? null
}

/** The last bill of a student. */
export async function findLastBill(
  db: Queryable,
  instituteId: number,
  studentId: string,
): Promise<BillRow | null> {
  const [row] = await db.query<BillRow>(
    `select ${bills.columns('b')} from bills b where b.institute_id = $1 and b.student_id = $2
     order by b.made_at desc limit 1`,
    [instituteId, studentId],
  )
  return row ?? null
}

export async function setPaid(tx: Transaction, { instituteId, id }: BillRow, at: Date): Promise<void> {
  await tx.query('update bills set paid_at = $3 where institute_id = $1 and id = $2 and paid_at is null', [
    instituteId,
    id,
    at,
  ])
}

type GuessKey = { instituteId: number; identifier: string }

/** Held until the commit, so that tries at the same moment are counted one after the other. */
export async function lockGuesses(
  tx: Transaction,
  { instituteId, identifier }: GuessKey,
): Promise<Tries | null> {
  const lock = `bursar bill guesses ${instituteId} ${identifier}`
  await tx.query('select pg_advisory_xact_lock(hashtext($1))', [lock])
  const [row] = await tx.query<Tries>(
    `select failures, last_at as "lastAt", blocked_until as "blockedUntil" from bill_guesses
     where institute_id = $1 and identifier = $2`,
    [instituteId, identifier],
  )
  return row ?? null
}

const guesses = new Table<GuessKey & Tries>('bill_guesses', {
  instituteId: 'int',
  identifier: 'text',
  failures: 'int',
  lastAt: 'timestamptz',
  blockedUntil: 'timestamptz',
})

export async function writeGuesses(tx: Transaction, known: GuessKey & Tries): Promise<void> {
  await guesses.insert(tx, [known], {
    onConflict: `on conflict (institute_id, identifier) do update set ${guesses.excluded(['failures', 'lastAt', 'blockedUntil'])}`,
  })
}

export async function clearGuesses(db: Queryable, { instituteId, identifier }: GuessKey): Promise<void> {
  await db.query('delete from bill_guesses where institute_id = $1 and identifier = $2', [
    instituteId,
    identifier,
  ])
}

/** Money that an app took, and the payment that it was booked as. */
export type BillPayment = {
  instituteId: number
  reference: string
  unit: string
  unitBillId: string
  providerRef: string
  billId: string
  paymentId: string
  amountPaise: Paise
  instrument: string | null
  paidAt: Date
  receivedAt: Date
}

const billPayments = new Table<BillPayment>('bill_payments', {
  instituteId: 'int',
  reference: 'text',
  unit: 'text',
  unitBillId: 'text',
  providerRef: 'text',
  billId: 'text',
  paymentId: 'text',
  amountPaise: 'bigint',
  instrument: 'text',
  paidAt: 'timestamptz',
  receivedAt: 'timestamptz',
})

export async function insertPayment(tx: Transaction, payment: BillPayment): Promise<void> {
  await billPayments.insert(tx, [payment])
}

export async function findPayment(
  db: Queryable,
  { instituteId, ...by }: { instituteId: number } & ({ reference: string } | { paymentId: string }),
): Promise<BillPayment | null> {
  const [column, value] = 'reference' in by ? ['reference', by.reference] : ['payment_id', by.paymentId]
  const [row] = await db.query<BillPayment>(
    `select ${billPayments.columns('p')} from bill_payments p where p.institute_id = $1 and p.${column} = $2`,
    [instituteId, value],
  )
  return row ?? null
}

/** The payments of these bills, by the unit's names for them. */
export async function listOfUnit(
  db: Queryable,
  instituteId: number,
  unitBillIds: readonly string[],
): Promise<PaidOutBill[]> {
  return db.query<PaidOutBill>(
    `select b.unit_bill_id as "unitBillId", b.payment_id as "paymentId", b.provider_ref as "providerRef",
       b.amount_paise as "amountPaise", p.settlement_id is not null as "isSettled"
     from bill_payments b join payments p on p.institute_id = b.institute_id and p.id = b.payment_id
     where b.institute_id = $1 and b.unit_bill_id = any ($2) order by b.received_at, b.reference`,
    [instituteId, unitBillIds],
  )
}

export type PayOut = {
  instituteId: number
  noticeId: string
  unit: string
  utr: string
  amountPaise: Paise
  unitBillIds: readonly string[]
  settledAt: Date
  receivedAt: Date
}

const payOuts = new Table<PayOut>('bill_pay_outs', {
  instituteId: 'int',
  noticeId: 'text',
  unit: 'text',
  utr: 'text',
  amountPaise: 'bigint',
  unitBillIds: 'text[]',
  settledAt: 'timestamptz',
  receivedAt: 'timestamptz',
})

/** Told again, it is kept once. */
export async function insertPayOuts(tx: Transaction, told: readonly PayOut[]): Promise<void> {
  await payOuts.insert(tx, told, { onConflict: 'on conflict (institute_id, notice_id) do nothing' })
}

type Span = { from: Date; before: Date }

/** The pay-outs of all schools, or of one, in the order in which they were made. */
export async function listPayOuts(
  db: Queryable,
  { from, before }: Span,
  instituteId: number | null,
): Promise<PayOut[]> {
  return db.query<PayOut>(
    `select ${payOuts.columns('o')} from bill_pay_outs o
     where o.settled_at >= $1 and o.settled_at < $2 and ($3::int is null or o.institute_id = $3) and ${isHere('o.institute_id')}
     order by o.settled_at, o.notice_id`,
    [from, before, instituteId],
  )
}

/** When pay-outs were made that name this bill. */
export async function listPayOutsOf(db: Queryable, instituteId: number, unitBillId: string): Promise<Date[]> {
  const rows = await db.query<{ at: Date }>(
    'select settled_at as at from bill_pay_outs where institute_id = $1 and $2 = any (unit_bill_ids)',
    [instituteId, unitBillId],
  )
  return rows.map(({ at }) => at)
}

/** Money that the office sends back by itself. */
export type BillRefund = {
  instituteId: number
  refundId: string
  amountPaise: Paise
  askedAt: Date
  utr: string | null
  paidAt: Date | null
}

const refunds = new Table<BillRefund>('bill_refunds', {
  instituteId: 'int',
  refundId: 'text',
  amountPaise: 'bigint',
  askedAt: 'timestamptz',
  utr: 'text',
  paidAt: 'timestamptz',
})

/** The refund as it stands; it is put on the office's list when it is first asked for. */
export async function askForRefund(db: Queryable, refund: BillRefund): Promise<BillRefund> {
  const { instituteId, refundId } = refund
  await refunds.insert(db, [refund], { onConflict: 'on conflict (institute_id, refund_id) do nothing' })
  return (await findRefund(db, instituteId, refundId)) ?? refund
}

export async function findRefund(
  db: Queryable,
  instituteId: number,
  refundId: string,
): Promise<BillRefund | null> {
  const [row] = await db.query<BillRefund>(
    `select ${refunds.columns('r')} from bill_refunds r where r.institute_id = $1 and r.refund_id = $2`,
    [instituteId, refundId],
  )
  return row ?? null
}

/** False when it has been paid meanwhile. */
export async function setRefundPaid(
  tx: Transaction,
  { instituteId, refundId }: { instituteId: number; refundId: string },
  { utr, paidAt }: { utr: string; paidAt: Date },
): Promise<boolean> {
  const rows = await tx.query(
    `update bill_refunds set utr = $3, paid_at = $4 where institute_id = $1 and refund_id = $2 and utr is null
     returning refund_id`,
    [instituteId, refundId, utr, paidAt],
  )
  return rows.length === 1
}

/** Refunds that the office has not transferred yet, the oldest first. */
export async function listUnpaidRefunds(
  db: Queryable,
  instituteId: number,
): Promise<
  (BillRefund & {
    paymentId: string
    orderId: string
    studentName: string | null
    payerName: string
    payerPhone: string
  })[]
> {
  return db.query(
    `select ${refunds.columns('r')}, f.payment_id as "paymentId", f.order_id as "orderId", o.student_name as "studentName",
       o.name as "payerName", o.phone as "payerPhone"
     from bill_refunds r join refunds f on f.institute_id = r.institute_id and f.id = r.refund_id
     join orders o on o.institute_id = f.institute_id and o.id = f.order_id
     where r.institute_id = $1 and r.utr is null and f.state = 'pending' order by r.asked_at, r.refund_id limit 200`,
    [instituteId],
  )
}

/** What the office paid back, of all schools or of one. */
export async function listPaidRefunds(
  db: Queryable,
  { from, before }: Span,
  instituteId: number | null,
): Promise<(BillRefund & { utr: string; paidAt: Date })[]> {
  return db.query(
    `select ${refunds.columns('r')} from bill_refunds r
     where r.paid_at >= $1 and r.paid_at < $2 and ($3::int is null or r.institute_id = $3) and ${isHere('r.institute_id')}
     order by r.paid_at, r.refund_id`,
    [from, before, instituteId],
  )
}
