import { INSTITUTE_JSON } from '../institutes/institute-row.ts'
import type { CatalogueEntry, Institute } from '../institutes/institutes.rules.ts'
import type { Order, OrderKind, OrderLine, OrderToPay } from './orders.rules.ts'
import type { Database, Queryable, Transaction } from '../platform/db/database.ts'
import { institutesOf, isHere, nameRows, type RowKey } from '../platform/db/query.ts'
import { Table } from '../platform/db/table.ts'
import { type Idempotency, KEPT, lockNumber } from '../platform/idempotency.ts'
import { findDue } from '../platform/jobs/due-rows.ts'
import { type Paise, ZERO } from '../platform/money.ts'
import type { ReceiptKey } from '../receipts/receipts.rules.ts'

type OrderColumns = Omit<Order, 'lines' | 'refundedPaise' | 'receipt'>

/** The database answers moments inside JSON as text. */
export type OrderRow = OrderColumns & {
  lines: (Omit<OrderLine, 'settledAt'> & { settledAt: string | null })[]
  refundedPaise: Paise
  receipt: ReceiptKey | null
}

const orders = new Table<OrderColumns>('orders', {
  id: 'text',
  kind: 'text',
  collectorCode: 'text',
  state: 'text',
  studentId: 'text',
  pageId: 'text',
  planId: 'text',
  instalmentId: 'text',
  name: 'text',
  phone: 'text',
  email: 'text',
  identifier: 'text',
  studentName: 'text',
  grade: 'text',
  stream: 'text',
  academicYearStart: 'int',
  academicYearEnd: 'int',
  newAdmission: 'boolean',
  dateOfBirth: 'date',
  customIdentifier: 'text',
  notes: 'jsonb',
  callbackUrl: 'text',
  expiresAt: 'timestamptz',
  transactionId: 'text',
  paidAt: 'timestamptz',
  closedAt: 'timestamptz',
  createdAt: 'timestamptz',
})

const orderLines = new Table<OrderLine>('order_lines', {
  componentType: 'text',
  label: 'text',
  amountPaise: 'bigint',
  settlementUtr: 'text',
  settledAt: 'timestamptz',
})

const columnsAndLines = (institute: string): string => `${orders.columns('o')},
  (select json_agg(${orderLines.json('l')} order by l.line_no)
   from order_lines l where l.institute_id = ${institute} and l.order_id = o.id) as lines`

const refundedOf = (institute: string, orderId: string): string => `(
    select coalesce(sum(r.amount_paise - r.charged_paise), 0)::bigint from refunds r where r.institute_id = ${institute}
      and r.order_id = ${orderId} and r.kind = 'requested' and r.state <> 'failed')`

const receiptOf = (institute: string, orderId: string): string => `(
    select json_build_object('financialYear', c.financial_year, 'number', c.number)
    from payments p join receipts c on c.institute_id = p.institute_id and c.payment_id = p.id
    where p.institute_id = ${institute} and p.order_id = ${orderId} limit 1)`

/** Refunds and the receipt are looked up only for orders that have been paid. */
export const orderColumns = (institute: string): string => `${columnsAndLines(institute)},
  case when o.paid_at is null then 0 else ${refundedOf(institute, 'o.id')} end as "refundedPaise",
  case when o.paid_at is not null then ${receiptOf(institute, 'o.id')} end as receipt`

const BY_ID = `select ${orderColumns('$1')} from orders o where o.institute_id = $1 and o.id = $2`
const UNPAID_BY_ID = `select ${columnsAndLines('$1')} from orders o where o.institute_id = $1 and o.id = $2`
const AFTER_PAYMENT = `select ${refundedOf('$1', '$2')} as "refundedPaise", ${receiptOf('$1', '$2')} as receipt`

type AfterPayment = Pick<OrderRow, 'refundedPaise' | 'receipt'>
const NOT_PAID: AfterPayment = { refundedPaise: ZERO, receipt: null }

/** Only paid orders are asked with the two sub-selects: preparing these costs more than the rest even where neither is run. */
export async function findOrder(db: Database, instituteId: number, id: string): Promise<Order | null> {
  const [row] = await db.pointRead<Omit<OrderRow, keyof AfterPayment>>(UNPAID_BY_ID, [instituteId, id])
  if (row === undefined) return null
  if (row.paidAt === null) return toOrder({ ...row, ...NOT_PAID })
  const [paid = NOT_PAID] = await db.pointRead<AfterPayment>(AFTER_PAYMENT, [instituteId, id])
  return toOrder({ ...row, ...paid })
}

