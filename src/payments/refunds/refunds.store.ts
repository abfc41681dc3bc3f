import type { Queryable, Transaction } from '../../platform/db/database.ts'
import { institutesOf } from '../../platform/db/query.ts'
import { Table } from '../../platform/db/table.ts'
import { leasedRows } from '../../platform/jobs/due-rows.ts'
import type { Refund, RefundLine } from './refunds.rules.ts'

const refunds = new Table<Omit<Refund, 'lines'>>('refunds', {
  instituteId: 'int',
  id: 'text',
  paymentId: 'text',
  orderId: 'text',
  kind: 'text',
  state: 'text',
  amountPaise: 'bigint',
  reason: 'text',
  cause: 'text',
  chargedPaise: 'bigint',
  providerRef: 'text',
  utr: 'text',
  failureMessage: 'text',
  requestedAt: 'timestamptz',
  processedAt: 'timestamptz',
  tries: 'int',
})
const refundsToWrite = refunds.with<{ nextTryAt: Date | null }>({ nextTryAt: 'timestamptz' })

const refundLines = new Table<RefundLine>('refund_lines', {
  lineNo: 'int',
  componentType: 'text',
  amountPaise: 'bigint',
})
const linesToWrite = refundLines.with<{ instituteId: number; refundId: string }>({
  instituteId: 'int',
  refundId: 'text',
})

const columns = (institute: '$1' | 'refunds.institute_id'): string => `${refunds.columns('refunds')},
  (select coalesce(json_agg(${refundLines.json('l')} order by l.line_no), '[]') from refund_lines l
   where l.institute_id = ${institute} and l.refund_id = refunds.id) as lines`

/** One that is pending is the worker's to send from now on. */
export async function insertRefund(tx: Transaction, refund: Refund): Promise<void> {
  const { instituteId, id: refundId, lines } = refund
  const nextTryAt = refund.state === 'pending' ? refund.requestedAt : null
  await refundsToWrite.insert(tx, [{ ...refund, nextTryAt }])
  await linesToWrite.insert(
    tx,
    lines.map(line => ({ ...line, instituteId, refundId })),
  )
}

/** Oldest first. */
export async function listRefunds(db: Queryable, instituteId: number, paymentId: string): Promise<Refund[]> {
  return db.query<Refund>(
    `select ${columns('$1')} from refunds where institute_id = $1 and payment_id = $2 order by requested_at, id`,
    [instituteId, paymentId],
  )
}

export async function listRefundsOfOrder(
  db: Queryable,
  instituteId: number,
  orderId: string,
): Promise<Refund[]> {
  return db.query<Refund>(
    `select ${columns('$1')} from refunds where institute_id = $1 and order_id = $2 order by requested_at, id`,
    [instituteId, orderId],
  )
}

type PaymentKey = { instituteId: number; paymentId: string }

export async function listMade(db: Queryable, payments: readonly PaymentKey[]): Promise<Refund[]> {
  return db.query<Refund>(
    `select ${columns('refunds.institute_id')} from refunds where institute_id = any ($3::int[]) and state = 'processed'
       and (institute_id, payment_id) in (select * from unnest($1::int[], $2::text[]))
     order by institute_id, processed_at, id`,
    [payments.map(one => one.instituteId), payments.map(one => one.paymentId), institutesOf(payments)],
  )
}

const BY_ID = `select ${columns('$1')} from refunds where institute_id = $1 and id = $2`

export async function findRefund(db: Queryable, instituteId: number, id: string): Promise<Refund | null> {
  const [row] = await db.query<Refund>(BY_ID, [instituteId, id])
  return row ?? null
}

export async function lockRefund(tx: Transaction, instituteId: number, id: string): Promise<Refund | null> {
  const [row] = await tx.query<Refund>(`${BY_ID} for update`, [instituteId, id])
  return row ?? null
}

/** The account that its payment went through. */
export async function findAccountOf(db: Queryable, instituteId: number, id: string): Promise<string | null> {
  const [row] = await db.query<{ account_id: string }>(
    `select p.account_id from refunds r join payments p on p.institute_id = r.institute_id and p.id = r.payment_id
     where r.institute_id = $1 and r.id = $2`,
    [instituteId, id],
  )
  return row?.account_id ?? null
}

/** Writes down how it ended. */
export async function finishRefund(tx: Transaction, refund: Refund): Promise<void> {
  await refundsToWrite.update(tx, [{ ...refund, nextTryAt: null }], {
    key: ['instituteId', 'id'],
    set: ['state', 'providerRef', 'utr', 'processedAt', 'failureMessage', 'nextTryAt'],
  })
}

/** Rewrites the lines of a refund: another refund of its payment failed, so they are divided anew. */
export async function replaceLines(tx: Transaction, refund: Refund): Promise<void> {
  const { instituteId, id: refundId, lines } = refund
  await refunds.update(tx, [refund], { key: ['instituteId', 'id'], set: ['chargedPaise'] })
  await tx.query('delete from refund_lines where institute_id = $1 and refund_id = $2', [
    instituteId,
    refundId,
  ])
  await linesToWrite.insert(
    tx,
    lines.map(line => ({ ...line, instituteId, refundId })),
  )
}

/** Refunds of a payment that nobody has tried to send: the provider knows nothing of them. */
export async function lockUnsent(tx: Transaction, instituteId: number, paymentId: string): Promise<Refund[]> {
  return tx.query<Refund>(
    `select ${columns('$1')} from refunds where institute_id = $1 and payment_id = $2 and state = 'pending'
       and tries = 0 and held_until is null order by id for update`,
    [instituteId, paymentId],
  )
}

/** Refunds to send to the provider, or to send again when its answer was lost. */
export const toTry = leasedRows<Omit<Refund, 'lines'>>({
  table: 'refunds',
  dueAt: 'next_try_at',
  attempts: 'tries',
  columns: refunds.columns('refunds'),
})

/** Refunds of this account that the provider may have finished without telling us. */
export async function listPending(
  db: Queryable,
  { instituteId, accountId }: { instituteId: number; accountId: string },
  ids: readonly string[],
): Promise<Refund[]> {
  return db.query<Refund>(
    `select ${columns('$1')} from refunds where institute_id = $1 and id = any($2) and state = 'pending'
       and exists (select from payments p where p.institute_id = $1 and p.id = payment_id and p.account_id = $3)
     order by id`,
    [instituteId, ids, accountId],
  )
}

/** Debits of instalments through this account that nothing has returned. */
export async function listUnreturned(
  db: Queryable,
  { instituteId, accountId }: { instituteId: number; accountId: string },
  paymentIds: readonly string[],
): Promise<{ id: string; providerRef: string | null }[]> {
  return db.query(
    `select p.id, p.provider_ref as "providerRef" from payments p
     join orders o on o.institute_id = p.institute_id and o.id = p.order_id and o.state <> 'reversed'
     left join refunds r on r.institute_id = p.institute_id and r.payment_id = p.id and r.id = 'rfd_' || substr(p.id, 5)
     where p.institute_id = $1 and p.id = any($2) and p.account_id = $3 and r.id is null order by p.id`,
    [instituteId, paymentIds, accountId],
  )
}
