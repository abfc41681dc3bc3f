import type { Queryable, Transaction } from '../../platform/db/database.ts'
import { Table } from '../../platform/db/table.ts'
import { subtractPaise, sumPaise, type Paise } from '../../platform/money.ts'
import type { Payment } from '../payments.rules.ts'
import { payments } from '../payments.store.ts'
import type { ProviderName } from '../../providers/port.ts'

export type SettlementRow = {
  id: string
  provider: string
  accountId: string
  collectorCode: string
  utr: string
  settledAt: Date
  grossPaise: Paise
  feePaise: Paise
  refundPaise: Paise
  netPaise: Paise
  /** Null: where the provider's account itself is settled. */
  bankAccountId: string | null
}

const settlements = new Table<SettlementRow>('settlements', {
  id: 'text',
  provider: 'text',
  accountId: 'text',
  collectorCode: 'text',
  utr: 'text',
  settledAt: 'timestamptz',
  grossPaise: 'bigint',
  feePaise: 'bigint',
  refundPaise: 'bigint',
  netPaise: 'bigint',
  bankAccountId: 'text',
})
const settlementsOfInstitutes = settlements.with<{ instituteId: number }>({ instituteId: 'int' })

export type SettledSums = { grossPaise: Paise; feePaise: Paise; refundPaise: Paise }

/** A branch's settlement under a UTR, made on its first slice and grown by the next. */
export async function growSettlement(
  tx: Transaction,
  settlement: SettledSums & Omit<SettlementRow, 'netPaise'> & { instituteId: number },
): Promise<string> {
  const { instituteId, id, accountId, utr, collectorCode, grossPaise, feePaise, refundPaise } = settlement
  const netPaise = subtractPaise(grossPaise, sumPaise([feePaise, refundPaise]))
  const sums = ['gross_paise', 'fee_paise', 'refund_paise', 'net_paise']
  await settlementsOfInstitutes.insert(tx, [{ ...settlement, netPaise }], {
    onConflict: `on conflict (institute_id, account_id, utr, collector_code) do update set
      ${sums.map(sum => `${sum} = settlements.${sum} + excluded.${sum}`).join(', ')}`,
  })
  const [row] = await tx.query<{ id: string }>(
    `select id from settlements
     where institute_id = $1 and account_id = $2 and utr = $3 and collector_code = $4`,
    [instituteId, accountId, utr, collectorCode],
  )
  return row?.id ?? id
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
  tx: Queryable,
  about: { instituteId: number; accountId: string; utr: string },
  providerRefs: readonly string[],
): Promise<void> {
  await tx.query(
    `delete from settlement_exceptions
     where institute_id = $1 and account_id = $2 and utr in ($3, '') and provider_ref = any($4)`,
    [about.instituteId, about.accountId, about.utr, providerRefs],
  )
}

/** The debits of an account that were paid under these transaction ids. */
export async function findDebits(
  db: Queryable,
  account: { id: string; instituteId: number | null },
  transactionIds: readonly string[],
): Promise<Map<string, { instituteId: number; id: string }>> {
  const rows = await db.query<{ instituteId: number; id: string; transactionId: string }>(
    `select institute_id as "instituteId", id, transaction_id as "transactionId" from payments
     where transaction_id = any($2) and mode in ('enach', 'upi_autopay') and account_id = $1
       ${account.instituteId === null ? '' : 'and institute_id = $3'}`,
    [account.id, transactionIds, ...(account.instituteId === null ? [] : [account.instituteId])],
  )
  return new Map(rows.map(row => [row.transactionId, row]))
}

/** Everything a report may be about, locked: captured payments by id. */
type WhereSettled = { collectorCode: string; settledUtr: string | null }
export type SettleablePayment = Payment & WhereSettled

export async function lockPayments(
  tx: Transaction,
  instituteId: number,
  ids: readonly string[],
): Promise<Map<string, SettleablePayment>> {
  const rows = await tx.query<SettleablePayment>(
    `select ${payments.columns('p')}, o.collector_code as "collectorCode", s.utr as "settledUtr"
     from payments p join orders o on o.institute_id = p.institute_id and o.id = p.order_id
     left join settlements s on s.institute_id = p.institute_id and s.id = p.settlement_id
     where p.institute_id = $1 and p.id = any($2) order by p.id for update of p`,
    [instituteId, ids],
  )
  return new Map(rows.map(row => [row.id, row]))
}

export type SettleableRefund = WhereSettled & {
  id: string
  isSplit: boolean
  accountId: string
  amountPaise: Paise
  state: string
}

