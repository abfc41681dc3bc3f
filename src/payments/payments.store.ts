import { nextNumber, type ReceiptKey } from '../receipts/receipts.rules.ts'
import { isHere, commitLater } from '../platform/db/query.ts'
import type { OrderKind, OrderState } from '../orders/orders.rules.ts'
import type { Database, Queryable, Transaction } from '../platform/db/database.ts'
import { Table } from '../platform/db/table.ts'
import type { Paise } from '../platform/money.ts'
import { leasedRows } from '../platform/jobs/due-rows.ts'
import type { Payment, PaymentState } from './payments.rules.ts'
import type { PaymentPart } from './settlements/settlements.rules.ts'

export const payments = new Table<Payment>('payments', {
  instituteId: 'int',
  id: 'text',
  orderId: 'text',
  groupId: 'text',
  provider: 'text',
  accountId: 'text',
  state: 'text',
  amountPaise: 'bigint',
  mode: 'text',
  providerRef: 'text',
  redirectUrl: 'text',
  transactionId: 'text',
  failureCode: 'text',
  failureMessage: 'text',
  isDuplicate: 'boolean',
  createdAt: 'timestamptz',
  capturedAt: 'timestamptz',
  settlementId: 'text',
  isSplit: 'boolean',
  checks: 'int',
})

const COLUMNS = payments.columns('payments')

/**
 * False when the order has a payment under way already, or is no longer in the state in which this one was thought
 * of. The order's lock waits for a transaction that is moving it, so that none slips in beside a capture.
 */
