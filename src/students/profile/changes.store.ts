import type { Queryable, Transaction } from '../../platform/db/database.ts'
import type { StudentKey } from '../../erp/pull/pull.store.ts'
import type { StudentChange } from './update.rules.ts'

export type ProfileChange = {
  changedAt: Date
  source: 'registration' | 'update' | 'import'
  changes: readonly StudentChange[]
}

/** Any number of one institute's students in one statement; those that changed nothing are left out. */
export async function insertProfileChanges(
  tx: Transaction,
  instituteId: number,
  { changedAt, source }: Omit<ProfileChange, 'changes'>,
  students: readonly { studentId: string; changes: readonly StudentChange[] }[],
): Promise<void> {
  const changed = students.filter(({ changes }) => changes.length > 0)
  if (changed.length === 0) return
  await tx.query(
    `insert into student_changes (institute_id, student_id, changed_at, source, changes)
     select $1, c.id, $2, $3, c.changes::jsonb from unnest($4::text[], $5::text[]) as c (id, changes)`,
    [
      instituteId,
      changedAt,
      source,
      changed.map(({ studentId }) => studentId),
      changed.map(({ changes }) => JSON.stringify(changes)),
    ],
  )
}

/** Newest first. */
export async function listProfileChanges(
  db: Queryable,
  { instituteId, studentId }: StudentKey,
  limit: number,
): Promise<ProfileChange[]> {
  return db.query<ProfileChange>(
    `select changed_at as "changedAt", source, changes from student_changes
     where institute_id = $1 and student_id = $2 order by change_no desc limit $3`,
    [instituteId, studentId, limit],
  )
}
