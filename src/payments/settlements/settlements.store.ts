import type { Queryable, Transaction } from '../../platform/db/database.ts'
import type { Paise } from '../../platform/money.ts'
import type { Payment } from '../payments.rules.ts'
import { payments } from '../payments.store.ts'
import type { ProviderName } from '../../providers/port.ts'

export type SettledSums = { grossPaise: Paise; feePaise: Paise; refundPaise: Paise }

/** The settlement of a UTR, made on its first slice and grown by the next. */
export async function growSettlement(
  tx: Transaction,
  settlement: SettledSums & {
    instituteId: number
    id: string
    provider: ProviderName
    collectorCode: string
    utr: string
    settledAt: Date
  },
): Promise<string> {
  const { grossPaise, feePaise, refundPaise } = settlement
  const [row] = await tx.query<{ id: string }>(
    `insert into settlements as s (institute_id, id, provider, collector_code, utr, settled_at,
       gross_paise, fee_paise, refund_paise, net_paise)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
     on conflict (institute_id, provider, utr) do update set
       gross_paise = s.gross_paise + excluded.gross_paise, fee_paise = s.fee_paise + excluded.fee_paise,
       refund_paise = s.refund_paise + excluded.refund_paise, net_paise = s.net_paise + excluded.net_paise
     returning id`,
    [
      settlement.instituteId,
      settlement.id,
      settlement.provider,
      settlement.collectorCode,
      settlement.utr,
      settlement.settledAt,
      grossPaise,
      feePaise,
      refundPaise,
      grossPaise - feePaise - refundPaise,
    ],
  )
  return row?.id ?? settlement.id
}

/** The orders that these payments are for. */
export async function listOrderIds(
  tx: Transaction,
  instituteId: number,
  paymentIds: readonly string[],
): Promise<string[]> {
  const rows = await tx.query<{ order_id: string }>(
    'select order_id from payments where institute_id = $1 and id = any($2)',
    [instituteId, paymentIds],
  )
  return rows.map(row => row.order_id)
}

/** An item that was an exception and matches after all is none any more. */
export async function clearExceptions(
  tx: Transaction,
  about: { instituteId: number; provider: ProviderName; utr: string },
  providerRefs: readonly string[],
): Promise<void> {
  await tx.query(
    `delete from settlement_exceptions
     where institute_id = $1 and provider = $2 and utr = $3 and provider_ref = any($4)`,
    [about.instituteId, about.provider, about.utr, providerRefs],
  )
}

/** Everything a report may be about, locked: captured payments by id. */
export async function lockPayments(
  tx: Transaction,
  instituteId: number,
  ids: readonly string[],
): Promise<Map<string, Payment & { collectorCode: string }>> {
  const rows = await tx.query<Payment & { collectorCode: string }>(
    `select ${payments.columns('p')}, o.collector_code as "collectorCode"
     from payments p join orders o on o.institute_id = p.institute_id and o.id = p.order_id
     where p.institute_id = $1 and p.id = any($2) order by p.id for update of p`,
    [instituteId, ids],
  )
  return new Map(rows.map(row => [row.id, row]))
}

export type SettleableRefund = {
  id: string
  amountPaise: Paise
  state: string
  settlementId: string | null
  collectorCode: string
}

export async function lockRefunds(
  tx: Transaction,
  instituteId: number,
  ids: readonly string[],
): Promise<Map<string, SettleableRefund>> {
  const rows = await tx.query<SettleableRefund>(
    `select r.id, r.amount_paise as "amountPaise", r.state, r.settlement_id as "settlementId",
       o.collector_code as "collectorCode"
     from refunds r join orders o on o.institute_id = r.institute_id and o.id = r.order_id
     where r.institute_id = $1 and r.id = any($2) order by r.id for update of r`,
    [instituteId, ids],
  )
  return new Map(rows.map(row => [row.id, row]))
}

export async function setSettlement(
  tx: Transaction,
  instituteId: number,
  settlementId: string,
  ids: { payments: readonly string[]; refunds: readonly string[] },
): Promise<void> {
  await tx.query('update payments set settlement_id = $2 where institute_id = $1 and id = any($3)', [
    instituteId,
    settlementId,
    ids.payments,
  ])
  await tx.query('update refunds set settlement_id = $2 where institute_id = $1 and id = any($3)', [
    instituteId,
    settlementId,
    ids.refunds,
  ])
}

export type Exception = {
  providerRef: string
  problem: string
  reportedPaise: Paise
  knownPaise: Paise | null
}

export async function insertExceptions(
  tx: Transaction,
  about: { instituteId: number; provider: ProviderName; utr: string; noticedAt: Date },
  exceptions: readonly Exception[],
): Promise<void> {
  if (exceptions.length === 0) return
  await tx.query(
    `insert into settlement_exceptions (institute_id, provider, utr, provider_ref, problem, reported_paise, known_paise, noticed_at)
     select $1, $2, $3, e.ref, e.problem, e.reported, e.known, $4
     from unnest($5::text[], $6::text[], $7::bigint[], $8::bigint[]) as e (ref, problem, reported, known)
     on conflict do nothing`,
    [
      about.instituteId,
      about.provider,
      about.utr,
      about.noticedAt,
      exceptions.map(exception => exception.providerRef),
      exceptions.map(exception => exception.problem),
      exceptions.map(exception => exception.reportedPaise),
      exceptions.map(exception => exception.knownPaise),
    ],
  )
}

/** Those of these payments that are not captured here. */
export async function listUncaptured(
  db: Queryable,
  instituteId: number,
  ids: readonly string[],
): Promise<{ id: string; providerRef: string | null }[]> {
  return db.query(
    `select id, provider_ref as "providerRef" from payments
     where institute_id = $1 and id = any($2) and state <> 'captured' order by id`,
    [instituteId, ids],
  )
}
