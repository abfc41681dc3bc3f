import type { Queryable, Transaction } from '../../../platform/db/database.ts'
import { deleteOldRows } from '../../../platform/db/table.ts'
import type { Tries } from '../../../platform/rate-limits.rules.ts'

/** Holds the row, which is made if need be, until the transaction ends; null when there were no tries before. */
export async function lockTries(tx: Transaction, subject: string): Promise<Tries | null> {
  const [row] = await tx.query<Tries>(
    `insert into console_tries (subject, failures, last_at) values ($1, 0, now())
     on conflict (subject) do update set subject = excluded.subject
     returning failures, last_at as "lastAt", blocked_until as "blockedUntil"`,
    [subject],
  )
  return row === undefined || row.failures === 0 ? null : row
}

export async function writeTries(tx: Transaction, subject: string, tries: Tries): Promise<void> {
  await tx.query(
    'update console_tries set failures = $2, last_at = $3, blocked_until = $4 where subject = $1',
    [subject, tries.failures, tries.lastAt, tries.blockedUntil],
  )
}

export async function purgeTries(db: Queryable, subject: string): Promise<void> {
  await db.query('delete from console_tries where subject = $1', [subject])
}

export async function deleteOldTries(db: Queryable, before: Date, limit: number): Promise<number> {
  return deleteOldRows(db, { table: 'console_tries', key: ['subject'], at: 'last_at' }, before, limit)
}

/** Whether somebody has signed in with this device, and whether this person has. */
export async function findDevice(
  db: Queryable,
  secretHash: Buffer,
  person: { email: string } | { userId: string },
): Promise<{ isKnown: boolean; isTheirs: boolean }> {
  const [column, value] = 'email' in person ? ['u.email', person.email] : ['u.id', person.userId]
  const [row] = await db.query<{ isKnown: boolean; isTheirs: boolean | null }>(
    `select count(*) > 0 as "isKnown", bool_or(${column} = $2 and u.disabled_at is null) as "isTheirs"
     from console_devices d join console_users u on u.id = d.user_id where d.secret_hash = $1`,
    [secretHash, value],
  )
  return { isKnown: row?.isKnown ?? false, isTheirs: row?.isTheirs ?? false }
}

/** The oldest make room. */
export async function putDevice(
  tx: Transaction,
  userId: string,
  { secretHash, most }: { secretHash: Buffer; most: number },
): Promise<void> {
  await tx.query(
    `insert into console_devices (user_id, secret_hash) values ($1, $2)
     on conflict (user_id, secret_hash) do update set last_used_at = excluded.last_used_at`,
    [userId, secretHash],
  )
  await tx.query(
    `delete from console_devices where user_id = $1 and secret_hash in (
       select secret_hash from console_devices where user_id = $1 order by last_used_at desc offset $2)`,
    [userId, most],
  )
}

export async function deleteDevices(tx: Transaction, userId: string): Promise<void> {
  await tx.query('delete from console_devices where user_id = $1', [userId])
}

export async function deleteOldDevices(db: Queryable, before: Date, limit: number): Promise<number> {
  return deleteOldRows(
    db,
    { table: 'console_devices', key: ['user_id', 'secret_hash'], at: 'last_used_at' },
    before,
    limit,
  )
}

/** Several may be good at a time: one that somebody else asked for does not end the one that is on its way. */
export async function insertCode(tx: Transaction, userId: string, codeHash: Buffer): Promise<void> {
  await tx.query('insert into console_unlock_codes (user_id, code_hash) values ($1, $2)', [userId, codeHash])
}

export async function hasCodeSince(tx: Transaction, userId: string, since: Date): Promise<boolean> {
  const rows = await tx.query(
    'select from console_unlock_codes where user_id = $1 and created_at > $2 limit 1',
    [userId, since],
  )
  return rows.length > 0
}

export async function isCodeOf(
  db: Queryable,
  email: string,
  { codeHash, since }: { codeHash: Buffer; since: Date },
): Promise<boolean> {
  const rows = await db.query(
    `select from console_unlock_codes c join console_users u on u.id = c.user_id
     where u.email = $1 and c.code_hash = $2 and c.created_at > $3 and u.disabled_at is null`,
    [email, codeHash, since],
  )
  return rows.length > 0
}

export async function deleteCodesOf(db: Queryable, userId: string): Promise<void> {
  await db.query('delete from console_unlock_codes where user_id = $1', [userId])
}

export async function deleteOldCodes(db: Queryable, before: Date, limit: number): Promise<number> {
  return deleteOldRows(
    db,
    { table: 'console_unlock_codes', key: ['user_id', 'code_hash'], at: 'created_at' },
    before,
    limit,
  )
}
