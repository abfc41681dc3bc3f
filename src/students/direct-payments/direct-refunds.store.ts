import type { Queryable, Transaction } from '../../platform/db/database.ts'
import { Table } from '../../platform/db/table.ts'
import type { Paise } from '../../platform/money.ts'
import type { RefundWay } from './direct-payments.rules.ts'

type DirectRefundLine = { lineNo: number; componentType: string; amountPaise: Paise }

/** What the office has paid out again of a payment that it took itself. */
export type DirectRefund = {
  id: string
  paymentId: string
  /** The year and number of its voucher. */
  financialYear: string
  number: number
  amountPaise: Paise
  way: RefundWay
  /** The number of the cheque, or the bank's name for the transfer. */
  reference: string | null
  reason: string
  refundedAt: Date
  refundedBy: string
  lines: DirectRefundLine[]
}

const refunds = new Table<Omit<DirectRefund, 'lines'>>('direct_refunds', {
  id: 'text',
  paymentId: 'text',
  financialYear: 'text',
  number: 'int',
  amountPaise: 'bigint',
  way: 'text',
  reference: 'text',
  reason: 'text',
  refundedAt: 'timestamptz',
  refundedBy: 'text',
})
const ofInstitute = refunds.with<{ instituteId: number }>({ instituteId: 'int' })

const refundLines = new Table<DirectRefundLine>('direct_refund_lines', {
  lineNo: 'int',
  componentType: 'text',
  amountPaise: 'bigint',
})
const linesToWrite = refundLines.with<{ instituteId: number; refundId: string }>({
  instituteId: 'int',
  refundId: 'text',
})

const SELECT = `select ${refunds.columns('r')},
    (select json_agg(${refundLines.json('l')} order by l.line_no) from direct_refund_lines l
     where l.institute_id = $1 and l.refund_id = r.id) as lines
  from direct_refunds r where r.institute_id = $1`

export async function listRefundsOf(
  db: Queryable,
  instituteId: number,
  paymentIds: readonly string[],
): Promise<DirectRefund[]> {
  return db.query<DirectRefund>(`${SELECT} and r.payment_id = any($2) order by r.refunded_at, r.id`, [
    instituteId,
    paymentIds,
  ])
}

export async function findRefund(
  db: Queryable,
  instituteId: number,
  id: string,
): Promise<DirectRefund | null> {
  const [row] = await db.query<DirectRefund>(`${SELECT} and r.id = $2`, [instituteId, id])
  return row ?? null
}

/** Vouchers are numbered without gaps, so one is written at a time. */
export async function nextVoucherNumber(
  tx: Transaction,
  instituteId: number,
  financialYear: string,
): Promise<number> {
  await tx.query(`select pg_advisory_xact_lock(hashtextextended('vouchers ' || $1::int, 0))`, [instituteId])
  const [row] = await tx.query<{ next: number }>(
    `select coalesce(max(number), 0) + 1 as next from direct_refunds
     where institute_id = $1 and financial_year = $2`,
    [instituteId, financialYear],
  )
  return row?.next ?? 1
}

export async function insertRefund(
  tx: Transaction,
  instituteId: number,
  refund: DirectRefund,
): Promise<void> {
  await ofInstitute.insert(tx, [{ ...refund, instituteId }])
  await linesToWrite.insert(
    tx,
    refund.lines.map(line => ({ ...line, instituteId, refundId: refund.id })),
  )
}