export async function lockRefunds(
  tx: Transaction,
  instituteId: number,
  ids: readonly string[],
): Promise<Map<string, SettleableRefund>> {
  const rows = await tx.query<SettleableRefund>(
    `select r.id, r.is_split as "isSplit", p.account_id as "accountId", r.amount_paise as "amountPaise", r.state,
       s.utr as "settledUtr", o.collector_code as "collectorCode"
     from refunds r join orders o on o.institute_id = r.institute_id and o.id = r.order_id
     join payments p on p.institute_id = r.institute_id and p.id = r.payment_id
     left join settlements s on s.institute_id = r.institute_id and s.id = r.settlement_id
     where r.institute_id = $1 and r.id = any($2) order by r.id for update of r`,
    [instituteId, ids],
  )
  return new Map(rows.map(row => [row.id, row]))
}

export async function setSettlement(
  tx: Transaction,
  instituteId: number,
  settlementId: string,
  settled: { payments: readonly string[]; refunds: readonly { ourId: string; feePaise: Paise }[] },
): Promise<void> {
  await tx.query('update payments set settlement_id = $2 where institute_id = $1 and id = any($3)', [
    instituteId,
    settlementId,
    settled.payments,
  ])
  await tx.query(
    `update refunds r set settlement_id = $2, settlement_fee_paise = t.fee
     from unnest($3::text[], $4::bigint[]) as t (id, fee) where r.institute_id = $1 and r.id = t.id`,
    [
      instituteId,
      settlementId,
      settled.refunds.map(({ ourId }) => ourId),
      settled.refunds.map(({ feePaise }) => feePaise),
    ],
  )
}

export type Exception = {
  instituteId: number
  provider: ProviderName
  accountId: string
  utr: string
  providerRef: string
  problem: string
  reportedPaise: Paise
  knownPaise: Paise | null
  noticedAt: Date
}

const exceptionRows = new Table<Exception>('settlement_exceptions', {
  instituteId: 'int',
  provider: 'text',
  accountId: 'text',
  utr: 'text',
  providerRef: 'text',
  problem: 'text',
  reportedPaise: 'bigint',
  knownPaise: 'bigint',
  noticedAt: 'timestamptz',
})

export async function insertExceptions(db: Queryable, exceptions: readonly Exception[]): Promise<void> {
  await exceptionRows.insert(db, exceptions, { onConflict: 'on conflict do nothing' })
}

/** Payments of this account that the provider pays out and we have not captured. */
export async function listUncaptured(
  db: Queryable,
  { instituteId, accountId }: { instituteId: number; accountId: string },
  ids: readonly string[],
): Promise<Pick<Payment, 'id' | 'groupId' | 'providerRef'>[]> {
  return db.query(
    `select id, group_id as "groupId", provider_ref as "providerRef" from payments
     where institute_id = $1 and id = any($2) and account_id = $3 and state <> 'captured' order by id`,
    [instituteId, ids, accountId],
  )
}

/** The last day for which each account's pay-outs were read. All are listed: one left out would be taken for a new one. */
export async function listReadThrough(db: Queryable): Promise<Map<string, string>> {
  const rows = await db.query<{ id: string; day: string }>(
    'select account_id as id, read_through as day from settlement_reads',
  )
  return new Map(rows.map(({ id, day }) => [id, day]))
}

export async function setReadThrough(
  db: Queryable,
  account: { instituteId: number | null; id: string },
  day: string,
): Promise<void> {
  await db.query(
    `insert into settlement_reads (institute_id, account_id, read_through) values ($1, $2, $3)
     on conflict (institute_id, account_id) do update set read_through = excluded.read_through`,
    [account.instituteId ?? 0, account.id, day],
  )
}

export type UnmatchedReport = Omit<Exception, 'instituteId' | 'knownPaise'> & { id: string }

const MOST_UNMATCHED = 200

/** Reports that belong to no institute, the newest first. */
export async function listUnmatched(db: Queryable): Promise<UnmatchedReport[]> {
  return db.query<UnmatchedReport>(
    `select e.id::text, ${exceptionRows.columns('e', ['provider', 'accountId', 'utr', 'providerRef', 'problem', 'reportedPaise', 'noticedAt'])}
     from settlement_exceptions e where e.institute_id = 0 and e.resolved_at is null order by e.id desc limit ${MOST_UNMATCHED}`,
  )
}

/** False when there is no such exception that nobody has looked at. */
export async function resolveException(
  tx: Transaction,
  { instituteId, id }: { instituteId: number; id: string },
  { at, by, note }: { at: Date; by: string; note: string },
): Promise<boolean> {
  const rows = await tx.query(
    `update settlement_exceptions set resolved_at = $3, resolved_by = $4, resolution = $5
     where institute_id = $1 and id = $2 and resolved_at is null returning 1`,
    [instituteId, id, at, by, note],
  )
  return rows.length === 1
}

/**
 * Exceptions that nobody has looked at, with the payments that came with another amount than their orders ask for, or to an
 * account number that is closed, or from somebody whom the school does not know.
 */
