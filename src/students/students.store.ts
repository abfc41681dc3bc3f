import type { Database, Queryable, Transaction } from '../platform/db/database.ts'
import type { Paise } from '../platform/money.ts'
import type { FeeComponent } from '../fees/fees.rules.ts'
import type { Student } from './students.rules.ts'

/** A student with everything that its read views are made of. */
export type StudentRecord = {
  student: Student
  registrationIds: string[]
  fees: FeeComponent[]
  paid: Map<string, Paise>
}

export type StudentRow = {
  id: string
  collector_code: string
  identifier: string
  grade: string
  academic_year_start: number
  academic_year_end: number
  custom_identifier: string | null
  fullname: string
  new_admission: boolean
  date_of_birth: string | null
  primary_contact_name: string
  primary_contact_number: string
  primary_contact_email: string
  status: 'active' | 'dropped'
  created_at: Date
  updated_at: Date
}

export const COLUMNS = `s.id, s.collector_code, s.identifier, s.grade, s.academic_year_start, s.academic_year_end,
  s.custom_identifier, s.fullname, s.new_admission, s.date_of_birth, s.primary_contact_name, s.primary_contact_number,
  s.primary_contact_email, s.status, s.created_at, s.updated_at`

export const RECORD_COLUMNS = `${COLUMNS},
  (select coalesce(json_agg(u.registration_id order by u.linked_at, u.registration_id), '[]') from student_users u
   where u.institute_id = s.institute_id and u.student_id = s.id) as registration_ids,
  (select coalesce(json_agg(json_build_object('componentType', f.component_type, 'position', f.position,
      'feePaise', f.fee_paise, 'discounts', f.discounts) order by f.position), '[]') from fee_components f
   where f.institute_id = s.institute_id and f.student_id = s.id) as fees,
  (select coalesce(json_agg(json_build_array(p.component_type, p.paid)), '[]') from (
     select l.component_type, sum(l.amount_paise)::bigint as paid from student_paid_lines l
     where l.institute_id = s.institute_id and l.student_id = s.id group by l.component_type) p) as paid`

export type RecordRow = StudentRow & {
  registration_ids: string[]
  fees: FeeComponent[]
  paid: [string, Paise][]
}

const RECORD_BY_ID = `select ${RECORD_COLUMNS} from students s where s.institute_id = $1 and s.id = $2`

export async function findRecord(
  db: Database,
  instituteId: number,
  id: string,
): Promise<StudentRecord | null> {
  const [row] = await db.pointRead<RecordRow>(RECORD_BY_ID, [instituteId, id])
  return row === undefined ? null : toRecord(row)
}

/** The same inside a transaction, beside other reads of its snapshot. */
export async function readRecord(
  tx: Transaction,
  instituteId: number,
  id: string,
): Promise<StudentRecord | null> {
  const [row] = await tx.query<RecordRow>(RECORD_BY_ID, [instituteId, id])
  return row === undefined ? null : toRecord(row)
}

export async function hasStudent(db: Queryable, instituteId: number, id: string): Promise<boolean> {
  const rows = await db.query('select 1 from students where institute_id = $1 and id = $2', [instituteId, id])
  return rows.length === 1
}

export type StudentFilter = {
  identifier?: string | undefined
  grade?: string | undefined
  collectorCode?: string | undefined
  academicYearStart?: number | undefined
  academicYearEnd?: number | undefined
  registrationId?: string | undefined
  status?: string | undefined
  cursor?: string | undefined
}

/** Newest first; ids sort by creation, so the cursor is the id of the last one shown. */
export async function listRecords(
  db: Queryable,
  instituteId: number,
  filter: StudentFilter,
  limit: number,
): Promise<StudentRecord[]> {
  const values: unknown[] = [instituteId]
  const where = ['s.institute_id = $1']
  const add = (value: unknown, condition: (placeholder: string) => string): void => {
    if (value !== undefined) where.push(condition(`$${values.push(value)}`))
  }
  add(filter.identifier, value => `s.identifier = ${value}`)
  add(filter.grade, value => `s.grade = ${value}`)
  add(filter.collectorCode, value => `s.collector_code = ${value}`)
  add(filter.academicYearStart, value => `s.academic_year_start = ${value}`)
  add(filter.academicYearEnd, value => `s.academic_year_end = ${value}`)
  add(filter.status, value => `s.status = ${value}`)
  add(
    filter.registrationId,
    value =>
      `s.id in (select student_id from student_users where institute_id = $1 and registration_id = ${value})`,
  )
  add(filter.cursor, value => `s.id < ${value}`)
  const rows = await db.query<RecordRow>(
    `select ${RECORD_COLUMNS} from students s where ${where.join(' and ')}
     order by s.id desc limit $${values.push(limit)}`,
    values,
  )
  return rows.map(toRecord)
}

export async function lockStudent(tx: Transaction, instituteId: number, id: string): Promise<Student | null> {
  const [row] = await tx.query<StudentRow>(
    `select ${COLUMNS} from students s where s.institute_id = $1 and s.id = $2 for update`,
    [instituteId, id],
  )
  return row === undefined ? null : toStudent(row)
}

export async function updateStatus(
  tx: Transaction,
  instituteId: number,
  id: string,
  { status, updatedAt }: Pick<Student, 'status' | 'updatedAt'>,
): Promise<void> {
  await tx.query('update students set status = $3, updated_at = $4 where institute_id = $1 and id = $2', [
    instituteId,
    id,
    status,
    updatedAt,
  ])
}

export function toStudent(row: StudentRow): Student {
  return {
    id: row.id,
    collectorCode: row.collector_code,
    identifier: row.identifier,
    grade: row.grade,
    academicYearStart: row.academic_year_start,
    academicYearEnd: row.academic_year_end,
    customIdentifier: row.custom_identifier,
    fullname: row.fullname,
    newAdmission: row.new_admission,
    dateOfBirth: row.date_of_birth,
    contactName: row.primary_contact_name,
    contactNumber: row.primary_contact_number,
    contactEmail: row.primary_contact_email,
    status: row.status,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}

export function toRecord(row: RecordRow): StudentRecord {
  return {
    student: toStudent(row),
    registrationIds: row.registration_ids,
    fees: row.fees,
    paid: new Map(row.paid),
  }
}
