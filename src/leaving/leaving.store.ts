import type { Queryable, Transaction } from '../platform/db/database.ts'
import { Table } from '../platform/db/table.ts'
import type { StudentKey } from '../students/students.rules.ts'
import type { Settlement } from './leaving.rules.ts'

export type Leaving = {
  id: string
  leftOn: string
  reason: string
  settlement: Settlement
  settledAt: Date
  settledBy: string
}

const leavings = new Table<Leaving & StudentKey>('leavings', {
  instituteId: 'int',
  studentId: 'text',
  id: 'text',
  leftOn: 'date',
  reason: 'text',
  settlement: 'jsonb',
  settledAt: 'timestamptz',
  settledBy: 'text',
})

export async function insertLeaving(tx: Transaction, key: StudentKey, leaving: Leaving): Promise<void> {
  await leavings.insert(tx, [{ ...leaving, ...key }])
}

/** The one that stands. */
export async function findLeaving(
  db: Queryable,
  { instituteId, studentId }: StudentKey,
): Promise<Leaving | null> {
  const [row] = await db.query<Leaving>(
    `select ${leavings.columns('l')} from leavings l
     where l.institute_id = $1 and l.student_id = $2 and l.ended_at is null`,
    [instituteId, studentId],
  )
  return row ?? null
}

/** It stands no more: the student came back, or was settled anew. */
export async function endLeaving(
  tx: Transaction,
  { instituteId, studentId }: StudentKey,
  at: Date,
): Promise<void> {
  await tx.query(
    'update leavings set ended_at = $3 where institute_id = $1 and student_id = $2 and ended_at is null',
    [instituteId, studentId, at],
  )
}

/** Students who left with money or cheques open and without a settlement. */
export async function countToSettle(db: Queryable, instituteId: number): Promise<number> {
  const [row] = await db.query<{ count: number }>(
    `select count(*)::int as count from students s where s.institute_id = $1 and s.status = 'dropped'
       and (exists (select from student_balances b where b.institute_id = s.institute_id and b.student_id = s.id
           and (b.outstanding_paise > 0 or b.advance_paise > 0))
         or exists (select from post_dated_cheques c where c.institute_id = s.institute_id and c.student_id = s.id
           and c.payment_id is null and c.ended_at is null))
       and not exists (select from leavings l where l.institute_id = s.institute_id and l.student_id = s.id
         and l.ended_at is null)`,
    [instituteId],
  )
  return row?.count ?? 0
}
