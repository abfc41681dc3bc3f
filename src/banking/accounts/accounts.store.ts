import type { Queryable, Transaction } from '../../platform/db/database.ts'
import { Table } from '../../platform/db/table.ts'

export type BankAccount = { id: string; name: string; createdAt: Date }

const accounts = new Table<BankAccount>('bank_accounts', {
  id: 'text',
  name: 'text',
  createdAt: 'timestamptz',
})
const ofInstitute = accounts.with<{ instituteId: number }>({ instituteId: 'int' })

export async function listAccounts(db: Queryable, instituteId: number): Promise<BankAccount[]> {
  return db.query<BankAccount>(
    `select ${accounts.columns('a')} from bank_accounts a where a.institute_id = $1 order by a.id`,
    [instituteId],
  )
}

/** False when one has this name already. */
export async function insertAccount(
  tx: Transaction,
  instituteId: number,
  account: BankAccount,
): Promise<boolean> {
  return (
    (await ofInstitute.insert(tx, [{ ...account, instituteId }], {
      onConflict: 'on conflict do nothing',
    })) === 1
  )
}
