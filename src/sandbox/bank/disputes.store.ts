import type { Queryable, Transaction } from '../../platform/db/database.ts'
import { Table } from '../../platform/db/table.ts'
import type { BankDispute } from './disputes.rules.ts'

const disputes = new Table<BankDispute>('bank_disputes', {
  instituteId: 'int',
  ref: 'text',
  paymentRef: 'text',
  amountPaise: 'bigint',
  state: 'text',
  reasonCode: 'text',
  respondBy: 'timestamptz',
  openedAt: 'timestamptz',
  closedAt: 'timestamptz',
})

export async function putBankDispute(tx: Transaction, dispute: BankDispute): Promise<void> {
  await disputes.insert(tx, [dispute], {
    onConflict: `on conflict (institute_id, ref) do update set ${disputes.excluded(['state', 'closedAt'])}`,
  })
}

/** Oldest first. */
export async function listBankDisputes(
  db: Queryable,
  instituteId: number,
  paymentRef: string,
): Promise<BankDispute[]> {
  return db.query<BankDispute>(
    `select ${disputes.columns('d')} from bank_disputes d where d.institute_id = $1 and d.payment_ref = $2
     order by d.opened_at, d.ref`,
    [instituteId, paymentRef],
  )
}
