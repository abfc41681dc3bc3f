import type { Queryable, Transaction } from '../../platform/db/database.ts'
import { Table } from '../../platform/db/table.ts'
import type { StudentKey } from '../../students/students.rules.ts'

type VirtualAccountState = 'opening' | 'active' | 'closed'

/** The account number of a student at a provider; its numbers are null until the provider has given them. */
export type VirtualAccount = {
  instituteId: number
  id: string
  studentId: string
  provider: string
  accountId: string
  state: VirtualAccountState
  providerRef: string | null
  accountNumber: string | null
  ifsc: string | null
  upiId: string | null
  createdAt: Date
  openedAt: Date | null
  closedAt: Date | null
}

/** One whose number the provider has given. */
export type OpenVirtualAccount = VirtualAccount & {
  state: 'active' | 'closed'
  accountNumber: string
  ifsc: string
}

const accounts = new Table<VirtualAccount>('virtual_accounts', {
  instituteId: 'int',
  id: 'text',
  studentId: 'text',
  provider: 'text',
  accountId: 'text',
  state: 'text',
  providerRef: 'text',
  accountNumber: 'text',
  ifsc: 'text',
  upiId: 'text',
  createdAt: 'timestamptz',
  openedAt: 'timestamptz',
  closedAt: 'timestamptz',
})

export async function insertAccount(tx: Transaction, account: VirtualAccount): Promise<void> {
  await accounts.insert(tx, [account])
}

export async function setOpened(tx: Transaction, account: VirtualAccount): Promise<void> {
  await accounts.update(tx, [account], {
    key: ['instituteId', 'id'],
    set: ['state', 'providerRef', 'accountNumber', 'ifsc', 'upiId', 'openedAt'],
  })
}

export async function setClosed(tx: Transaction, account: VirtualAccount): Promise<void> {
  await accounts.update(tx, [account], { key: ['instituteId', 'id'], set: ['state', 'closedAt'] })
}

/** Deletes an account that the provider has not answered about, so that nobody has its number. */
export async function deleteOpening(tx: Transaction, { instituteId, id }: VirtualAccount): Promise<void> {
  await tx.query(`delete from virtual_accounts where institute_id = $1 and id = $2 and state = 'opening'`, [
    instituteId,
    id,
  ])
}

/** The one that is not closed, or else the last that was. */
export async function findOfStudent(
  db: Queryable,
  { instituteId, studentId }: StudentKey,
): Promise<VirtualAccount | null> {
  const [row] = await db.query<VirtualAccount>(
    `select ${accounts.columns('a')} from virtual_accounts a where a.institute_id = $1 and a.student_id = $2
     order by a.state = 'closed', a.created_at desc limit 1`,
    [instituteId, studentId],
  )
  return row ?? null
}

/** The one that the provider has under this name of its own. */
export async function findAtProvider(
  db: Queryable,
  instituteId: number,
  providerRef: string,
): Promise<VirtualAccount | null> {
  const [row] = await db.query<VirtualAccount>(
    `select ${accounts.columns('a')} from virtual_accounts a where a.institute_id = $1 and a.provider_ref = $2`,
    [instituteId, providerRef],
  )
  return row ?? null
}
