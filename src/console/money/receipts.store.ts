import type { Queryable } from '../../platform/db/database.ts'
import type { ReceiptKey } from '../../receipts/receipts.rules.ts'
import { RECEIPTS, receiptList, type ReceiptRow } from './receipt.list.ts'

export async function readReceipts(
  db: Queryable,
  instituteId: number,
  keys: readonly ReceiptKey[],
): Promise<ReceiptRow[]> {
  return db.query<ReceiptRow>(
    `select ${receiptList.select} from ${RECEIPTS.from} ${RECEIPTS.join}
     where c.institute_id = $1
       and (c.financial_year, c.number) in (select k.year, k.number from unnest($2::text[], $3::int[]) as k (year, number))
     order by c.issued_at desc, c.financial_year desc, c.number desc`,
    [instituteId, keys.map(key => key.financialYear), keys.map(key => key.number)],
  )
}
