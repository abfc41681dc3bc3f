import { isHere } from '../../platform/db/query.ts'
import type { Database, Queryable, Transaction } from '../../platform/db/database.ts'
import type { Destination } from '../sign-in/sign-in.rules.ts'

/** Tokens and sessions. They expire by the database's clock, because the sandbox clock can be moved. */
export type NewToken = Destination & { instituteId: number; tokenHash: Buffer; registrationId: string }

const TOKEN_LIVES = `interval '15 minutes'`
const IDLE = `interval '2 hours'`
const AT_MOST = `interval '12 hours'`
/** Limits writes of `seen_at`. */
const SEEN_EVERY = `interval '1 minute'`

export async function insertToken(tx: Queryable, token: NewToken): Promise<Date> {
  const [row] = await tx.query<{ expiresAt: Date }>(
    `insert into access_tokens (institute_id, token_hash, registration_id, expires_at, student_id, product_type, callback_url)
     values ($1, $2, $3, now() + ${TOKEN_LIVES}, $4, $5, $6) returning expires_at as "expiresAt"`,
    [
      token.instituteId,
      token.tokenHash,
      token.registrationId,
      token.studentId,
      token.product,
      token.callbackUrl,
    ],
  )
  if (row === undefined) throw new Error('a token was not written')
  return row.expiresAt
}

export type SpentToken = Destination & { instituteId: number; registrationId: string }

/** Atomic: of two concurrent requests only one gets the row. */
export async function spendToken(
  tx: Transaction,
  instituteCode: string,
  tokenHash: Buffer,
): Promise<SpentToken | null> {
  const [row] = await tx.query<SpentToken>(
    `update access_tokens t set spent_at = now() from institutes i
     where i.code = $1 and t.institute_id = i.id and t.token_hash = $2 and t.spent_at is null and t.expires_at > now()
     returning t.institute_id as "instituteId", t.registration_id as "registrationId", t.student_id as "studentId",
       t.product_type as product, t.callback_url as "callbackUrl"`,
    [instituteCode, tokenHash],
  )
  return row ?? null
}

export type NewSession = {
  instituteId: number
  sessionHash: Buffer
  tokenHash: Buffer
  registrationId: string
  otherRegistrationIds: readonly string[]
  callbackUrl: string | null
}

export async function insertSession(tx: Transaction, session: NewSession): Promise<void> {
  await tx.query(
    `insert into parent_sessions (institute_id, session_hash, token_hash, registration_id, callback_url, other_registration_ids)
     values ($1, $2, $3, $4, $5, $6)`,
    [
      session.instituteId,
      session.sessionHash,
      session.tokenHash,
      session.registrationId,
      session.callbackUrl,
      session.otherRegistrationIds,
    ],
  )
}

export type StoredSession = {
  instituteId: number
  registrationId: string
  otherRegistrationIds: readonly string[]
  name: string
  callbackUrl: string | null
  tokenHash: Buffer
  isStale: boolean
}

/** Null when expired, by idle time or by age. */
export async function findSession(
  db: Queryable,
  instituteCode: string,
  sessionHash: Buffer,
): Promise<StoredSession | null> {
  const [row] = await db.query<StoredSession>(
    `select s.institute_id as "instituteId", s.registration_id as "registrationId", u.name,
       s.other_registration_ids as "otherRegistrationIds",
       s.callback_url as "callbackUrl", s.token_hash as "tokenHash", s.seen_at < now() - ${SEEN_EVERY} as "isStale"
     from institutes i join parent_sessions s on s.institute_id = i.id
     join users u on u.institute_id = s.institute_id and u.registration_id = s.registration_id
     where i.code = $1 and s.session_hash = $2 and s.seen_at > now() - ${IDLE} and s.created_at > now() - ${AT_MOST}`,
    [instituteCode, sessionHash],
  )
  return row ?? null
}

export async function markSeen(db: Queryable, instituteId: number, sessionHash: Buffer): Promise<void> {
  await db.query('update parent_sessions set seen_at = now() where institute_id = $1 and session_hash = $2', [
    instituteId,
    sessionHash,
  ])
}

export async function deleteSession(
  db: Queryable,
  instituteCode: string,
  sessionHash: Buffer,
): Promise<void> {
  await db.query(
    `delete from parent_sessions s using institutes i
     where i.code = $1 and s.institute_id = i.id and s.session_hash = $2`,
    [instituteCode, sessionHash],
  )
}

/** Deletes a batch of expired tokens and sessions; returns the count. */
export async function purgeOld(db: Database, limit: number): Promise<number> {
  const rows = await db.query(
    `with tokens as (
       delete from access_tokens where (institute_id, token_hash) in (
         select institute_id, token_hash from access_tokens where expires_at <= now() - interval '1 day' and ${isHere()} limit $1)
       returning 1
     ), sessions as (
       delete from parent_sessions where (institute_id, session_hash) in (
         select institute_id, session_hash from parent_sessions where created_at <= now() - ${AT_MOST} and ${isHere()} limit $1)
       returning 1
     )
     select 1 from tokens union all select 1 from sessions`,
    [limit],
  )
  return rows.length
}
