import type { Transaction } from '../platform/db/database.ts'
import type { OrderLine } from './orders.rules.ts'

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