const TO_PAY = `select ${INSTITUTE_JSON} as institute, ${columnsAndLines('i.id')}
  from institutes i left join orders o on o.institute_id = i.id and o.id = $2 where i.code = $1`

type RowToPay = Omit<OrderRow, keyof AfterPayment> & { institute: Institute }

/** Finds an order by the address of its page; answers the institute alone when it has no such order. */
export async function findOrderToPay(
  db: Database,
  code: string,
  id: string,
): Promise<{ institute: Institute; order: OrderToPay | null } | null> {
  const [row] = await db.pointRead<RowToPay | { institute: Institute; id: null }>(TO_PAY, [code, id])
  if (row === undefined) return null
  if (row.id === null) return { institute: row.institute, order: null }
  const { institute, ...order } = row
  return { institute, order: withMoments(order) }
}

export async function lockOrder(tx: Transaction, instituteId: number, id: string): Promise<Order | null> {
  const [row] = await tx.query<OrderRow>(`${BY_ID} for update of o`, [instituteId, id])
  return row === undefined ? null : toOrder(row)
}

const INSERT_ORDER = `
  ord as (
    insert into orders (institute_id, id, kind, collector_code, name, phone, email, identifier, student_name, grade,
      stream, academic_year_start, academic_year_end, new_admission, date_of_birth, custom_identifier, notes,
      callback_url, expires_at, created_at, student_id)
    select $1::int, $2::text, $3::text, $4::text, $5::text, $6::text, $7::text, $8::text, $9::text, $10::text,
      $11::text, $12::int, $13::int, $14::boolean, $15::date, $16::text, $17::jsonb, $18::text, $19::timestamptz, $20::timestamptz,
      $25::text
    from go returning id
  ), line as (
    insert into order_lines (institute_id, order_id, line_no, component_type, amount_paise)
    select $1::int, ord.id, l.no, l.component_type, l.amount_paise
    from ord, unnest($21::text[], $22::bigint[]) with ordinality as l (component_type, amount_paise, no)
  ), entry as (
    insert into catalogue_entries (institute_id, kind, code, name)
    select $1::int, e.kind, e.code, e.code from ord, unnest($23::text[], $24::text[]) as e (kind, code)
    on conflict do nothing
  )
`

const CREATE = `with go as (select 1), ${INSERT_ORDER} select true as "isFree", exists (select from ord) as "isNew"`

const CREATE_ONCE = `with lock as materialized (select pg_try_advisory_xact_lock($30::bigint) as is_free), go as (
    insert into idempotency_keys as k (institute_id, key, fingerprint, http_status, body)
    select $1::int, $26::text, $27::bytea, $28::int, $29::text from lock where is_free
    on conflict (institute_id, key) do update
      set fingerprint = excluded.fingerprint, http_status = excluded.http_status, body = excluded.body,
        created_at = excluded.created_at
      where excluded.created_at - k.created_at >= ${KEPT}
    returning 1
  ), ${INSERT_ORDER} select (select is_free from lock) as "isFree", exists (select from ord) as "isNew"`

/**
 * Order, lines, new catalogue codes and the answer to remember in one statement, so one round trip and one
 * commit. Not new: the Idempotency-Key was taken and nothing was written; not free: its first request still runs.
 */
export async function insertOrder<Result>(
  db: Queryable,
  instituteId: number,
  order: Order,
  extras: {
    newCodes: readonly CatalogueEntry[]
    idempotency?: Idempotency<Result> | undefined
    result: Result
  },
): Promise<{ isNew: boolean; isFree: boolean }> {
  const values: unknown[] = [
    instituteId,
    order.id,
    order.kind,
    order.collectorCode,
    order.name,
    order.phone,
    order.email,
    order.identifier,
    order.studentName,
    order.grade,
    order.stream,
    order.academicYearStart,
    order.academicYearEnd,
    order.newAdmission,
    order.dateOfBirth,
    order.customIdentifier,
    JSON.stringify(order.notes),
    order.callbackUrl,
    order.expiresAt,
    order.createdAt,
    order.lines.map(line => line.componentType),
    order.lines.map(line => line.amountPaise),
    extras.newCodes.map(entry => entry.kind),
    extras.newCodes.map(entry => entry.code),
    order.studentId,
  ]
  const { idempotency } = extras
  if (idempotency !== undefined) {
    const answer = idempotency.answer(extras.result)
    values.push(
      idempotency.key,
      idempotency.fingerprint,
      answer.httpStatus,
      answer.body,
      lockNumber(instituteId, idempotency.key),
    )
  }
  const [row] = await db.query<{ isNew: boolean; isFree: boolean }>(
    idempotency ? CREATE_ONCE : CREATE,
    values,
  )
  return row ?? { isNew: false, isFree: true }
}

