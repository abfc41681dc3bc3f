import type { Queryable, Transaction } from '../../platform/db/database.ts'
import { Table } from '../../platform/db/table.ts'
import type { StudentKey } from '../students.rules.ts'
import type { StudentChange } from './update.rules.ts'

export type ProfileChange = {
  changedAt: Date
  source: 'registration' | 'update' | 'import'
  changes: readonly StudentChange[]
}

const profileChanges = new Table<ProfileChange>('student_changes', {
  changedAt: 'timestamptz',
  source: 'text',
  changes: 'jsonb',
})
const changesOfStudents = profileChanges.with<StudentKey>({ instituteId: 'int', studentId: 'text' })

/** Any number of one institute's students in one statement; those that changed nothing are left out. */
export async function insertProfileChanges(
  tx: Transaction,
  instituteId: number,
  { changedAt, source }: Omit<ProfileChange, 'changes'>,
  students: readonly { studentId: string; changes: readonly StudentChange[] }[],
): Promise<void> {
  const changed = students.filter(({ changes }) => changes.length > 0)
  const rows = changed.map(student => ({ ...student, instituteId, changedAt, source }))
  await changesOfStudents.insert(tx, rows)
}

/** Newest first. */
export async function listProfileChanges(
  db: Queryable,
  { instituteId, studentId }: StudentKey,
  limit: number,
): Promise<ProfileChange[]> {
  return db.query<ProfileChange>(
    `select ${profileChanges.columns('c')} from student_changes c
     where c.institute_id = $1 and c.student_id = $2 order by c.change_no desc limit $3`,
    [instituteId, studentId, limit],
  )
}
