import { isHere } from '../../platform/db/query.ts'
import type { Queryable, Transaction } from '../../platform/db/database.ts'
import { Table } from '../../platform/db/table.ts'
import type { LinkedAccount } from './destinations.rules.ts'

/** A bank account of the school as an account at a provider knows it. */
export type SettlementAccount = {
  instituteId: number
  bankAccountId: string
  accountId: string
  linkedId: string
  formerIds: readonly string[]
  state: 'unverified' | 'verified'
  problem: string | null
  checkedAt: Date
  createdAt: Date
  createdBy: string
  changedAt: Date
  changedBy: string
}

const rows = new Table<SettlementAccount>('settlement_accounts', {
  instituteId: 'int',
  bankAccountId: 'text',
  accountId: 'text',
  linkedId: 'text',
  formerIds: 'text[]',
  state: 'text',
  problem: 'text',
  checkedAt: 'timestamptz',
  createdAt: 'timestamptz',
  createdBy: 'text',
  changedAt: 'timestamptz',
  changedBy: 'text',
})

/** With the name of the bank account, the oldest first. */
export type NamedSettlementAccount = SettlementAccount & { name: string }

export async function listSettlementAccounts(
  db: Queryable,
  instituteId: number,
): Promise<NamedSettlementAccount[]> {
  return db.query<NamedSettlementAccount>(
    `select ${rows.columns('s')}, a.name from settlement_accounts s
     join bank_accounts a on a.institute_id = s.institute_id and a.id = s.bank_account_id
     where s.institute_id = $1 order by s.bank_account_id, s.account_id`,
    [instituteId],
  )
}

export async function putSettlementAccount(tx: Transaction, account: SettlementAccount): Promise<void> {
  await rows.insert(tx, [account], {
    onConflict: `on conflict (institute_id, bank_account_id, account_id) do update set
      ${rows.excluded(['linkedId', 'formerIds', 'state', 'problem', 'checkedAt', 'changedAt', 'changedBy'])}`,
  })
}

/** The names of bank accounts by their ids. */
export async function readBankAccountNames(db: Queryable, instituteId: number): Promise<Map<string, string>> {
  const found = await db.query<{ id: string; name: string }>(
    'select id, name from bank_accounts where institute_id = $1',
    [instituteId],
  )
  return new Map(found.map(({ id, name }) => [id, name]))
}

export type ComponentAccount = { componentType: string; bankAccountId: string; name: string }

export async function listComponentAccounts(db: Queryable, instituteId: number): Promise<ComponentAccount[]> {
  return db.query<ComponentAccount>(
    `select c.component_type as "componentType", c.bank_account_id as "bankAccountId", a.name
     from component_accounts c join bank_accounts a on a.institute_id = c.institute_id and a.id = c.bank_account_id
     where c.institute_id = $1 order by c.component_type`,
    [instituteId],
  )
}

/** Replaces them whole. */
export async function writeComponentAccounts(
  tx: Transaction,
  instituteId: number,
  components: readonly Omit<ComponentAccount, 'name'>[],
): Promise<void> {
  await tx.query('delete from component_accounts where institute_id = $1', [instituteId])
  await tx.query(
    `insert into component_accounts (institute_id, component_type, bank_account_id)
     select $1, c.component_type, c.bank_account_id from unnest($2::text[], $3::text[]) as c (component_type, bank_account_id)`,
    [
      instituteId,
      components.map(({ componentType }) => componentType),
      components.map(({ bankAccountId }) => bankAccountId),
    ],
  )
}

/** What the parts of payments through a school's own account are, or were, settled to. */
export async function listLinkedIdsOfSchool(
  db: Queryable,
  instituteId: number,
  accountId: string,
): Promise<string[]> {
  const found = await db.query<{ linkedId: string }>(
    `select distinct unnest(s.linked_id || s.former_ids) as "linkedId" from settlement_accounts s
     where s.institute_id = $1 and s.account_id = $2 order by 1`,
    [instituteId, accountId],
  )
  return found.map(({ linkedId }) => linkedId)
}

/** The same of an account of the whole installation. */
export async function listLinkedIds(db: Queryable, accountId: string): Promise<string[]> {
  const found = await db.query<{ linkedId: string }>(
    `select distinct unnest(s.linked_id || s.former_ids) as "linkedId" from settlement_accounts s
     where s.account_id = $1 and ${isHere('s.institute_id')} order by 1`,
    [accountId],
  )
  return found.map(({ linkedId }) => linkedId)
}

export function toLinked({
  bankAccountId,
  name,
  accountId,
  linkedId,
  state,
}: NamedSettlementAccount): LinkedAccount {
  return { bankAccountId, name, accountId, linkedId, isVerified: state === 'verified' }
}
