import type { Queryable } from '../../../platform/db/database.ts'
import { Table } from '../../../platform/db/table.ts'

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