export type Closing = { instituteId: number; order: Order; state: 'expired' | 'cancelled'; at: Date }

/** Stops orders from taking new payments. */
export async function closeOrders(tx: Transaction, closings: readonly Closing[]): Promise<void> {
  await tx.query(
    `update orders o set state = c.state, closed_at = c.at
     from unnest($1::int[], $2::text[], $3::text[], $4::timestamptz[]) as c (institute_id, id, state, at)
     where o.institute_id = c.institute_id and o.institute_id = any ($5::int[]) and o.id = c.id and o.state = 'unpaid'`,
    [
      closings.map(closing => closing.instituteId),
      closings.map(closing => closing.order.id),
      closings.map(closing => closing.state),
      closings.map(closing => closing.at),
      institutesOf(closings),
    ],
  )
}

export async function closeUnpaid(
  tx: Transaction,
  instituteId: number,
  ids: readonly string[],
  at: Date,
): Promise<void> {
  await tx.query(
    `update orders set state = 'cancelled', closed_at = $3 where institute_id = $1 and id = any($2) and state = 'unpaid'`,
    [instituteId, ids, at],
  )
}

export async function lockOrders(
  tx: Transaction,
  instituteId: number,
  ids: readonly string[],
): Promise<void> {
  await tx.query('select 1 from orders where institute_id = $1 and id = any($2) order by id for update', [
    instituteId,
    ids,
  ])
}

/** Answers the order as it is then. Nothing of it can have been refunded, and its receipt is numbered last. */
export async function setPaid(
  tx: Transaction,
  instituteId: number,
  id: string,
  paid: { transactionId: string; paidAt: Date },
): Promise<Order> {
  const [row] = await tx.query<OrderRow>(
    `with o as (
       update orders set state = 'paid', transaction_id = $3, paid_at = $4, closed_at = null
       where institute_id = $1 and id = $2 returning *
     )
     select ${columnsAndLines('$1')}, 0 as "refundedPaise", null as receipt from o`,
    [instituteId, id, paid.transactionId, paid.paidAt],
  )
  if (row === undefined) throw new Error(`the order ${id} is gone`)
  return toOrder(row)
}

/** It was paid once, so it keeps when and by what. */
export async function setReversed(tx: Transaction, instituteId: number, id: string): Promise<void> {
  await tx.query(`update orders set state = 'reversed' where institute_id = $1 and id = $2`, [
    instituteId,
    id,
  ])
}

/** Marks every line of these orders as settled. */
export async function setSettled(
  tx: Transaction,
  instituteId: number,
  ids: readonly string[],
  settlement: { utr: string; settledAt: Date },
): Promise<void> {
  await tx.query(
    `update order_lines set settlement_utr = $3, settled_at = $4 where institute_id = $1 and order_id = any($2)`,
    [instituteId, ids, settlement.utr, settlement.settledAt],
  )
}

export async function findOrders(
  db: Queryable,
  instituteId: number,
  ids: readonly string[],
): Promise<Order[]> {
  const rows = await db.query<OrderRow>(
    `select ${orderColumns('$1')} from orders o where o.institute_id = $1 and o.id = any($2)`,
    [instituteId, ids],
  )
  return rows.map(toOrder)
}

export function toOrder(row: OrderRow): Order {
  return withMoments(row)
}

function withMoments<Row extends Pick<OrderRow, 'lines'>>({ lines, ...order }: Row) {
  return {
    ...order,
    lines: lines.map(line => ({
      ...line,
      settledAt: line.settledAt === null ? null : new Date(line.settledAt),
    })),
  }
}

