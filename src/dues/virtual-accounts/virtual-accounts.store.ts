import type { Database, Queryable, Transaction } from '../../platform/db/database.ts'
import { isHere } from '../../platform/db/query.ts'
import { updateDue } from '../../platform/jobs/due-rows.ts'
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
  /** How often the provider was asked for it. */
  tries: number
  /** It is asked then, for the number or to close it; null when nothing is to be asked. */
  dueAt: Date | null
  /** Why the provider does not do it. */
  refusal: string | null
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
  tries: 'int',
  dueAt: 'timestamptz',
  refusal: 'text',
})

export async function insertAccount(tx: Transaction, account: VirtualAccount): Promise<void> {
  await accounts.insert(tx, [account])
}

export async function setOpened(tx: Transaction, account: VirtualAccount): Promise<void> {
  await accounts.update(tx, [account], {
    key: ['instituteId', 'id'],
    set: ['state', 'providerRef', 'accountNumber', 'ifsc', 'upiId', 'openedAt', 'dueAt', 'refusal'],
  })
}

export async function setClosed(tx: Transaction, account: VirtualAccount): Promise<void> {
  await accounts.update(tx, [account], { key: ['instituteId', 'id'], set: ['state', 'closedAt', 'dueAt'] })
}

/** Counts that the provider is asked for one that is still opening. */
export async function countTry(tx: Transaction, account: VirtualAccount): Promise<void> {
  const { tries } = account
  await accounts.update(tx, [{ ...account, tries: tries + 1 }], {
    key: ['instituteId', 'id'],
    set: ['tries'],
  })
}

/** Has the provider asked for one in the background, or again for one that it did not give. */
export async function request(tx: Transaction, account: VirtualAccount): Promise<void> {
  await accounts.insert(tx, [account], {
    onConflict: `on conflict (institute_id, student_id) where state <> 'closed'
      do update set due_at = excluded.due_at, refusal = null where virtual_accounts.state = 'opening'`,
  })
}

/** One about which the provider is asked now. */
export type DueAccount = VirtualAccount & { dueAt: Date }

const DUE = { table: 'virtual_accounts', where: 'due_at <= $1', order: 'due_at' }

/** Takes those about which a provider is to be asked; one that nobody then finishes is due again after minutes. */
export async function claimDue(db: Database, now: Date, limit: number): Promise<DueAccount[]> {
  const set = `due_at = $1::timestamptz + interval '5 minutes', tries = tries + 1`
  const returning = accounts.columns('virtual_accounts')
  return updateDue(db, DUE, { now, limit }, { set, returning, isHold: true })
}

export async function nextDue(db: Queryable): Promise<Date | null> {
  const [row] = await db.query<{ at: Date | null }>(
    `select min(due_at) as at from virtual_accounts where due_at is not null and ${isHere()}`,
    [],
  )
  return row?.at ?? null
}

/** What came of asking, unless something else became of it meanwhile. */
export async function setAsked(db: Queryable, account: VirtualAccount): Promise<void> {
  const { instituteId, id, state, dueAt, refusal } = account
  await db.query(
    `update virtual_accounts set due_at = $4, refusal = $5 where institute_id = $1 and id = $2 and state = $3`,
    [instituteId, id, state, dueAt, refusal],
  )
}

export type AccountCounts = { given: number; waiting: number; refused: number; refusal: string | null }

/** Counts open accounts: given, asked for, and refused with one of the reasons. */
export async function countAccounts(db: Queryable, instituteId: number): Promise<AccountCounts> {
  const [row] = await db.query<AccountCounts>(
    `select count(*) filter (where a.state = 'active')::int as given,
       count(*) filter (where a.state = 'opening' and a.due_at is not null)::int as waiting,
       count(*) filter (where a.state = 'opening' and a.refusal is not null)::int as refused,
       max(a.refusal) filter (where a.state = 'opening') as refusal
     from virtual_accounts a where a.institute_id = $1`,
    [instituteId],
  )
  return row ?? { given: 0, waiting: 0, refused: 0, refusal: null }
}

/** Open accounts by student. */
export async function listOfStudents(
  db: Queryable,
  instituteId: number,
  studentIds: readonly string[],
): Promise<Map<string, VirtualAccount>> {
  const rows = await db.query<VirtualAccount>(
    `select ${accounts.columns('a')} from virtual_accounts a
     where a.institute_id = $1 and a.student_id = any ($2) and a.state <> 'closed'`,
    [instituteId, studentIds],
  )
  return new Map(rows.map(row => [row.studentId, row]))
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
