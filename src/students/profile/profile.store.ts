import type { Queryable, Transaction } from '../../platform/db/database.ts'
import { Table } from '../../platform/db/table.ts'
import type { StudentKey, Student } from '../students.rules.ts'
import type { StudentChange, StoredStudent } from './profile.rules.ts'
import type { FeeComponent } from '../../fees/fees.rules.ts'
import { COLUMNS, feesOfStudent } from '../students.store.ts'

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

/** $3 has each institute once: a long array is sorted again for each student. */
const ASKED_FOR = `from unnest($1::int[], $2::text[]) with ordinality as r (institute_id, id, no)
  join students s on s.institute_id = r.institute_id and s.id = r.id where s.institute_id = any($3)`

/** Keeps the order asked for; null where there is no such student. */
export async function readStudents(db: Queryable, keys: readonly StudentKey[]): Promise<(Student | null)[]> {
  const rows = await db.query<Student & Numbered>(`select r.no, ${COLUMNS} ${ASKED_FOR}`, columnsOf(keys))
  return inOrder<Student, Student>(keys, rows, student => student)
}

/** The same with their fees. */
export async function readStoredStudents(
  db: Queryable,
  keys: readonly StudentKey[],
): Promise<(Omit<StoredStudent, 'ownCharges'> | null)[]> {
  if (keys.length === 0) return []
  const rows = await db.query<Student & Numbered & { fees: FeeComponent[] }>(
    `select r.no, ${COLUMNS},
       ${feesOfStudent('any ($3)')} as fees ${ASKED_FOR}`,
    columnsOf(keys),
  )
  return inOrder(keys, rows, ({ fees, ...student }) => ({ student, fees }))
}

type Numbered = { no: number }

function columnsOf(keys: readonly StudentKey[]): unknown[] {
  const institutes = keys.map(key => key.instituteId)
  return [institutes, keys.map(key => key.studentId), [...new Set(institutes)]]
}

function inOrder<Row extends object, Result>(
  keys: readonly StudentKey[],
  rows: readonly (Row & Numbered)[],
  read: (row: Omit<Row & Numbered, 'no'>) => Result,
): (Result | null)[] {
  const byNumber = new Map(rows.map(({ no, ...row }) => [no, row]))
  return keys.map((_, index) => {
    const row = byNumber.get(index + 1)
    return row === undefined ? null : read(row)
  })
}
