import { isHere, nameRows, type RowKey } from '../../platform/db/query.ts'
import { findDue } from '../../platform/jobs/due-rows.ts'
import type { Database, Queryable, Transaction } from '../../platform/db/database.ts'
import { Table } from '../../platform/db/table.ts'
import { ZERO, type Paise } from '../../platform/money.ts'
import type { OrderKind } from '../../orders/orders.rules.ts'
import type { Dispute, DisputesToAnswer } from './disputes.rules.ts'

const disputes = new Table<Dispute>('payment_disputes', {
  instituteId: 'int',
  id: 'text',
  paymentId: 'text',
  providerRef: 'text',
  state: 'text',
  amountPaise: 'bigint',
  heldPaise: 'bigint',
  deductedPaise: 'bigint',
  reasonCode: 'text',
  reason: 'text',
  phase: 'text',
  respondBy: 'timestamptz',
  openedAt: 'timestamptz',
  changedAt: 'timestamptz',
  closedAt: 'timestamptz',
  refundId: 'text',
})

const CHANGING = [
  'state',
  'amountPaise',
  'deductedPaise',
  'reasonCode',
  'reason',
  'phase',
  'respondBy',
  'changedAt',
  'closedAt',
  'refundId',
] as const

/** The caller holds the order of its payment, so nobody else writes it. */
export async function putDispute(tx: Transaction, dispute: Dispute): Promise<void> {
  await disputes.insert(tx, [dispute], {
    onConflict: `on conflict (institute_id, id) do update set ${disputes.excluded(CHANGING)}`,
  })
}

/** Finds the dispute of a payment by the provider's reference. */
export async function findDispute(
  tx: Transaction,
  { instituteId, providerRef, paymentId }: Pick<Dispute, 'instituteId' | 'providerRef' | 'paymentId'>,
): Promise<Dispute | null> {
  const [row] = await tx.query<Dispute>(
    `select ${disputes.columns('d')} from payment_disputes d
     where d.institute_id = $1 and d.provider_ref = $2 and d.payment_id = $3`,
    [instituteId, providerRef, paymentId],
  )
  return row ?? null
}

/** A dispute about several payments is open while one of its rows is. */
export async function isOpen(tx: Transaction, instituteId: number, providerRef: string): Promise<boolean> {
  const rows = await tx.query(
    `select 1 from payment_disputes
     where institute_id = $1 and provider_ref = $2 and state not in ('won', 'lost', 'closed') limit 1`,
    [instituteId, providerRef],
  )
  return rows.length === 1
}

/** Open and lost disputes keep money from being refunded again. */
export async function listStanding(
  db: Queryable,
  instituteId: number,
  paymentId: string,
): Promise<Dispute[]> {
  return db.query<Dispute>(
    `select ${disputes.columns('d')} from payment_disputes d
     where d.institute_id = $1 and d.payment_id = $2 and d.state not in ('won', 'closed') order by d.opened_at, d.id`,
    [instituteId, paymentId],
  )
}

/** A payment is disputed once or twice. */
const MOST_DISPUTES = 100

/** Oldest first. */
export async function listDisputes(db: Queryable, instituteId: number, orderId: string): Promise<Dispute[]> {
  return db.query<Dispute>(
    `select ${disputes.columns('d')} from payment_disputes d
     join payments p on p.institute_id = d.institute_id and p.id = d.payment_id
     where d.institute_id = $1 and p.order_id = $2 order by d.opened_at, d.id limit ${MOST_DISPUTES}`,
    [instituteId, orderId],
  )
}

/** A dispute with what it is about. */
export type DisputeRecord = Dispute & {
  orderId: string
  orderKind: OrderKind
  collectorCode: string
  studentId: string | null
  studentName: string | null
  payer: string
  mode: string
  provider: string
  accountId: string
  /** How much of what a lost one took had been refunded before. */
  chargedPaise: Paise
  settlementUtr: string | null
}

