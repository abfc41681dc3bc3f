import type { Queryable } from '../../platform/db/database.ts'
import { Table } from '../../platform/db/table.ts'
import type { ProviderAccount } from './accounts.rules.ts'

export type SealedAccount = ProviderAccount & { settingsSealed: Buffer }

const accounts = new Table<SealedAccount>('provider_accounts', {
  instituteId: 'int',
  id: 'text',
  provider: 'text',
  title: 'text',
  collectorCode: 'text',
  methods: 'text[]',
  rails: 'text[]',
  keyKind: 'text',
  keyHint: 'text',
  settingsSealed: 'bytea',
  version: 'int',
  pausedAt: 'timestamptz',
  checkedAt: 'timestamptz',
  checkProblem: 'text',
  heardAt: 'timestamptz',
  createdAt: 'timestamptz',
  createdBy: 'text',
  changedAt: 'timestamptz',
  changedBy: 'text',
})

const COLUMNS = accounts.columns('a')

export async function listAccounts(db: Queryable, instituteId: number): Promise<SealedAccount[]> {
  return db.query<SealedAccount>(
    `select ${COLUMNS} from provider_accounts a where a.institute_id = $1 order by a.id`,
    [instituteId],
  )
}

/** Of every institute. */
export async function listAllAccounts(db: Queryable): Promise<SealedAccount[]> {
  return db.query<SealedAccount>(`select ${COLUMNS} from provider_accounts a order by a.institute_id, a.id`)
}

/** Whose account it is: a callback names nothing but the account. */
export async function findInstituteOf(db: Queryable, accountId: string): Promise<number | null> {
  const [row] = await db.query<{ institute_id: number }>(
    'select institute_id from provider_accounts where id = $1',
    [accountId],
  )
  return row?.institute_id ?? null
}
