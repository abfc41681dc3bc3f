import type { Queryable, Transaction } from '../platform/db.ts'
import type { Caller, Scope } from './institutes.rules.ts'
import { INSTITUTE_COLUMNS, toInstitute, type InstituteRow } from './institutes.store.ts'

export type ApiKey = {
  keyId: string
  label: string
  scopes: Scope[]
  ratePerSecond: number | null
  burst: number | null
  createdAt: Date
  lastUsedAt: Date | null
  revokedAt: Date | null
}

type CallerRow = InstituteRow & {
  key_id: string
  secret_hash: Buffer
  scopes: Scope[]
  rate_per_second: number | null
  burst: number | null
}

/** The active key with its institute: everything a request needs to know of its caller in one round trip. */
export async function findCaller(
  db: Queryable,
  keyId: string,
): Promise<{ caller: Caller; secretHash: Buffer } | null> {
  const [row] = await db.query<CallerRow>(
    `select k.key_id, k.secret_hash, k.scopes, k.rate_per_second, k.burst, ${INSTITUTE_COLUMNS}
     from api_keys k join institutes i on i.id = k.institute_id
     where k.key_id = $1 and k.revoked_at is null`,
    [keyId],
  )
  if (row === undefined) return null
  const caller: Caller = {
    institute: toInstitute(row),
    keyId: row.key_id,
    scopes: row.scopes,
    ratePerSecond: row.rate_per_second,
    burst: row.burst,
  }
  return { caller, secretHash: row.secret_hash }
}

export async function listKeys(db: Queryable, instituteId: number): Promise<ApiKey[]> {
  const rows = await db.query<{
    key_id: string
    label: string
    scopes: Scope[]
    rate_per_second: number | null
    burst: number | null
    created_at: Date
    last_used_at: Date | null
    revoked_at: Date | null
  }>(
    `select key_id, label, scopes, rate_per_second, burst, created_at, last_used_at, revoked_at
     from api_keys where institute_id = $1 order by created_at, key_id`,
    [instituteId],
  )
  return rows.map(row => ({
    keyId: row.key_id,
    label: row.label,
    scopes: row.scopes,
    ratePerSecond: row.rate_per_second,
    burst: row.burst,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
    revokedAt: row.revoked_at,
  }))
}

export async function insertKey(
  tx: Transaction,
  key: {
    instituteId: number
    keyId: string
    label: string
    secretHash: Buffer
    scopes: readonly Scope[]
    ratePerSecond: number | null
    burst: number | null
  },
): Promise<void> {
  await tx.query(
    `insert into api_keys (institute_id, key_id, label, secret_hash, scopes, rate_per_second, burst)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    [key.instituteId, key.keyId, key.label, key.secretHash, key.scopes, key.ratePerSecond, key.burst],
  )
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
): Promise<{ label: string; scopes: Scope[] } | null> {
  const [row] = await db.query<{ label: string; scopes: Scope[] }>(
    `update api_keys set revoked_at = now()
     where key_id = $1 and revoked_at is null and ($2::int is null or institute_id = $2) returning label, scopes`,
    [keyId, instituteId],
  )
  return row ?? null
}

export async function touchKeys(db: Queryable, keyIds: readonly string[]): Promise<void> {
  await db.query('update api_keys set last_used_at = now() where key_id = any($1)', [keyIds])
}

export async function findKeyOwner(
  db: Queryable,
  keyId: string,
): Promise<{
  instituteCode: string
  label: string
  scopes: Scope[]
  ratePerSecond: number | null
  burst: number | null
} | null> {
  const [row] = await db.query<{
    code: string
    label: string
    scopes: Scope[]
    rate_per_second: number | null
    burst: number | null
  }>(
    `select i.code, k.label, k.scopes, k.rate_per_second, k.burst
     from api_keys k join institutes i on i.id = k.institute_id
     where k.key_id = $1 and k.revoked_at is null`,
    [keyId],
  )
  if (row === undefined) return null
  return {
    instituteCode: row.code,
    label: row.label,
    scopes: row.scopes,
    ratePerSecond: row.rate_per_second,
    burst: row.burst,
  }
}
