import type { FeeComponent } from '../../fees/fees.rules.ts'
import type { Queryable } from '../../platform/db/database.ts'
import type { Student, StudentKey } from '../students.rules.ts'
import { COLUMNS, feesOfStudent } from '../students.store.ts'
import type { StoredStudent } from './update.rules.ts'

/** $3 has each institute once: a long array is sorted again for each student. */
const ASKED_FOR = `from unnest($1::int[], $2::text[]) with ordinality as r (institute_id, id, no)
  join students s on s.institute_id = r.institute_id and s.id = r.id where s.institute_id = any($3)`

/** In the order asked for; null where there is no such student. */
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
