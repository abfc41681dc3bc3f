import type { Queryable, Transaction } from '../../platform/db/database.ts'
import { isUniqueViolation } from '../../platform/db/errors.ts'
import type { FieldProblem } from '../../platform/errors.ts'
import type { FeeComponent } from '../../fees/fees.rules.ts'
import type { StoredStudent, StudentChange } from '../../students/profile/update.rules.ts'
import type { Student } from '../../students/students.rules.ts'
import { COLUMNS, toStudent, type StudentRow } from '../../students/students.store.ts'

export type StudentKey = { instituteId: number; studentId: string }

const ASKED_FOR = `from unnest($1::int[], $2::text[]) with ordinality as r (institute_id, id, no)
  join students s on s.institute_id = r.institute_id and s.id = r.id`

/** In the order asked for; null where there is no such student. */
export async function readStudents(db: Queryable, keys: readonly StudentKey[]): Promise<(Student | null)[]> {
  const rows = await db.query<StudentRow & Numbered>(`select r.no, ${COLUMNS} ${ASKED_FOR}`, columnsOf(keys))
  return inOrder(keys, rows, toStudent)
}

/** The same with their fees. */
export async function readStoredStudents(
  db: Queryable,
  keys: readonly StudentKey[],
): Promise<(StoredStudent | null)[]> {
  if (keys.length === 0) return []
  const rows = await db.query<StudentRow & Numbered & { fees: FeeComponent[] }>(
    `select r.no, ${COLUMNS},
       (select coalesce(json_agg(json_build_object('componentType', f.component_type, 'position', f.position,
           'feePaise', f.fee_paise, 'discounts', f.discounts) order by f.position), '[]') from fee_components f
        where f.institute_id = s.institute_id and f.student_id = s.id) as fees ${ASKED_FOR}`,
    columnsOf(keys),
  )
  return inOrder(keys, rows, row => ({ student: toStudent(row), fees: row.fees }))
}

type Numbered = { no: number }

function columnsOf(keys: readonly StudentKey[]): unknown[] {
  return [keys.map(key => key.instituteId), keys.map(key => key.studentId)]
}

function inOrder<Row extends Numbered, Result>(
  keys: readonly StudentKey[],
  rows: readonly Row[],
  read: (row: Row) => Result,
): (Result | null)[] {
  const byNumber = new Map(rows.map(row => [row.no, row]))
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

/** Everything that is said of a student, its state apart. */
export async function updateStudent(
  tx: Transaction,
  instituteId: number,
  student: Student,
  updatedAt: Date,
): Promise<void> {
  await tx.query(
    `update students set collector_code = $3, identifier = $4, grade = $5, academic_year_start = $6,
       academic_year_end = $7, custom_identifier = $8, fullname = $9, new_admission = $10, date_of_birth = $11,
       primary_contact_name = $12, primary_contact_number = $13, primary_contact_email = $14, updated_at = $15
     where institute_id = $1 and id = $2`,
    [
      instituteId,
      student.id,
      student.collectorCode,
      student.identifier,
      student.grade,
      student.academicYearStart,
      student.academicYearEnd,
      student.customIdentifier,
      student.fullname,
      student.newAdmission,
      student.dateOfBirth,
      student.contactName,
      student.contactNumber,
      student.contactEmail,
      updatedAt,
    ],
  )
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

/** Any number in one statement. */
export async function insertFetches(
  db: Queryable,
  fetches: readonly (Fetch & { instituteId: number })[],
): Promise<void> {
  if (fetches.length === 0) return
  const column = <Value>(of: (fetch: Fetch & { instituteId: number }) => Value): Value[] => fetches.map(of)
  await db.query(
    `insert into erp_fetches (institute_id, id, student_id, identifier, reason, fetched_at, duration_ms, outcome,
       http_status, code, message, problems, changes)
     select institute_id, id, student_id, identifier, reason, fetched_at, duration_ms, outcome, http_status, code,
       message, problems::jsonb, changes::jsonb
     from unnest($1::int[], $2::text[], $3::text[], $4::text[], $5::text[], $6::timestamptz[], $7::int[], $8::text[],
       $9::int[], $10::text[], $11::text[], $12::text[], $13::text[]) as f (institute_id, id, student_id, identifier,
       reason, fetched_at, duration_ms, outcome, http_status, code, message, problems, changes)`,
    [
      column(fetch => fetch.instituteId),
      column(fetch => fetch.id),
      column(fetch => fetch.studentId),
      column(fetch => fetch.identifier),
      column(fetch => fetch.reason),
      column(fetch => fetch.fetchedAt),
      column(fetch => fetch.durationMs),
      column(fetch => fetch.outcome),
      column(fetch => fetch.httpStatus),
      column(fetch => fetch.code),
      column(fetch => fetch.message),
      column(fetch => JSON.stringify(fetch.problems)),
      column(fetch => JSON.stringify(fetch.changes)),
    ],
  )
}

/** Of one student, newest first; ids sort by when they were made. */
export async function listFetches(
  db: Queryable,
  { instituteId, studentId }: StudentKey,
  { cursor, limit }: { cursor: string | undefined; limit: number },
): Promise<Fetch[]> {
  return db.query<Fetch>(
    `select id, student_id as "studentId", identifier, reason, fetched_at as "fetchedAt", duration_ms as "durationMs",
       outcome, http_status as "httpStatus", code, message, problems, changes
     from erp_fetches where institute_id = $1 and student_id = $2 and ($3::text is null or id < $3)
     order by id desc limit $4`,
    [instituteId, studentId, cursor ?? null, limit],
  )
}

export async function hasFetch(
  db: Queryable,
  { instituteId, studentId }: StudentKey,
  id: string,
): Promise<boolean> {
  const rows = await db.query(
    'select 1 from erp_fetches where institute_id = $1 and student_id = $2 and id = $3',
    [instituteId, studentId, id],
  )
  return rows.length > 0
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
