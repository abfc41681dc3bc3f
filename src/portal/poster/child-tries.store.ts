import type { Database, Transaction } from '../../platform/db/database.ts'
import { isHere } from '../../platform/db/query.ts'
import type { TriesTable } from '../../platform/db/tries.ts'
import type { Tries } from '../../platform/rate-limits.rules.ts'

/** Guesses at children of an institute. They use real time, as those at passwords. */
export function childTries(instituteId: number): TriesTable {
  return {
    async lock(tx, subject) {
      const [row] = await tx.query<Tries>(
        `insert into child_tries (institute_id, subject, failures, last_at) values ($1, $2, 0, now())
         on conflict (institute_id, subject) do update set subject = excluded.subject
         returning failures, last_at as "lastAt", blocked_until as "blockedUntil"`,
        [instituteId, subject],
      )
      return row === undefined || row.failures === 0 ? null : row
    },
    async write(tx, subject, { failures, lastAt, blockedUntil }) {
      await tx.query(
        `update child_tries set failures = $3, last_at = $4, blocked_until = $5
         where institute_id = $1 and subject = $2`,
        [instituteId, subject, failures, lastAt, blockedUntil],
      )
    },
  }
}

export async function forgetTries(tx: Transaction, instituteId: number, subject: string): Promise<void> {
  await tx.query('delete from child_tries where institute_id = $1 and subject = $2', [instituteId, subject])
}

/** Deletes what no limit counts any more. */
export async function purgeOld(db: Database, limit: number): Promise<number> {
  const rows = await db.query(
    `delete from child_tries where (institute_id, subject) in (
       select institute_id, subject from child_tries where last_at <= now() - interval '8 days' and ${isHere()} limit $1)
     returning 1`,
    [limit],
  )
  return rows.length
}
