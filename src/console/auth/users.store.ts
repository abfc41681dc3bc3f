import type { Queryable, Transaction } from '../../platform/db/database.ts'
import { Table } from '../../platform/db/table.ts'
import type { Role } from '../console.rules.ts'
import { HAS_FACTOR } from './second-factor/second-factor.store.ts'

/** Somebody who may sign in to the console. */
export type ConsoleUser = {
  id: string
  email: string
  name: string
  passwordHash: string | null
  totpSecretSealed: Buffer | null
  totpConfirmedAt: Date | null
  totpLastStep: number | null
  isOperator: boolean
  isDemo: boolean
  createdAt: Date
  disabledAt: Date | null
}

const users = new Table<ConsoleUser>('console_users', {
  id: 'text',
  email: 'text',
  name: 'text',
  passwordHash: 'text',
  totpSecretSealed: 'bytea',
  totpConfirmedAt: 'timestamptz',
  totpLastStep: 'bigint',
  isOperator: 'boolean',
  isDemo: 'boolean',
  createdAt: 'timestamptz',
  disabledAt: 'timestamptz',
})
const SELECT = `select ${users.columns('u')} from console_users u`

export async function findUserByEmail(db: Queryable, email: string): Promise<ConsoleUser | null> {
  const [user] = await db.query<ConsoleUser>(`${SELECT} where u.email = $1`, [email])
  return user ?? null
}

export async function findUser(db: Queryable, id: string): Promise<ConsoleUser | null> {
  const [user] = await db.query<ConsoleUser>(`${SELECT} where u.id = $1`, [id])
  return user ?? null
}

export async function lockUser(tx: Transaction, id: string): Promise<ConsoleUser | null> {
  const [user] = await tx.query<ConsoleUser>(`${SELECT} where u.id = $1 for update`, [id])
  return user ?? null
}

const WRITTEN = ['id', 'email', 'name', 'isOperator', 'isDemo'] as const

/** False when the address is taken. */
export async function insertUser(
  tx: Transaction,
  user: Pick<ConsoleUser, (typeof WRITTEN)[number]>,
): Promise<boolean> {
  const options = { only: WRITTEN, onConflict: 'on conflict (email) do nothing' }
  return (await users.insert(tx, [user], options)) === 1
}

export async function setPassword(tx: Transaction, id: string, passwordHash: string | null): Promise<void> {
  await tx.query('update console_users set password_hash = $2 where id = $1', [id, passwordHash])
}

export async function setName(tx: Transaction, id: string, name: string): Promise<void> {
  await tx.query('update console_users set name = $2 where id = $1', [id, name])
}

export async function makeOperator(tx: Transaction, id: string): Promise<void> {
  await tx.query('update console_users set is_operator = true where id = $1', [id])
}

export async function setDisabled(tx: Transaction, id: string, isDisabled: boolean): Promise<void> {
  await tx.query(`update console_users set disabled_at = ${isDisabled ? 'now()' : 'null'} where id = $1`, [
    id,
  ])
}

export async function setTotpSecret(tx: Transaction, id: string, sealed: Buffer | null): Promise<void> {
  await tx.query(
    `update console_users set totp_secret_sealed = $2, totp_confirmed_at = null, totp_last_step = null where id = $1`,
    [id, sealed],
  )
}

export async function confirmTotp(tx: Transaction, id: string, step: number): Promise<void> {
  await tx.query('update console_users set totp_confirmed_at = now(), totp_last_step = $2 where id = $1', [
    id,
    step,
  ])
}

/** False when a code of this step or a later one was taken meanwhile. */
export async function takeTotpStep(db: Queryable, id: string, step: number): Promise<boolean> {
  const rows = await db.query(
    `update console_users set totp_last_step = $2
     where id = $1 and (totp_last_step is null or totp_last_step < $2) returning 1`,
    [id, step],
  )
  return rows.length === 1
}

export async function replaceRecoveryCodes(
  tx: Transaction,
  userId: string,
  hashes: readonly Buffer[],
): Promise<void> {
  await tx.query('delete from console_recovery_codes where user_id = $1', [userId])
  await tx.query(
    'insert into console_recovery_codes (user_id, code_hash) select $1, h from unnest($2::bytea[]) as h',
    [userId, hashes],
  )
}

/** False when there is no such code or it was used before. */
export async function takeRecoveryCode(db: Queryable, userId: string, codeHash: Buffer): Promise<boolean> {
  const rows = await db.query(
    `update console_recovery_codes set used_at = now()
     where user_id = $1 and code_hash = $2 and used_at is null returning 1`,
    [userId, codeHash],
  )
  return rows.length === 1
}

export async function countRecoveryCodes(db: Queryable, userId: string): Promise<number> {
  const [row] = await db.query<{ count: number }>(
    'select count(*) as count from console_recovery_codes where user_id = $1 and used_at is null',
    [userId],
  )
  return row?.count ?? 0
}

const LISTED = ['id', 'email', 'name', 'isOperator', 'createdAt', 'disabledAt'] as const

export type ListedUser = Pick<ConsoleUser, (typeof LISTED)[number]> & {
  hasPassword: boolean
  hasFactor: boolean
  lastSeenAt: Date | null
  memberships: { institute: string; role: Role }[]
}

export async function listUsers(db: Queryable, limit: number): Promise<ListedUser[]> {
  return db.query<ListedUser>(
    `select ${users.columns('u', LISTED)}, u.password_hash is not null as "hasPassword",
       ${HAS_FACTOR} as "hasFactor",
       (select max(s.last_seen_at) from console_sessions s where s.user_id = u.id) as "lastSeenAt",
       (select coalesce(json_agg(json_build_object('institute', i.code, 'role', m.role) order by i.code), '[]')
        from console_memberships m join institutes i on i.id = m.institute_id where m.user_id = u.id) as memberships
     from console_users u order by u.email limit $1`,
    [limit],
  )
}

export async function hasOperator(db: Queryable): Promise<boolean> {
  const rows = await db.query(
    'select from console_users where is_operator and not is_demo and disabled_at is null limit 1',
  )
  return rows.length > 0
}

export async function listDemoUsers(db: Queryable): Promise<Pick<ConsoleUser, 'id' | 'email' | 'name'>[]> {
  return db.query(
    'select id, email, name from console_users where is_demo and disabled_at is null order by is_operator, id',
  )
}