const MISMATCHED = `from settlement_exceptions e
  join payments p on p.institute_id = e.institute_id and p.account_id = e.account_id
    and e.provider_ref in (p.provider_ref, coalesce(p.group_id, p.id)) and p.state in ('pending', 'failed')
  join orders o on o.institute_id = p.institute_id and o.id = p.order_id
  where e.institute_id = $1 and e.utr = '' and e.resolved_at is null
    and (e.known_paise <> e.reported_paise or p.failure_code in ('account_closed', 'unknown_remitter')) and e.known_paise = (select sum(g.amount_paise) from payments g
      where g.institute_id = p.institute_id and (g.id = p.id or g.group_id = p.group_id))`

/** When pay-outs with this money were read in which it did not match. */
export async function listNoticed(
  db: Queryable,
  { instituteId, accountId, providerRef }: Pick<Payment, 'instituteId' | 'accountId' | 'providerRef'>,
): Promise<Date[]> {
  const rows = await db.query<{ noticedAt: Date }>(
    `select noticed_at as "noticedAt" from settlement_exceptions
     where institute_id = $1 and account_id = $2 and provider_ref = $3 and utr <> '' and resolved_at is null`,
    [instituteId, accountId, providerRef],
  )
  return rows.map(row => row.noticedAt)
}

/** Null: no such one. */
export async function findMismatchedPayment(
  db: Queryable,
  { instituteId, id }: { instituteId: number; id: string },
): Promise<string | null> {
  const [row] = await db.query<{ paymentId: string }>(
    `select p.id as "paymentId" ${MISMATCHED} and e.id = $2`,
    [instituteId, id],
  )
  return row?.paymentId ?? null
}

/** Exceptions that nobody has looked at, with refunds that failed of money that pays nothing. */
const FAILED_REFUNDS = `from settlement_exceptions e
  join refunds r on r.institute_id = e.institute_id and r.id = e.provider_ref and r.kind = 'duplicate' and r.state = 'failed'
  join orders o on o.institute_id = r.institute_id and o.id = r.order_id
  where e.institute_id = $1 and e.utr = '' and e.resolved_at is null`

/** Null: no such one. */
export async function findFailedRefund(
  db: Queryable,
  { instituteId, id }: { instituteId: number; id: string },
): Promise<string | null> {
  const [row] = await db.query<{ refundId: string }>(
    `select r.id as "refundId" ${FAILED_REFUNDS} and e.id = $2`,
    [instituteId, id],
  )
  return row?.refundId ?? null
}

export type Mismatch = {
  /** The id of the exception. */
  id: string
  orderId: string
  payer: string
  problem: string
  askedPaise: Paise
  reportedPaise: Paise
  noticedAt: Date
  /** The money can be taken as a payment of a student's dues; any can be refunded. */
  canTake: boolean
}

const SHOWN = `e.id::text, o.id as "orderId", o.name as payer, e.problem, e.known_paise as "askedPaise",
  e.reported_paise as "reportedPaise", e.noticed_at as "noticedAt"`

/** The oldest first; all, or those of these exceptions. */
export async function listMismatches(
  db: Queryable,
  instituteId: number,
  ids: readonly string[] | null = null,
): Promise<Mismatch[]> {
  const among = 'and ($2::bigint[] is null or e.id = any($2))'
  return db.query<Mismatch>(
    `(select distinct on (e.id) ${SHOWN}, o.kind = 'student' and o.state <> 'paid' as "canTake"
      ${MISMATCHED} ${among} order by e.id, p.id)
     union all
     select ${SHOWN}, false ${FAILED_REFUNDS} ${among}
     order by "noticedAt", id`,
    [instituteId, ids],
  )
}

/** `chargebackPaise`: of what went back, what lost disputes took. */
export type Settlement = SettlementRow & {
  bankAccount: string | null
  payments: number
  refunds: number
  chargebackPaise: Paise
}

/** The first parameter is the institute. */
export const SETTLEMENT = `${settlements.columns('s')},
  (select a.name from bank_accounts a where a.institute_id = $1 and a.id = s.bank_account_id) as "bankAccount",
  (select count(*) from settled_payments p where p.institute_id = $1 and p.settlement_id = s.id) as payments,
  (select count(*) from settled_refunds r where r.institute_id = $1 and r.settlement_id = s.id) as refunds,
  (select coalesce(sum(r.amount_paise), 0)::bigint from settled_refunds r
   where r.institute_id = $1 and r.settlement_id = s.id and r.cause = 'dispute') as "chargebackPaise"`

const MOST_OF_ONE_UTR = 50

/** The one with this id, or those with this UTR: one transfer may be of several branches, and two banks may use one UTR. */
export async function findSettlements(
  db: Queryable,
  instituteId: number,
  idOrUtr: string,
): Promise<Settlement[]> {
  return db.query<Settlement>(
    `select ${SETTLEMENT} from settlements s where s.institute_id = $1 and (s.id = $2 or s.utr = $2)
     order by s.settled_at desc, s.id limit ${MOST_OF_ONE_UTR}`,
    [instituteId, idOrUtr],
  )
}