/** Disputes with what they are about. */
export const DISPUTES = {
  select: `${disputes.columns('d')}, o.id as "orderId", o.kind as "orderKind", o.collector_code as "collectorCode",
  o.student_id as "studentId", o.student_name as "studentName", o.name as payer, p.mode, p.provider, p.account_id as "accountId",
  coalesce(r.charged_paise, 0) as "chargedPaise", s.utr as "settlementUtr"`,
  from: 'payment_disputes d',
  join: `join payments p on p.institute_id = d.institute_id and p.id = d.payment_id
  join orders o on o.institute_id = d.institute_id and o.id = p.order_id
  left join refunds r on r.institute_id = d.institute_id and r.id = d.refund_id
  left join settlements s on s.institute_id = d.institute_id and s.id = r.settlement_id`,
}

export async function readDispute(
  db: Queryable,
  instituteId: number,
  id: string,
): Promise<DisputeRecord | null> {
  const [row] = await db.query<DisputeRecord>(
    `select ${DISPUTES.select} from ${DISPUTES.from} ${DISPUTES.join} where d.institute_id = $1 and d.id = $2`,
    [instituteId, id],
  )
  return row ?? null
}

/** What a lost dispute took, of one of the payments that it is about. */
export type LostPart = {
  providerRef: string
  refundId: string
  amountPaise: Paise
  settlementUtr: string | null
}

/** What lost disputes took of the payment that the provider of an account knows under an id. */
export async function listLost(
  db: Queryable,
  { instituteId, accountId }: { instituteId: number; accountId: string },
  paymentId: string,
): Promise<LostPart[]> {
  return db.query<LostPart>(
    `select d.provider_ref as "providerRef", r.id as "refundId", r.amount_paise as "amountPaise", s.utr as "settlementUtr"
     from payments p
     join payment_disputes d on d.institute_id = p.institute_id and d.payment_id = p.id and d.state = 'lost'
     join refunds r on r.institute_id = d.institute_id and r.id = d.refund_id
     left join settlements s on s.institute_id = r.institute_id and s.id = r.settlement_id
     where p.institute_id = $1 and p.account_id = $2 and (p.id = $3 or p.group_id = $3) order by d.closed_at, d.id`,
    [instituteId, accountId, paymentId],
  )
}

/** One under review has its answer. One about several children's payments is one to answer. */
export async function sumToAnswer(db: Queryable, instituteId: number): Promise<DisputesToAnswer> {
  const [first] = await db.query<DisputesToAnswer>(
    `select count(*) over () as count, (sum(sum(d.amount_paise)) over ())::bigint as "amountPaise",
       min(p.order_id) as "orderId", d.respond_by as "respondBy"
     from payment_disputes d
     join payments p on p.institute_id = d.institute_id and p.id = d.payment_id
     where d.institute_id = $1 and d.state in ('open', 'action_required')
     group by d.provider_ref, d.respond_by, d.opened_at
     order by d.respond_by nulls last, d.opened_at, d.provider_ref limit 1`,
    [instituteId],
  )
  return first ?? { count: 0, amountPaise: ZERO, orderId: null, respondBy: null }
}

export type DisputeToMail = Dispute & { orderId: string; instituteCode: string; instituteName: string }

const TO_MAIL = {
  table: 'payment_disputes',
  where: 'mailed_at is null',
  order: 'opened_at',
}

export async function findToMail(db: Database, limit: number): Promise<RowKey[]> {
  return findDue(db, TO_MAIL, null, limit)
}

/** Marks them mailed: in the transaction that writes the mails. */
export async function takeToMail(
  tx: Transaction,
  now: Date,
  keys: readonly RowKey[],
): Promise<DisputeToMail[]> {
  const these = nameRows(keys, 2)
  return tx.query<DisputeToMail>(
    `update payment_disputes d set mailed_at = $1
     from payments p join institutes i on i.id = p.institute_id
     where p.institute_id = d.institute_id and p.id = d.payment_id
       and ${these.lock('payment_disputes', TO_MAIL.where, { alias: 'd' })}
     returning ${disputes.columns('d')}, p.order_id as "orderId", i.code as "instituteCode", i.name as "instituteName"`,
    [now, ...these.values],
  )
}

export async function firstToMail(db: Database): Promise<Date | null> {
  const [row] = await db.query<{ at: Date | null }>(
    `select min(opened_at) as at from payment_disputes where mailed_at is null and ${isHere()}`,
  )
  return row?.at ?? null
}
