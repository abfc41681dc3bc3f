import type { Queryable, Transaction } from '../../platform/db/database.ts'
import type { Part, RefundPart } from './parts.rules.ts'
import type { Paise } from '../../platform/money.ts'

export async function insertParts(
  tx: Transaction,
  instituteId: number,
  paymentId: string,
  parts: readonly Part[],
): Promise<void> {
  await tx.query(
    `insert into payment_parts (institute_id, payment_id, part_no, bank_account_id, linked_id, line_nos, amount_paise)
     select $1, $2, t.no, t.account, t.linked, string_to_array(t.lines, ',')::int[], t.paise
     from unnest($3::int[], $4::text[], $5::text[], $6::text[], $7::bigint[]) as t (no, account, linked, lines, paise)`,
    [
      instituteId,
      paymentId,
      parts.map(part => part.partNo),
      parts.map(part => part.bankAccountId),
      parts.map(part => part.linkedId),
      parts.map(part => part.lineNos.join(',')),
      parts.map(part => part.amountPaise),
    ],
  )
  await tx.query('update payments set is_split = true where institute_id = $1 and id = $2', [
    instituteId,
    paymentId,
  ])
}

/** A part of a payment, with the UTR under which it was settled. */
export type StoredPart = Part & { paymentId: string; settledUtr: string | null }

export async function listParts(
  db: Queryable,
  instituteId: number,
  paymentIds: readonly string[],
): Promise<StoredPart[]> {
  return db.query<StoredPart>(
    `select t.payment_id as "paymentId", t.part_no as "partNo", t.bank_account_id as "bankAccountId",
       t.linked_id as "linkedId", t.line_nos as "lineNos", t.amount_paise as "amountPaise", s.utr as "settledUtr"
     from payment_parts t left join settlements s on s.institute_id = t.institute_id and s.id = t.settlement_id
     where t.institute_id = $1 and t.payment_id = any($2) order by t.payment_id, t.part_no`,
    [instituteId, paymentIds],
  )
}

export async function insertRefundParts(
  tx: Transaction,
  { instituteId, id }: { instituteId: number; id: string },
  parts: readonly RefundPart[],
): Promise<void> {
  await tx.query(
    `insert into refund_parts (institute_id, refund_id, part_no, linked_id, amount_paise)
     select $1, $2, t.no, t.linked, t.paise from unnest($3::int[], $4::text[], $5::bigint[]) as t (no, linked, paise)`,
    [
      instituteId,
      id,
      parts.map(part => part.partNo),
      parts.map(part => part.linkedId),
      parts.map(part => part.amountPaise),
    ],
  )
  await tx.query('update refunds set is_split = true where institute_id = $1 and id = $2', [instituteId, id])
}

export type StoredRefundPart = RefundPart & { refundId: string; settledUtr: string | null }

export async function listRefundParts(
  db: Queryable,
  instituteId: number,
  refundIds: readonly string[],
): Promise<StoredRefundPart[]> {
  return db.query<StoredRefundPart>(
    `select t.refund_id as "refundId", t.part_no as "partNo", t.linked_id as "linkedId", t.amount_paise as "amountPaise",
       s.utr as "settledUtr"
     from refund_parts t left join settlements s on s.institute_id = t.institute_id and s.id = t.settlement_id
     where t.institute_id = $1 and t.refund_id = any($2) order by t.refund_id, t.part_no`,
    [instituteId, refundIds],
  )
}

/** What refunds that did not fail have taken of each part of a payment. */
export async function sumGiven(
  db: Queryable,
  instituteId: number,
  paymentId: string,
): Promise<Map<number, Paise>> {
  const rows = await db.query<{ partNo: number; paise: Paise }>(
    `select t.part_no as "partNo", sum(t.amount_paise)::bigint as paise
     from refunds r join refund_parts t on t.institute_id = r.institute_id and t.refund_id = r.id
     where r.institute_id = $1 and r.payment_id = $2 and r.state <> 'failed' group by 1`,
    [instituteId, paymentId],
  )
  return new Map(rows.map(({ partNo, paise }) => [partNo, paise]))
}

type SettledIn = { instituteId: number; settlementId: string; linkedId: string | null }

/** Marks a part of each of these payments as settled; answers those of which nothing is missing now. */
export async function settleParts(
  tx: Transaction,
  { instituteId, settlementId, linkedId }: SettledIn,
  paymentIds: readonly string[],
): Promise<string[]> {
  await tx.query(
    `update payment_parts set settlement_id = $2
     where institute_id = $1 and payment_id = any($3) and linked_id is not distinct from $4`,
    [instituteId, settlementId, paymentIds, linkedId],
  )
  const rows = await tx.query<{ id: string; isWhole: boolean }>(
    `update payments p set parts_settled_paise = t.paise,
       settlement_id = coalesce(p.settlement_id, case when t.paise = p.amount_paise then $2 end)
     from (select payment_id, sum(amount_paise) filter (where settlement_id is not null) as paise from payment_parts
       where institute_id = $1 and payment_id = any($3) group by 1) t,
       (select id, settlement_id as before from payments where institute_id = $1 and id = any($3)) b
     where p.institute_id = $1 and p.id = t.payment_id and b.id = p.id
     returning p.id, b.before is null and t.paise = p.amount_paise as "isWhole"`,
    [instituteId, settlementId, paymentIds],
  )
  return rows.filter(({ isWhole }) => isWhole).map(({ id }) => id)
}

export async function settleRefundParts(
  tx: Transaction,
  { instituteId, settlementId, linkedId }: SettledIn,
  refunds: readonly { ourId: string; feePaise: Paise }[],
): Promise<void> {
  const ids = refunds.map(({ ourId }) => ourId)
  await tx.query(
    `update refund_parts set settlement_id = $2
     where institute_id = $1 and refund_id = any($3) and linked_id is not distinct from $4`,
    [instituteId, settlementId, ids, linkedId],
  )
  await tx.query(
    `update refunds r set settlement_fee_paise = r.settlement_fee_paise + f.fee,
       settlement_id = coalesce(r.settlement_id, case when t.paise = r.amount_paise then $2 end)
     from (select refund_id, sum(amount_paise) filter (where settlement_id is not null) as paise from refund_parts
       where institute_id = $1 and refund_id = any($3) group by 1) t, unnest($3::text[], $4::bigint[]) as f (id, fee)
     where r.institute_id = $1 and r.id = t.refund_id and f.id = r.id`,
    [instituteId, settlementId, ids, refunds.map(({ feePaise }) => feePaise)],
  )
}

/** Writes a part's settlement on the lines of the order that it pays. */
export async function settleLines(
  tx: Transaction,
  instituteId: number,
  paymentIds: readonly string[],
  { linkedId, utr, settledAt }: { linkedId: string | null; utr: string; settledAt: Date },
): Promise<void> {
  await tx.query(
    `update order_lines l set settlement_utr = $3, settled_at = $4
     from payment_parts t join payments p on p.institute_id = t.institute_id and p.id = t.payment_id
     where l.institute_id = $1 and t.institute_id = $1 and p.institute_id = $1 and t.payment_id = any($2)
       and t.linked_id is not distinct from $5 and not p.is_duplicate
       and l.order_id = p.order_id and l.line_no = any(t.line_nos)`,
    [instituteId, paymentIds, utr, settledAt, linkedId],
  )
}
