import { findDue, nameRows } from '../../platform/jobs/claim.ts'
import type { RowKey } from '../../platform/jobs/leased-rows.ts'
import type { Database, Queryable, Transaction } from '../../platform/db/database.ts'
import { Table } from '../../platform/db/table.ts'
import { ZERO } from '../../platform/money.ts'
import type { Dispute, DisputesToAnswer } from './disputes.rules.ts'

const disputes = new Table<Dispute>('payment_disputes', {
  instituteId: 'int',
  paymentId: 'text',
  providerRef: 'text',
  state: 'text',
  amountPaise: 'bigint',
  deductedPaise: 'bigint',
  reason: 'text',
  phase: 'text',
  respondBy: 'timestamptz',
  openedAt: 'timestamptz',
  changedAt: 'timestamptz',
})

const CHANGING = [
  'state',
  'amountPaise',
  'deductedPaise',
  'reason',
  'phase',
  'respondBy',
  'changedAt',
] as const

/** The later report wins, and an end stays: events come late and in any order. */
export async function putDispute(db: Queryable, dispute: Dispute): Promise<void> {
  await disputes.insert(db, [dispute], {
    onConflict: `on conflict (institute_id, provider_ref) do update set ${disputes.excluded(CHANGING)}
      where payment_disputes.changed_at <= excluded.changed_at
        and payment_disputes.state not in ('won', 'lost', 'closed')`,
  })
}

export async function isOver(
  db: Queryable,
  { instituteId, providerRef }: Pick<Dispute, 'instituteId' | 'providerRef'>,
): Promise<boolean> {
  const rows = await db.query(
    `select 1 from payment_disputes
     where institute_id = $1 and provider_ref = $2 and state in ('won', 'lost', 'closed')`,
    [instituteId, providerRef],
  )
  return rows.length === 1
}

const MOST = 100

/** Oldest first. One of a payment for several children is each of theirs, whole: nobody but the bank could divide it. */
export async function listDisputes(db: Queryable, instituteId: number, orderId: string): Promise<Dispute[]> {
  return db.query<Dispute>(
    `select ${disputes.columns('d')} from payment_disputes d
     join payments p on p.institute_id = d.institute_id and p.id = d.payment_id
     where d.institute_id = $1 and exists (
       select from payments own where own.institute_id = $1 and own.order_id = $2
         and (own.id = p.id or own.group_id = p.group_id))
     order by d.opened_at, d.provider_ref limit ${MOST}`,
    [instituteId, orderId],
  )
}

/** One under review has its answer. */
export async function sumToAnswer(db: Queryable, instituteId: number): Promise<DisputesToAnswer> {
  const [first] = await db.query<DisputesToAnswer>(
    `select count(*) over () as count, (sum(d.amount_paise) over ())::bigint as "amountPaise",
       p.order_id as "orderId", d.respond_by as "respondBy"
     from payment_disputes d
     join payments p on p.institute_id = d.institute_id and p.id = d.payment_id
     where d.institute_id = $1 and d.state in ('open', 'action_required')
     order by d.respond_by nulls last, d.opened_at, d.provider_ref limit 1`,
    [instituteId],
  )
  return first ?? { count: 0, amountPaise: ZERO, orderId: null, respondBy: null }
}

export type DisputeToMail = Dispute & { orderId: string; instituteCode: string; instituteName: string }

const TO_MAIL = {
  table: 'payment_disputes',
  key: 'provider_ref',
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
       and ${these.lock('payment_disputes', TO_MAIL.where, { alias: 'd', key: 'provider_ref' })}
     returning ${disputes.columns('d')}, p.order_id as "orderId", i.code as "instituteCode", i.name as "instituteName"`,
    [now, ...these.values],
  )
}

export async function firstToMail(db: Database): Promise<Date | null> {
  const [row] = await db.overAll<{ at: Date | null }>(
    among =>
      `select min(opened_at) as at from payment_disputes where ${among('institute_id')} and mailed_at is null`,
  )
  return row?.at ?? null
}
