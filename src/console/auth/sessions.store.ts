import type { Queryable, Transaction } from '../../platform/db/database.ts'
import { Table } from '../../platform/db/table.ts'
import type { Role, Who } from '../console.rules.ts'
import { HAS_FACTOR, REQUIRES_FACTOR } from './second-factor/second-factor.store.ts'

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

const WRITTEN = ['id', 'secretHash', 'userId', 'csrf', 'ip', 'agent'] as const

export async function insertSession(
  tx: Transaction,
  session: Pick<StoredSession, (typeof WRITTEN)[number]>,
): Promise<void> {
  await sessions.insert(tx, [session], { only: WRITTEN })
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
  const rows = await db.query(
    `delete from console_sessions where id in (
       select id from console_sessions where last_seen_at < $1 limit $2) returning 1`,
    [before, limit],
  )
  return rows.length
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
