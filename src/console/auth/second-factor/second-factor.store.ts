import type { Queryable, Transaction } from '../../../platform/db/database.ts'
import { Table, deleteOldRows } from '../../../platform/db/table.ts'

export type Passkey = {
  id: string
  userId: string
  credentialId: string
  publicKey: Buffer
  counter: number
  transports: string[]
  name: string
  createdAt: Date
  lastUsedAt: Date | null
}

const passkeys = new Table<Passkey>('console_passkeys', {
  id: 'text',
  userId: 'text',
  credentialId: 'text',
  publicKey: 'bytea',
  counter: 'bigint',
  transports: 'text[]',
  name: 'text',
  createdAt: 'timestamptz',
  lastUsedAt: 'timestamptz',
})
const SELECT = `select ${passkeys.columns('k')} from console_passkeys k`

export async function listPasskeys(db: Queryable, userId: string): Promise<Passkey[]> {
  return db.query<Passkey>(`${SELECT} where k.user_id = $1 order by k.id`, [userId])
}

export async function findByCredential(db: Queryable, credentialId: string): Promise<Passkey | null> {
  const [row] = await db.query<Passkey>(`${SELECT} where k.credential_id = $1`, [credentialId])
  return row ?? null
}

const WRITTEN = ['id', 'userId', 'credentialId', 'publicKey', 'counter', 'transports', 'name'] as const

/** False when the passkey is known already. */
export async function insertPasskey(
  tx: Transaction,
  passkey: Pick<Passkey, (typeof WRITTEN)[number]>,
): Promise<boolean> {
  const options = { only: WRITTEN, onConflict: 'on conflict (credential_id) do nothing' }
  return (await passkeys.insert(tx, [passkey], options)) === 1
}

/** False when it was used meanwhile: of two uses with one counter, one is a copy's. */
export async function countUse(
  db: Queryable,
  id: string,
  counter: { before: number; after: number },
): Promise<boolean> {
  const rows = await db.query(
    `update console_passkeys set counter = $3, last_used_at = now() where id = $1 and counter = $2 returning 1`,
    [id, counter.before, counter.after],
  )
  return rows.length === 1
}

export async function renamePasskey(
  tx: Transaction,
  passkey: { userId: string; id: string },
  name: string,
): Promise<boolean> {
  const rows = await tx.query(
    'update console_passkeys set name = $3 where user_id = $1 and id = $2 returning 1',
    [passkey.userId, passkey.id, name],
  )
  return rows.length === 1
}

export async function deletePasskey(
  tx: Transaction,
  passkey: { userId: string; id: string },
): Promise<{ name: string } | null> {
  const [row] = await tx.query<{ name: string }>(
    'delete from console_passkeys where user_id = $1 and id = $2 returning name',
    [passkey.userId, passkey.id],
  )
  return row ?? null
}

export async function deletePasskeysOf(tx: Transaction, userId: string): Promise<void> {
  await tx.query('delete from console_passkeys where user_id = $1', [userId])
}

export type Purpose = 'register' | 'factor' | 'alone'
export type Challenge = { challengeHash: Buffer; purpose: Purpose; userId: string | null }

export async function insertChallenge(
  db: Queryable,
  { challengeHash, purpose, userId }: Challenge,
): Promise<void> {
  await db.query(
    'insert into console_passkey_challenges (challenge_hash, purpose, user_id) values ($1, $2, $3)',
    [challengeHash, purpose, userId],
  )
}

/** Whoever takes it first, has it. */
export async function takeChallenge(
  db: Queryable,
  { challengeHash, purpose, userId }: Challenge,
  since: Date,
): Promise<boolean> {
  const rows = await db.query(
    `delete from console_passkey_challenges
     where challenge_hash = $1 and purpose = $2 and user_id is not distinct from $3 and created_at > $4 returning 1`,
    [challengeHash, purpose, userId, since],
  )
  return rows.length === 1
}

export async function deleteOldChallenges(db: Queryable, before: Date, limit: number): Promise<number> {
  return deleteOldRows(
    db,
    { table: 'console_passkey_challenges', key: ['challenge_hash'], at: 'created_at' },
    before,
    limit,
  )
}

/** SQL: whether the person `u` has a second factor. */
export const HAS_FACTOR = `(u.totp_confirmed_at is not null
  or exists (select from console_passkeys k where k.user_id = u.id))`

/** SQL: whether the operator, or a school that the person `u` works for, requires one. Demo people have no password to add it to. */
export const REQUIRES_FACTOR = `(not u.is_demo and (
  exists (select from instance_settings t where t.key = 'second_factor' and t.value = 'required')
  or exists (select from console_memberships r join institutes q on q.id = r.institute_id
    where r.user_id = u.id and q.requires_second_factor)))`

export async function isRequiredOf(db: Queryable, userId: string): Promise<boolean> {
  const [row] = await db.query<{ isRequired: boolean }>(
    `select ${REQUIRES_FACTOR} as "isRequired" from console_users u where u.id = $1`,
    [userId],
  )
  return row?.isRequired ?? false
}

export async function isRequiredAt(db: Queryable, instituteId: number): Promise<boolean> {
  const [row] = await db.query<{ isRequired: boolean }>(
    'select requires_second_factor as "isRequired" from institutes where id = $1',
    [instituteId],
  )
  return row?.isRequired ?? false
}
