import type { Queryable, Transaction } from '../../../platform/db/database.ts'
import type { Tries } from '../../console.rules.ts'

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
  const rows = await db.query(
    `delete from console_tries where subject in (
       select subject from console_tries where last_at < $1 limit $2) returning 1`,
    [before, limit],
  )
  return rows.length
}