export async function replaceLines(
  tx: Transaction,
  instituteId: number,
  id: string,
  lines: readonly Pick<OrderLine, 'componentType' | 'amountPaise'>[],
): Promise<void> {
  await tx.query('delete from order_lines where institute_id = $1 and order_id = $2', [instituteId, id])
  await tx.query(
    `insert into order_lines (institute_id, order_id, line_no, component_type, amount_paise)
     select $1, $2, l.no, l.component_type, l.amount_paise
     from unnest($3::text[], $4::bigint[]) with ordinality as l (component_type, amount_paise, no)`,
    [instituteId, id, lines.map(line => line.componentType), lines.map(line => line.amountPaise)],
  )
}

/** An order that a feature makes by itself: for a student, or of a public page. */
export type PlannedOrder = { instituteId: number; order: Order }

const ordersOfInstitutes = orders.with<{ instituteId: number }>({ instituteId: 'int' })
const linesOfOrders = orderLines.with<{ instituteId: number; orderId: string; lineNo: number }>({
  instituteId: 'int',
  orderId: 'text',
  lineNo: 'int',
})

/** Any number of orders with their lines, in two statements that leave together. */
export async function insertOrders(tx: Transaction, planned: readonly PlannedOrder[]): Promise<void> {
  const lines = planned.flatMap(({ instituteId, order }) =>
    order.lines.map((line, index) => ({ ...line, instituteId, orderId: order.id, lineNo: index + 1 })),
  )
  const rows = planned.map(({ instituteId, order }) => ({ ...order, instituteId }))
  await Promise.all([ordersOfInstitutes.insert(tx, rows), linesOfOrders.insert(tx, lines)])
}

const HAS_EXPIRED = `state = 'unpaid' and expires_at is not null and expires_at <= $1`

/** Unpaid ones past their expiry. */
export async function findExpired(db: Database, now: Date, limit: number): Promise<RowKey[]> {
  return findDue(db, { table: 'orders', where: HAS_EXPIRED, order: 'expires_at' }, now, limit)
}

/** Checks again that each has expired, and skips what another worker holds. */
export async function lockExpired(
  tx: Transaction,
  now: Date,
  keys: readonly RowKey[],
): Promise<{ instituteId: number; order: Order; expiresAt: Date }[]> {
  const these = nameRows(keys, 2)
  const rows = await tx.query<OrderRow & { instituteId: number; expiresAt: Date }>(
    `select o.institute_id as "instituteId", ${orderColumns(these.institute('o'))} from orders o
     where ${these.match('o')} and ${HAS_EXPIRED} for update of o skip locked`,
    [now, ...these.values],
  )
  return rows.map(({ instituteId, ...row }) => ({
    instituteId,
    order: toOrder(row),
    expiresAt: row.expiresAt,
  }))
}

export async function firstExpiry(db: Database): Promise<Date | null> {
  const [row] = await db.query<{ expires_at: Date | null }>(
    `select min(expires_at) as expires_at from orders
     where state = 'unpaid' and expires_at is not null and ${isHere()}`,
  )
  return row?.expires_at ?? null
}

/** Orders of these kinds that a payer could still pay for these students at this moment, the newest first. */
export async function listOpenOf(
  db: Queryable,
  instituteId: number,
  studentIds: readonly string[],
  { kinds, now }: { kinds: readonly OrderKind[]; now: Date },
): Promise<Order[]> {
  const rows = await db.query<OrderRow>(
    `select ${orderColumns('$1')} from orders o
     where o.institute_id = $1 and o.student_id = any($2) and o.kind = any($3) and o.state = 'unpaid'
       and (o.expires_at is null or o.expires_at > $4)
     order by o.created_at desc, o.id desc`,
    [instituteId, studentIds, kinds, now],
  )
  return rows.map(toOrder)
}

/** Newest first. */
export async function listOrdersOf(
  db: Queryable,
  target: { instituteId: number; studentId: string; kind: OrderKind },
  limit: number,
): Promise<Order[]> {
  const rows = await db.query<OrderRow>(
    `select ${orderColumns('$1')} from orders o where o.institute_id = $1 and o.student_id = $2 and o.kind = $3
     order by o.created_at desc, o.id desc limit $4`,
    [target.instituteId, target.studentId, target.kind, limit],
  )
  return rows.map(toOrder)
}
