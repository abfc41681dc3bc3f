import type { Queryable, Transaction } from '../../platform/db/database.ts'
import { Table, deleteOldRows } from '../../platform/db/table.ts'
import type { Role, Who } from '../console.rules.ts'
import { HAS_FACTOR, REQUIRES_FACTOR } from './second-factor/second-factor.store.ts'

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

const USER_COLUMNS = ['id', 'email', 'name', 'isOperator', 'isDemo'] as const

/** False when the address is taken. */
export async function insertUser(
  tx: Transaction,
  user: Pick<ConsoleUser, (typeof USER_COLUMNS)[number]>,
): Promise<boolean> {
  const options = { only: USER_COLUMNS, onConflict: 'on conflict (email) do nothing' }
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

export type SessionRow = {
  id: string
  createdAt: Date
  lastSeenAt: Date
  ip: string
  agent: string
}

type StoredSession = SessionRow & { secretHash: Buffer; userId: string; csrf: string }

const sessions = new Table<StoredSession>('console_sessions', {
  id: 'text',
  createdAt: 'timestamptz',
  lastSeenAt: 'timestamptz',
  ip: 'text',
  agent: 'text',
  secretHash: 'bytea',
  userId: 'text',
  csrf: 'text',
})

type FoundSession = Who & { createdAt: Date; lastSeenAt: Date }

/** The session of a cookie with its person, if neither has been ended. */
export async function findSession(db: Queryable, secretHash: Buffer): Promise<FoundSession | null> {
  const [row] = await db.query<FoundSession>(
    `select s.id as "sessionId", ${sessions.columns('s', ['csrf', 'createdAt', 'lastSeenAt', 'userId'])},
       u.email, u.name, u.is_operator as "isOperator", not ${HAS_FACTOR} and ${REQUIRES_FACTOR} as "isMissingFactor"
     from console_sessions s join console_users u on u.id = s.user_id
     where s.secret_hash = $1 and s.ended_at is null and u.disabled_at is null`,
    [secretHash],
  )
  return row ?? null
}

const SESSION_COLUMNS = ['id', 'secretHash', 'userId', 'csrf', 'ip', 'agent'] as const

export async function insertSession(
  tx: Transaction,
  session: Pick<StoredSession, (typeof SESSION_COLUMNS)[number]>,
): Promise<void> {
  await sessions.insert(tx, [session], { only: SESSION_COLUMNS })
}

export async function touchSession(db: Queryable, id: string): Promise<void> {
  await db.query('update console_sessions set last_seen_at = now() where id = $1 and ended_at is null', [id])
}

/** False when it is not a session of this person that is still open. */
export async function endSession(
  db: Queryable,
  session: { userId: string; id: string },
  because: string,
): Promise<boolean> {
  const rows = await db.query(
    `update console_sessions set ended_at = now(), ended_because = $3
     where user_id = $1 and id = $2 and ended_at is null returning 1`,
    [session.userId, session.id, because],
  )
  return rows.length === 1
}

/** All of a person's but one. */
export async function endSessions(
  tx: Transaction,
  userId: string,
  { except, because }: { except: string | null; because: string },
): Promise<number> {
  const rows = await tx.query(
    `update console_sessions set ended_at = now(), ended_because = $3
     where user_id = $1 and id is distinct from $2 and ended_at is null returning 1`,
    [userId, except, because],
  )
  return rows.length
}

export async function listOpenSessions(
  db: Queryable,
  userId: string,
  newerThan: { seen: Date; created: Date },
): Promise<SessionRow[]> {
  return db.query<SessionRow>(
    `select ${sessions.columns('s', ['id', 'createdAt', 'lastSeenAt', 'ip', 'agent'])} from console_sessions s
     where s.user_id = $1 and s.ended_at is null and s.last_seen_at > $2 and s.created_at > $3
     order by s.last_seen_at desc limit 100`,
    [userId, newerThan.seen, newerThan.created],
  )
}

export async function deleteOldSessions(db: Queryable, before: Date, limit: number): Promise<number> {
  return deleteOldRows(db, { table: 'console_sessions', key: ['id'], at: 'last_seen_at' }, before, limit)
}

/** The institute of this code, and what the person is in it; null when there is none of that code. */
export async function findMembership(
  db: Queryable,
  userId: string,
  instituteCode: string,
): Promise<{ role: Role | null } | null> {
  const [row] = await db.query<{ role: Role | null }>(
    `select m.role from institutes i left join console_memberships m on m.institute_id = i.id and m.user_id = $1
     where i.code = $2`,
    [userId, instituteCode],
  )
  return row ?? null
}

type OwnInstitute = { code: string; name: string; role: Role | null }

/** The person's institutes; an operator has all. */
export async function listInstitutesOf(
  db: Queryable,
  { userId, isOperator }: Pick<Who, 'userId' | 'isOperator'>,
  limit: number,
): Promise<OwnInstitute[]> {
  return db.query<OwnInstitute>(
    `select i.code, i.name, m.role from institutes i
     left join console_memberships m on m.institute_id = i.id and m.user_id = $1
     where $2 or m.user_id is not null order by m.role is null, i.name, i.code limit $3`,
    [userId, isOperator, limit],
  )
}

export type OwnLender = { code: string; title: string }

/** The lenders at whose desk somebody works; with a code that one alone. */
export async function listLendersOf(
  db: Queryable,
  userId: string,
  code: string | null = null,
): Promise<OwnLender[]> {
  return db.query<OwnLender>(
    `select l.code, l.title from console_lender_members m join lenders l on l.code = m.lender
     where m.user_id = $1 and ($2::text is null or l.code = $2) order by l.title, l.code limit 50`,
    [userId, code],
  )
}

export type SignInRow = {
  id: string
  userId: string | null
  at: Date
  ip: string
  agent: string
  /** Null when it was refused. */
  by: string | null
}

const signIns = new Table<SignInRow>('console_sign_ins', {
  id: 'text',
  userId: 'text',
  at: 'timestamptz',
  ip: 'text',
  agent: 'text',
  by: 'text',
})

export async function insertSignIn(db: Queryable, row: Omit<SignInRow, 'at'>): Promise<void> {
  await signIns.insert(db, [row], { only: ['id', 'userId', 'ip', 'agent', 'by'] })
}

export async function listSignIns(db: Queryable, userId: string, limit: number): Promise<SignInRow[]> {
  return db.query<SignInRow>(
    `select ${signIns.columns('s')} from console_sign_ins s where s.user_id = $1 order by s.id desc limit $2`,
    [userId, limit],
  )
}

export async function deleteOldSignIns(
  db: Queryable,
  before: { anybodys: Date; nobodys: Date },
  limit: number,
): Promise<number> {
  const rows = await db.query(
    `delete from console_sign_ins where id in (
       select id from console_sign_ins where at < $1 or (at < $2 and user_id is null) limit $3) returning 1`,
    [before.anybodys, before.nobodys, limit],
  )
  return rows.length
}
