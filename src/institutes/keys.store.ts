import type { Queryable, Transaction } from '../platform/db/database.ts'
import { Table } from '../platform/db/table.ts'
import { expandScopes, type Caller, type Institute, type ScopeName } from './institutes.rules.ts'
import { INSTITUTE_COLUMNS } from './institute-row.ts'

export type ApiKey = {
  keyId: string
  label: string
  scopes: readonly ScopeName[]
  ratePerSecond: number | null
  burst: number | null
  createdAt: Date
  lastUsedAt: Date | null
  revokedAt: Date | null
}

type NewKey = Omit<ApiKey, 'createdAt' | 'lastUsedAt' | 'revokedAt'> & {
  instituteId: number
  secretHash: Buffer
}

const keys = new Table<ApiKey & NewKey>('api_keys', {
  instituteId: 'int',
  keyId: 'text',
  label: 'text',
  secretHash: 'bytea',
  scopes: 'text[]',
  ratePerSecond: 'int',
  burst: 'int',
  createdAt: 'timestamptz',
  lastUsedAt: 'timestamptz',
  revokedAt: 'timestamptz',
})

const GRANTED = ['keyId', 'scopes', 'ratePerSecond', 'burst'] as const

/** The active key with its institute: everything a request needs to know of its caller in one round trip. */
export async function findCaller(
  db: Queryable,
  keyId: string,
): Promise<{ caller: Caller; secretHash: Buffer; isLeaving: boolean } | null> {
  type Row = Institute & Pick<ApiKey, (typeof GRANTED)[number]> & { secretHash: Buffer; isLeaving: boolean }
  const [row] = await db.query<Row>(
    `select ${keys.columns('k', [...GRANTED, 'secretHash'])}, ${INSTITUTE_COLUMNS},
       exists (select from moving_schools m where m.school_id = i.id) as "isLeaving"
     from api_keys k join institutes i on i.id = k.institute_id
     where k.key_id = $1 and k.revoked_at is null`,
    [keyId],
  )
  if (row === undefined) return null
  const { keyId: id, scopes, ratePerSecond, burst, secretHash, isLeaving, ...institute } = row
  return {
    caller: { institute, keyId: id, scopes: expandScopes(scopes), ratePerSecond, burst },
    secretHash,
    isLeaving,
  }
}

export async function listKeys(db: Queryable, instituteId: number): Promise<ApiKey[]> {
  return db.query<ApiKey>(
    `select ${keys.columns('k', [...GRANTED, 'label', 'createdAt', 'lastUsedAt', 'revokedAt'])}
     from api_keys k where k.institute_id = $1 order by k.created_at, k.key_id`,
    [instituteId],
  )
}

export async function insertKey(tx: Transaction, key: NewKey): Promise<void> {
  await keys.insert(tx, [key], { only: ['instituteId', 'label', 'secretHash', ...GRANTED] })
}

export async function countActiveKeys(tx: Transaction, instituteId: number, label: string): Promise<number> {
  const [row] = await tx.query<{ count: number }>(
    `select count(*) as count from api_keys where institute_id = $1 and label = $2 and revoked_at is null`,
    [instituteId, label],
  )
  return row?.count ?? 0
}

/** Null when there is no such active key, or it is not this institute's. */
export async function revokeKey(
  db: Queryable,
  keyId: string,
  instituteId: number | null = null,
): Promise<{ label: string; scopes: ScopeName[] } | null> {
  const [row] = await db.query<{ label: string; scopes: ScopeName[] }>(
    `update api_keys set revoked_at = now()
     where key_id = $1 and revoked_at is null and ($2::int is null or institute_id = $2) returning label, scopes`,
    [keyId, instituteId],
  )
  return row ?? null
}

export async function touchKeys(db: Queryable, keyIds: readonly string[]): Promise<void> {
  await db.query('update api_keys set last_used_at = now() where key_id = any($1)', [keyIds])
}

export type KeyOwner = Pick<ApiKey, 'label' | 'scopes' | 'ratePerSecond' | 'burst'> & {
  instituteCode: string
}

export async function findKeyOwner(db: Queryable, keyId: string): Promise<KeyOwner | null> {
  const [row] = await db.query<KeyOwner>(
    `select i.code as "instituteCode", ${keys.columns('k', ['label', 'scopes', 'ratePerSecond', 'burst'])}
     from api_keys k join institutes i on i.id = k.institute_id
     where k.key_id = $1 and k.revoked_at is null`,
    [keyId],
  )
  return row ?? null
}
