import type { Queryable, Transaction } from '../../platform/db/database.ts'
import { list, type Page, type PageRange } from '../../platform/db/list.ts'
import { Table } from '../../platform/db/table.ts'
import { isUniqueViolation } from '../../platform/db/errors.ts'
import type { FieldProblem } from '../../platform/errors.ts'
import type { FeeComponent } from '../../fees/fees.rules.ts'
import type { StoredStudent, StudentChange } from '../../students/profile/update.rules.ts'
import type { Student } from '../../students/students.rules.ts'
import { COLUMNS } from '../../students/students.store.ts'

export type StudentKey = { instituteId: number; studentId: string }

const ASKED_FOR = `from unnest($1::int[], $2::text[]) with ordinality as r (institute_id, id, no)
  join students s on s.institute_id = r.institute_id and s.id = r.id`

/** In the order asked for; null where there is no such student. */
export async function readStudents(db: Queryable, keys: readonly StudentKey[]): Promise<(Student | null)[]> {
  const rows = await db.query<Student & Numbered>(`select r.no, ${COLUMNS} ${ASKED_FOR}`, columnsOf(keys))
  return inOrder<Student, Student>(keys, rows, student => student)
}

/** The same with their fees. */
export async function readStoredStudents(
  db: Queryable,
  keys: readonly StudentKey[],
): Promise<(StoredStudent | null)[]> {
  if (keys.length === 0) return []
  const rows = await db.query<Student & Numbered & { fees: FeeComponent[] }>(
    `select r.no, ${COLUMNS},
       (select coalesce(json_agg(json_build_object('componentType', f.component_type, 'position', f.position,
           'feePaise', f.fee_paise, 'discounts', f.discounts) order by f.position), '[]') from fee_components f
        where f.institute_id = s.institute_id and f.student_id = s.id) as fees ${ASKED_FOR}`,
    columnsOf(keys),
  )
  return inOrder(keys, rows, ({ fees, ...student }) => ({ student, fees }))
}

type Numbered = { no: number }

function columnsOf(keys: readonly StudentKey[]): unknown[] {
  return [keys.map(key => key.instituteId), keys.map(key => key.studentId)]
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

/** The student other than this one that has its identity. */
export async function findIdentical(
  tx: Transaction,
  instituteId: number,
  student: Student,
): Promise<string | null> {
  const [row] = await tx.query<{ id: string }>(
    `select id from students where institute_id = $1 and identifier = $2 and grade = $3 and academic_year_start = $4
       and academic_year_end = $5 and collector_code = $6 and id <> $7`,
    [
      instituteId,
      student.identifier,
      student.grade,
      student.academicYearStart,
      student.academicYearEnd,
      student.collectorCode,
      student.id,
    ],
  )
  return row?.id ?? null
}

/** Another student got that identity between our look and our write. */
export function isIdentityClash(error: unknown): boolean {
  return isUniqueViolation(error, 'students_identity')
}

export type PullReason = 'flex_setup' | 'presentation' | 'reminder' | 'init' | 'test' | 'console'

/** One time that an ERP was asked, and what came of it. */
export type Fetch = {
  id: string
  studentId: string | null
  identifier: string
  reason: PullReason
  fetchedAt: Date
  durationMs: number
  outcome: 'found' | 'refused' | 'unavailable'
  httpStatus: number | null
  code: string | null
  message: string | null
  problems: readonly FieldProblem[]
  changes: readonly StudentChange[]
}

const erpFetches = new Table<Fetch>('erp_fetches', {
  id: 'text',
  studentId: 'text',
  identifier: 'text',
  reason: 'text',
  fetchedAt: 'timestamptz',
  durationMs: 'int',
  outcome: 'text',
  httpStatus: 'int',
  code: 'text',
  message: 'text',
  problems: 'jsonb',
  changes: 'jsonb',
})
const ofInstitute = erpFetches.with<{ instituteId: number }>({ instituteId: 'int' })

export async function insertFetches(
  db: Queryable,
  fetches: readonly (Fetch & { instituteId: number })[],
): Promise<void> {
  await ofInstitute.insert(db, fetches)
}

/** Of one student, newest first; ids sort by when they were made. */
export async function listFetches(
  db: Queryable,
  { instituteId, studentId }: StudentKey,
  page: PageRange,
): Promise<Page<Fetch>> {
  return list<Fetch>(
    db,
    {
      select: erpFetches.columns('f'),
      from: 'erp_fetches f',
      scope: [
        ['f.institute_id = $1', instituteId],
        ['f.student_id = $1', studentId],
      ],
      order: ['id'],
      direction: 'desc',
    },
    page,
  )
}

/** Those of ids below, a batch at a time. */
export async function purgeBelow(db: Queryable, id: string, limit: number): Promise<number> {
  const rows = await db.query(
    `delete from erp_fetches where (institute_id, id) in (
       select f.institute_id, f.id from institutes i cross join lateral (
         select institute_id, id from erp_fetches where institute_id = i.id and id < $1 order by id limit $2) f
       limit $2
     ) returning 1`,
    [id, limit],
  )
  return rows.length
}