export async function insertPayment(
  db: Queryable,
  payment: Payment,
  { orderState, nextCheckAt }: { orderState: OrderState; nextCheckAt: Date },
): Promise<boolean> {
  const rows = await db.query(
    `insert into payments (institute_id, id, order_id, provider, account_id, amount_paise, mode, created_at, next_check_at)
     select o.institute_id, $2, o.id, $4, $10, $5, $6, $7, $8
     from orders o where o.institute_id = $1 and o.id = $3 and o.state = $9 for update
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
      orderState,
      payment.accountId,
    ],
  )
  return rows.length === 1
}

/** If this write is lost, the next start asks the provider again under the same id, or the reconciler does. */
export async function recordStarted(
  db: Database,
  payment: Pick<Payment, 'instituteId' | 'id' | 'groupId'>,
  started: { providerRef: string; redirectUrl: string },
): Promise<void> {
  await db.query(
    `update payments set provider_ref = $3, redirect_url = $4
     where institute_id = $1 and ${payment.groupId === null ? 'id' : 'group_id'} = $2 ${commitLater()}`,
    [payment.instituteId, payment.groupId ?? payment.id, started.providerRef, started.redirectUrl],
  )
}

export type LockedPayment = { payment: Payment; order: { state: OrderState; kind: OrderKind } }

/**
 * Locks all payments that a provider knows under one id, with their orders. Orders are locked first, as everywhere: the
 * join has no row before the order's lock is held. Rows come by student, so that callers lock students in the same order.
 */
export async function lockWithOrders(
  tx: Transaction,
  instituteId: number,
  id: string,
): Promise<LockedPayment[]> {
  return readByProviderId(async condition => {
    const rows = await tx.query<Payment & { orderState: OrderState; orderKind: OrderKind }>(
      `with locked as materialized (
         select id as "lockedId", student_id as "studentId", state as "orderState", kind as "orderKind" from orders
         where institute_id = $1 and id in (select order_id from payments where institute_id = $1 and ${condition})
         order by id for update
       )
       select ${COLUMNS}, "orderState", "orderKind" from locked, payments
       where institute_id = $1 and order_id = "lockedId" and ${condition} order by "studentId" for update of payments`,
      [instituteId, id],
    )
    return rows.map(({ orderState: state, orderKind: kind, ...payment }) => ({
      payment,
      order: { state, kind },
    }))
  })
}

/**
 * Reads the payments that a provider knows under an id ($2): one payment by its own id, or else all of a group. One
 * condition for both would be looked up in two indexes, or in none while the table is small.
 */
async function readByProviderId<Row>(read: (condition: string) => Promise<Row[]>): Promise<Row[]> {
  const alone = await read('id = $2 and group_id is null')
  return alone.length > 0 ? alone : read('group_id = $2')
}

const BY_ID = `select ${COLUMNS} from payments where institute_id = $1 and id = $2`

export async function findPayment(db: Queryable, instituteId: number, id: string): Promise<Payment | null> {
  const [row] = await db.query<Payment>(BY_ID, [instituteId, id])
  return row ?? null
}

/** The cheap way outside a transaction. */
export async function readPayment(db: Database, instituteId: number, id: string): Promise<Payment | null> {
  const [row] = await db.pointRead<Payment>(BY_ID, [instituteId, id])
  return row ?? null
}

/** Newest first. */
export async function listPayments(db: Queryable, instituteId: number, orderId: string): Promise<Payment[]> {
  return db.query<Payment>(
    `select ${COLUMNS} from payments where institute_id = $1 and order_id = $2 order by created_at desc, id desc`,
    [instituteId, orderId],
  )
}

export async function listPaymentsById(
  db: Queryable,
  instituteId: number,
  ids: readonly string[],
): Promise<Payment[]> {
  return db.query<Payment>(`select ${COLUMNS} from payments where institute_id = $1 and id = any($2)`, [
    instituteId,
    ids,
  ])
}

/** An order has at most one: a unique index says so. */
export async function findUnderWay(
  db: Queryable,
  instituteId: number,
  orderId: string,
): Promise<Payment | null> {
  const [row] = await db.query<Payment>(
    `select ${COLUMNS} from payments
     where institute_id = $1 and order_id = $2 and state in ('created', 'pending')`,
    [instituteId, orderId],
  )
  return row ?? null
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

type PaymentMove = {
  state: PaymentState
  mode?: string
  transactionId?: string
  capturedAt?: Date
  settleDueOn?: string
  isDuplicate?: boolean
  failure?: { code: string; message: string }
  nextCheckAt: Date | null
}

const MOVE = `
  update payments set state = $3, mode = coalesce($4, mode), transaction_id = coalesce($5, transaction_id),
    captured_at = $6, settle_due_on = $7, is_duplicate = $8, failure_code = $9, failure_message = $10, next_check_at = $11,
    provider_ref = coalesce(provider_ref, $12)
  where institute_id = $1 and id = $2`

export async function movePayment(tx: Transaction, payment: Payment, move: PaymentMove): Promise<void> {
  await tx.query(MOVE, moveValues(payment, move))
}

/**
 * The move of a payment that pays its order, with the next receipt number of the institute's year. The counter's row
 * is held until the commit, so numbers have no gaps: one that is rolled back was never taken. It also makes all payments
 * of an institute wait for each other, so this is what the transaction ends with.
 */
export function moveWithReceipt(
  tx: Transaction,
  payment: Payment,
  move: PaymentMove & { capturedAt: Date },
  financialYear: string,
): void {
  tx.endWith(
    `with moved as (${MOVE}),
     ${nextNumber('$13')}
     insert into receipts (institute_id, financial_year, number, payment_id, issued_at)
     select $1, $13, last_number, $2, $6 from counter`,
    [...moveValues(payment, move), financialYear],
  )
}

function moveValues(payment: Payment, move: PaymentMove): unknown[] {
  return [
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
  ]
}

/** Fails these payments and their groups where the bank has reported nothing yet; the provider is still asked about them. */
export async function giveUpStarted(
  tx: Transaction,
  instituteId: number,
  ids: readonly string[],
  { failure, nextCheckAt }: { failure: { code: string; message: string }; nextCheckAt: Date },
): Promise<void> {
  await tx.query(
    `update payments set state = 'failed', failure_code = $3, failure_message = $4, next_check_at = $5
     where institute_id = $1 and state = 'created' and (id = any($2) or group_id in (
       select g.group_id from payments g where g.institute_id = $1 and g.id = any($2)))`,
    [instituteId, ids, failure.code, failure.message, nextCheckAt],
  )
}

/** Payments whose end is not known: the provider is asked about them. */
export const toCheck = leasedRows<Payment>({
  table: 'payments',
  dueAt: 'next_check_at',
  attempts: 'checks',
  columns: COLUMNS,
})

/**
 * Ends a check with the moment of the next, and its lease; false when its lease was not ours any more. The count of checks
 * names the holder. Lost in a power failure, the provider is asked again.
 */
export async function endCheck(db: Database, payment: Payment, next: Date | null): Promise<boolean> {
  const rows = await db.query(
    `update payments set next_check_at = case when next_check_at is not null then $4::timestamptz end, held_until = null
     where institute_id = $1 and id = $2 and checks = $3 ${commitLater()}`,
    [payment.instituteId, payment.id, payment.checks, next],
  )
  return rows.length === 1
}

/** The first day on which captured payments should be settled. */
export async function firstSettleDay(db: Database): Promise<string | null> {
  const [row] = await db.query<{ day: string | null }>(
    `select min(settle_due_on) as day from payments
     where state = 'captured' and settlement_id is null and ${isHere()}`,
  )
  return row?.day ?? null
}

/** Whether the order of a payment still waits for money. */
export async function canBePaid(
  db: Queryable,
  { instituteId, orderId }: Pick<Payment, 'instituteId' | 'orderId'>,
  now: Date,
): Promise<boolean> {
  const rows = await db.query(
    `select from orders where institute_id = $1 and id = $2 and state = 'unpaid'
       and (expires_at is null or expires_at > $3)`,
    [instituteId, orderId, now],
  )
  return rows.length === 1
}

/** Records the amount that came in place of the one that was asked for. */
export async function setAmount(tx: Transaction, payment: Payment, amountPaise: Paise): Promise<void> {
  await tx.query(
    `update payments set amount_paise = $3 where institute_id = $1 and id = $2 and state <> 'captured'`,
    [payment.instituteId, payment.id, amountPaise],
  )
}

/** What came differs from what was asked for: that is the difference of the part that stays with the account itself. */
export async function adjustOwnPart(tx: Transaction, payment: Payment, amountPaise: Paise): Promise<void> {
  await tx.query(
    `update payment_parts o set amount_paise = greatest(0, $3 - (select coalesce(sum(t.amount_paise), 0)
       from payment_parts t where t.institute_id = $1 and t.payment_id = $2 and t.part_no > 0))
     where o.institute_id = $1 and o.payment_id = $2 and o.part_no = 0`,
    [payment.instituteId, payment.id, amountPaise],
  )
}

/** A payment with what became of its money. */
export type PaymentRecord = Payment & {
  settleDueOn: string | null
  settlementUtr: string | null
  settledAt: Date | null
  receipt: ReceiptKey | null
  receiptCancelledAt: Date | null
  receiptCancelReason: string | null
}

/** An order is tried a few times; a test that loops must not make its page unreadable. */
const MOST_TRIES = 200

/** Oldest first: the tries in their order. */
export async function readRecords(
  db: Queryable,
  instituteId: number,
  orderId: string,
): Promise<PaymentRecord[]> {
  return db.query<PaymentRecord>(
    `select ${payments.columns('p')}, p.settle_due_on as "settleDueOn", s.utr as "settlementUtr",
       s.settled_at as "settledAt", c.cancelled_at as "receiptCancelledAt", c.cancel_reason as "receiptCancelReason",
       case when c.number is not null
         then json_build_object('financialYear', c.financial_year, 'number', c.number) end as receipt
     from payments p
     left join settlements s on s.institute_id = p.institute_id and s.id = p.settlement_id
     left join receipts c on c.institute_id = p.institute_id and c.payment_id = p.id
     where p.institute_id = $1 and p.order_id = $2 order by p.created_at, p.id limit ${MOST_TRIES}`,
    [instituteId, orderId],
  )
}

/** Institute 0: an account of the installation. */
type AtAccount = { instituteId: number; accountId: string; providerPaymentId: string }

/** The provider's payment counts for this payment of ours unless another came first. Who comes at the same moment waits. */
export async function claimProviderPayment(
  db: Queryable,
  { instituteId, accountId, providerPaymentId }: AtAccount,
  paymentId: string,
): Promise<string> {
  const [claimed] = await db.query<{ paymentId: string }>(
    `insert into provider_payments (institute_id, account_id, provider_payment_id, payment_id) values ($1, $2, $3, $4)
     on conflict (institute_id, account_id, provider_payment_id) do update set payment_id = provider_payments.payment_id
     returning payment_id as "paymentId"`,
    [instituteId, accountId, providerPaymentId, paymentId],
  )
  return claimed?.paymentId ?? paymentId
}

const intents = payments.with<{ nextCheckAt: Date }>({ nextCheckAt: 'timestamptz' })

/**
 * Intents of one payment at the bank for several orders, all or none: false when one of the orders is no longer unpaid or
 * has a payment under way. The caller holds the orders' locks, so that none slips in.
 */
export async function insertGroup(
  tx: Transaction,
  group: readonly Payment[],
  nextCheckAt: Date,
): Promise<boolean> {
  const [first] = group
  if (first === undefined) return false
  const ids = group.map(({ orderId }) => orderId)
  const free = await tx.query(
    `select 1 from orders o where o.institute_id = $1 and o.id = any($2) and o.state = 'unpaid'
       and not exists (select from payments p where p.institute_id = o.institute_id and p.order_id = o.id
         and p.state in ('created', 'pending'))`,
    [first.instituteId, ids],
  )
  if (free.length < group.length) return false
  await intents.insert(
    tx,
    group.map(payment => ({ ...payment, nextCheckAt })),
    {
      only: [
        'instituteId',
        'id',
        'orderId',
        'groupId',
        'provider',
        'accountId',
        'amountPaise',
        'mode',
        'createdAt',
        'nextCheckAt',
      ],
    },
  )
  return true
}

/** The payment that a provider knows under an id, or those that it is for together. */
export async function listAtProvider(db: Database, instituteId: number, id: string): Promise<Payment[]> {
  return readByProviderId(condition =>
    db.pointRead<Payment>(
      `select ${payments.columns('payments')} from payments where institute_id = $1 and ${condition} order by id`,
      [instituteId, id],
    ),
  )
}

/** Lists the payment of each child behind these payments at the bank; of what is split, the part of this linked account. */
export async function listParts(
  db: Queryable,
  instituteId: number,
  groupIds: readonly string[],
  linkedId: string | null,
): Promise<(PaymentPart & { groupId: string })[]> {
  return db.query(
    `select p.group_id as "groupId", p.id, coalesce(t.amount_paise, case when p.is_split or $3::text is not null then 0
         else p.amount_paise end) as "amountPaise", coalesce(r.amount_paise, 0) as "returnedPaise"
     from payments p
     left join payment_parts t on t.institute_id = p.institute_id and t.payment_id = p.id and p.is_split
       and t.linked_id is not distinct from $3
     left join refunds r on r.institute_id = p.institute_id and r.payment_id = p.id
       and r.id = 'rfd_' || substr(p.id, 5)
     where p.institute_id = $1 and p.group_id = any($2) order by p.id`,
    [instituteId, groupIds, linkedId],
  )
}
