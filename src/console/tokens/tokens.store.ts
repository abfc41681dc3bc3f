import type { Queryable, Transaction } from '../../platform/db/database.ts'
import { Table } from '../../platform/db/table.ts'
import { HAS_FACTOR, REQUIRES_FACTOR } from '../auth/second-factor/second-factor.store.ts'
import type { TokenScope } from './tokens.rules.ts'

export type PersonalToken = {
  id: string
  name: string
  scopes: readonly TokenScope[]
  createdAt: Date
  expiresAt: Date
  lastUsedAt: Date | null
}
type Owner = { instituteId: number; userId: string }

const tokens = new Table<PersonalToken>('personal_tokens', {
  id: 'text',
  name: 'text',
  scopes: 'text[]',
  createdAt: 'timestamptz',
  expiresAt: 'timestamptz',
  lastUsedAt: 'timestamptz',
})
const STANDS = 't.revoked_at is null and t.expires_at > now()'

export async function listTokens(db: Queryable, { instituteId, userId }: Owner): Promise<PersonalToken[]> {
  return db.query<PersonalToken>(
    `select ${tokens.columns('t')} from personal_tokens t
     where t.institute_id = $1 and t.user_id = $2 and ${STANDS} order by t.created_at desc, t.id`,
    [instituteId, userId],
  )
}

const owned = tokens.with<Owner & { secretHash: Buffer }>({
  instituteId: 'int',
  userId: 'text',
  secretHash: 'bytea',
})

export async function insertToken(
  tx: Transaction,
  token: PersonalToken & Owner & { secretHash: Buffer },
): Promise<void> {
  await owned.insert(tx, [token])
}

/** Null when it is no token of this person that still stands. */
export async function revokeToken(
  tx: Transaction,
  { instituteId, userId }: Owner,
  id: string,
): Promise<PersonalToken | null> {
  const [row] = await tx.query<PersonalToken>(
    `update personal_tokens t set revoked_at = now()
     where t.institute_id = $1 and t.user_id = $2 and t.id = $3 and ${STANDS} returning ${tokens.columns('t')}`,
    [instituteId, userId, id],
  )
  return row ?? null
}

/** Revokes them at every school, because somebody else may have got hold of one. */
export async function revokeAll(tx: Transaction, userId: string): Promise<void> {
  await tx.query('update personal_tokens set revoked_at = now() where user_id = $1 and revoked_at is null', [
    userId,
  ])
}

type TokenHolder = Pick<PersonalToken, 'id' | 'name' | 'scopes' | 'lastUsedAt'> & {
  userId: string
  email: string
  userName: string
  isOperator: boolean
  isMissingFactor: boolean
}

export async function findHolder(
  db: Queryable,
  instituteId: number,
  secretHash: Buffer,
): Promise<TokenHolder | null> {
  const [row] = await db.query<TokenHolder>(
    `select t.id, t.name, t.scopes, t.last_used_at as "lastUsedAt", u.id as "userId", u.email, u.name as "userName",
       u.is_operator as "isOperator", not ${HAS_FACTOR} and ${REQUIRES_FACTOR} as "isMissingFactor"
     from personal_tokens t join console_users u on u.id = t.user_id
     where t.institute_id = $1 and t.secret_hash = $2 and ${STANDS} and u.disabled_at is null`,
    [instituteId, secretHash],
  )
  return row ?? null
}

export async function touchToken(db: Queryable, instituteId: number, id: string): Promise<void> {
  await db.query('update personal_tokens set last_used_at = now() where institute_id = $1 and id = $2', [
    instituteId,
    id,
  ])
}
