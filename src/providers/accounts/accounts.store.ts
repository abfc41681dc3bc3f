import { isHere } from '../../platform/db/query.ts'
import type { Queryable, Transaction } from '../../platform/db/database.ts'
import { isUniqueViolation } from '../../platform/db/errors.ts'
import { Table } from '../../platform/db/table.ts'
import { conflict } from '../../platform/errors.ts'
import type { ProviderAccount } from './accounts.rules.ts'

export type SealedAccount = ProviderAccount & { settingsSealed: Buffer; keyFingerprint: string }

const accounts = new Table<SealedAccount>('provider_accounts', {
  instituteId: 'int',
  id: 'text',
  provider: 'text',
  title: 'text',
  collectorCode: 'text',
  methods: 'text[]',
  rails: 'text[]',
  ways: 'jsonb',
  keyKind: 'text',
  keyHint: 'text',
  settingsSealed: 'bytea',
  keyFingerprint: 'text',
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

/** Lists accounts of every institute. */
export async function listAllAccounts(db: Queryable): Promise<SealedAccount[]> {
  return db.query<SealedAccount>(
    `select ${COLUMNS} from provider_accounts a where ${isHere('a.institute_id')} order by a.institute_id, a.id`,
  )
}

/** Finds the institute of an account: a callback names nothing but the account. */
export async function findInstituteOf(db: Queryable, accountId: string): Promise<number | null> {
  const [row] = await db.query<{ institute_id: number }>(
    'select institute_id from provider_accounts where id = $1',
    [accountId],
  )
  return row?.institute_id ?? null
}

export async function lockAccount(
  tx: Transaction,
  instituteId: number,
  id: string,
): Promise<SealedAccount | null> {
  const [row] = await tx.query<SealedAccount>(
    `select ${COLUMNS} from provider_accounts a where a.institute_id = $1 and a.id = $2 for update`,
    [instituteId, id],
  )
  return row ?? null
}

/** Another account with the same key, of whatever institute. Held against others that are being set up with it. */
export async function lockKey(
  tx: Transaction,
  fingerprint: string,
): Promise<{ instituteId: number; id: string; title: string } | null> {
  await tx.query('select pg_advisory_xact_lock(hashtext($1))', [`bursar provider key ${fingerprint}`])
  const [row] = await tx.query<{ instituteId: number; id: string; title: string }>(
    'select institute_id as "instituteId", id, title from provider_accounts where key_fingerprint = $1 limit 1',
    [fingerprint],
  )
  return row ?? null
}

export async function insertAccount(tx: Transaction, account: SealedAccount): Promise<void> {
  await refuseSecond(() => accounts.insert(tx, [account]))
}

/** What may change of it. Counts as a change, so that every process makes it anew. */
export async function updateAccount(tx: Transaction, account: SealedAccount): Promise<void> {
  await refuseSecond(() =>
    accounts.update(tx, [account], {
      key: ['instituteId', 'id'],
      set: [
        'title',
        'methods',
        'rails',
        'ways',
        'keyKind',
        'keyHint',
        'keyFingerprint',
        'settingsSealed',
        'version',
        'pausedAt',
        'checkedAt',
        'checkProblem',
        'changedAt',
        'changedBy',
      ],
    }),
  )
}

async function refuseSecond(write: () => Promise<unknown>): Promise<void> {
  try {
    await write()
  } catch (error) {
    const purpose = (['payments', 'mandates'] as const).find(one =>
      isUniqueViolation(error, `provider_accounts_one_for_${one}`),
    )
    if (purpose === undefined) throw error
    throw conflict(
      `Another account takes the ${purpose} of the same branch. Pause that one first, or take ${purpose} off it.`,
    )
  }
}

export async function recordCheck(
  tx: Transaction,
  { instituteId, id }: Pick<ProviderAccount, 'instituteId' | 'id'>,
  { at, problem }: { at: Date; problem: string | null },
): Promise<void> {
  await tx.query(
    'update provider_accounts set checked_at = $3, check_problem = $4 where institute_id = $1 and id = $2',
    [instituteId, id, at, problem],
  )
}

/** Written once a minute at most: a busy account hears many a second. */
export async function recordHeard(
  db: Queryable,
  { instituteId, id }: Pick<ProviderAccount, 'instituteId' | 'id'>,
  at: Date,
): Promise<void> {
  await db.query(
    `update provider_accounts set heard_at = $3
     where institute_id = $1 and id = $2 and (heard_at is null or heard_at < $3::timestamptz - interval '1 minute')`,
    [instituteId, id, at],
  )
}
