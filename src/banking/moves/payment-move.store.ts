import type { Transaction } from '../../platform/db/database.ts'

/**
 * What names the payment by its id names the new one: its cheque, which stays on its slip, the post-dated cheque that it
 * came of, and the line of the bank statement that it is matched with.
 */
export async function followMove(
  tx: Transaction,
  instituteId: number,
  { from, to }: { from: string; to: string },
): Promise<void> {
  const values = [instituteId, from, to]
  await Promise.all([
    tx.query('update cheques set payment_id = $3 where institute_id = $1 and payment_id = $2', values),
    tx.query(
      'update post_dated_cheques set payment_id = $3 where institute_id = $1 and payment_id = $2',
      values,
    ),
    tx.query(
      `update bank_matches m set target_id = $3, label = e.label from bank_expected e
       where m.institute_id = $1 and m.target_id = $2 and e.institute_id = $1 and e.kind = m.kind and e.id = $3`,
      values,
    ),
  ])
}
