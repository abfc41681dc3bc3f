import type { Database, Queryable, Transaction } from '../platform/db/database.ts'
import { isUniqueViolation } from '../platform/db/errors.ts'
import { Table } from '../platform/db/table.ts'
import { nameRows } from '../platform/db/query.ts'
import { ZERO, type Paise } from '../platform/money.ts'
import type { FeeComponent } from '../fees/fees.rules.ts'
import { feeComponents } from '../fees/fee-table.ts'
import { PROFILE_FIELDS, PROFILE_KEYS, type ProfileKey, type ProfileValue } from './profile/profile.fields.ts'
import type { Student, StudentKey } from './students.rules.ts'

/** A student with everything that its read views are made of. */
export type StudentRecord = {
  student: Student
  registrationIds: string[]
  fees: FeeComponent[]
  paid: Map<string, Paise>
  /** Newest first. */
  otherYears: OtherYear[]
  carried: CarriedAmount[]
  /** Money under way for its fees, which cannot be asked for a second time. */
  onTheWayPaise: Paise
}

/** What a rollover took from this record, or brought to it; part of what counts as paid. */
export type CarriedAmount = {
  componentType: string
  /** Above 0 it counts as paid here: dues that went over, or an advance that came. Below, an advance that went over. */
  amountPaise: Paise
  otherStudentId: string
  /** Year of the other record. */
  academicYearStart: number
  academicYearEnd: number
  /** A part of an advance that went back, because the payment that it came from no longer counts. */
  isTakenBack: boolean
  transferredAt: string
}

/** The record of the same child in another academic year: the same identifier, and a user in common. */
export type OtherYear = Pick<Student, 'id' | 'academicYearStart' | 'academicYearEnd' | 'grade' | 'status'> & {
  owedPaise: Paise
  onTheWayPaise: Paise
}

const COLUMN_TYPES: Partial<Record<string, 'boolean' | 'date'>> = { flag: 'boolean', day: 'date' }

function profileColumns() {
  const columns = PROFILE_KEYS.map(key => {
    const { name, kind } = PROFILE_FIELDS[key]
    return [key, `${name} ${COLUMN_TYPES[kind] ?? 'text'}`]
  })
  type ColumnOf<Key extends ProfileKey> = ProfileValue<Key> extends boolean ? 'boolean' : 'text' | 'date'
  return Object.fromEntries(columns) as { [Key in ProfileKey]: `${string} ${ColumnOf<Key>}` }
}

const students = new Table<Student>('students', {
  id: 'text',
  collectorCode: 'text',
  identifier: 'text',
  grade: 'text',
  academicYearStart: 'int',
  academicYearEnd: 'int',
  ...profileColumns(),
  status: 'text',
  origin: 'text',
  createdAt: 'timestamptz',
  updatedAt: 'timestamptz',
})
export const studentRows = students.with<{ instituteId: number }>({ instituteId: 'int' })

/** What may be changed of a student without making it another one. */
export const PROFILE = [...PROFILE_KEYS, 'updatedAt'] as const

export const COLUMNS = students.columns('s')

/** Where a sub-select finds its institute: by a parameter, by a list of institutes, or by the student's row. */
type Whose = '$1' | 'any ($3)' | 's.institute_id'

const ofStudent = (table: string, whose: Whose): string =>
  `${table}.institute_id = ${whose} ${whose === 'any ($3)' ? `and ${table}.institute_id = s.institute_id` : ''}
     and ${table}.student_id = s.id`

/** Fees come in the order registered. */
export const feesOfStudent = (whose: Whose): string =>
  `(select coalesce(json_agg(${feeComponents.json('f')} order by f.position), '[]')
   from fee_components f where ${ofStudent('f', whose)})`

export const recordColumns = (whose: Whose): string => `${COLUMNS},
  (select coalesce(json_agg(u.registration_id order by u.linked_at, u.registration_id), '[]') from student_users u
   where ${ofStudent('u', whose)}) as "registrationIds",
  ${feesOfStudent(whose)} as fees,
  (select coalesce(json_agg(json_build_array(p.component_type, p.paid)), '[]') from (
     select l.component_type, sum(l.amount_paise)::bigint as paid from student_paid_lines l
     where ${ofStudent('l', whose)} group by l.component_type) p) as paid`

export type RecordRow = Student & {
  registrationIds: string[]
  fees: FeeComponent[]
  paid: [string, Paise][]
  otherYears?: OtherYear[]
  carried?: CarriedAmount[]
  onTheWayPaise?: Paise
}

const onTheWay = (
  student: 's' | 'o',
): string => `(select coalesce(sum(w.amount_paise), 0)::bigint from fees_on_the_way w
  where w.institute_id = $1 and w.student_id = ${student}.id)`

const OTHER_YEARS = `(select coalesce(json_agg(json_build_object('id', o.id, 'academicYearStart', o.academic_year_start,
      'academicYearEnd', o.academic_year_end, 'grade', o.grade, 'status', o.status, 'owedPaise',
      (select coalesce(sum(b.outstanding_paise), 0) from student_balances b
       where b.institute_id = $1 and b.student_id = o.id), 'onTheWayPaise', ${onTheWay('o')})
    order by o.academic_year_start desc, o.academic_year_end desc, o.id desc), '[]') from students o
  where o.institute_id = $1 and o.identifier = s.identifier
    and (o.academic_year_start, o.academic_year_end) <> (s.academic_year_start, s.academic_year_end)
    and exists (select from student_users a join student_users b on b.institute_id = a.institute_id
      and b.registration_id = a.registration_id and b.student_id = o.id
      where a.institute_id = $1 and a.student_id = s.id))`

const CARRIED = `(select coalesce(json_agg(json_build_object('componentType', t.component_type, 'amountPaise', t.amount_paise,
      'otherStudentId', t.other_student_id, 'academicYearStart', o.academic_year_start,
      'academicYearEnd', o.academic_year_end, 'isTakenBack', t.number > 1 and t.rollover_id is not null, 'transferredAt', t.transferred_at)
    order by t.transferred_at, t.component_type, t.number), '[]')
  from student_transfers t join students o on o.institute_id = t.institute_id and o.id = t.other_student_id
  where t.institute_id = $1 and t.student_id = s.id)`

export const VIEW_COLUMNS = `${recordColumns('$1')}, ${OTHER_YEARS} as "otherYears", ${CARRIED} as carried,
  ${onTheWay('s')} as "onTheWayPaise"`

const RECORD_BY_ID = `select ${VIEW_COLUMNS} from students s where s.institute_id = $1 and s.id = $2`

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

export async function lockStudent(tx: Transaction, instituteId: number, id: string): Promise<Student | null> {
  const [row] = await tx.query<Student>(
    `select ${COLUMNS} from students s where s.institute_id = $1 and s.id = $2 for update`,
    [instituteId, id],
  )
  return row ?? null
}

/** Everybody locks in the same order. Others may still refer to the students, as an order does that is inserted. */
export async function lockStudents(tx: Transaction, keys: readonly StudentKey[]): Promise<void> {
  if (keys.length === 0) return
  const these = nameRows(
    keys.map(({ instituteId, studentId }) => ({ instituteId, id: studentId })),
    1,
  )
  await tx.query(
    `select from students s where ${these.match('s')} order by s.institute_id, s.id for no key update of s`,
    these.values,
  )
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

/** Everything that is said of a student, its state apart. */
export async function updateStudent(
  tx: Transaction,
  instituteId: number,
  student: Student,
  updatedAt: Date,
): Promise<void> {
  await studentRows.update(tx, [{ ...student, instituteId, updatedAt }], {
    key: ['instituteId', 'id'],
    set: ['collectorCode', 'identifier', 'grade', 'academicYearStart', 'academicYearEnd', ...PROFILE],
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

export function toRecord(row: RecordRow): StudentRecord {
  const { registrationIds, fees, paid, otherYears = [], carried = [], onTheWayPaise = ZERO, ...student } = row
  return { student, registrationIds, fees, paid: new Map(paid), otherYears, carried, onTheWayPaise }
}

export type NamedStudent = Pick<
  Student,
  'id' | 'identifier' | 'grade' | 'academicYearStart' | 'academicYearEnd'
>

/** All that have one of these ids or identifiers, of every class, year and branch. */
export async function findNamed(
  db: Queryable,
  instituteId: number,
  { ids, identifiers }: { ids: readonly string[]; identifiers: readonly string[] },
): Promise<NamedStudent[]> {
  return db.query<NamedStudent>(
    `select s.id, s.identifier, s.grade, s.academic_year_start as "academicYearStart",
       s.academic_year_end as "academicYearEnd"
     from students s where s.institute_id = $1 and (s.id = any($2) or s.identifier = any($3))
     order by s.academic_year_start, s.id`,
    [instituteId, ids, identifiers],
  )
}

type ContextRow = RecordRow & { gradeName: string }

const columns = (whose: '$1' | 's.institute_id'): string =>
  `${recordColumns(whose)}, coalesce((select c.name from catalogue_entries c
     where c.institute_id = ${whose} and c.kind = 'grade' and c.code = s.grade), s.grade) as "gradeName"`

/** Nearly all are of one institute. */
const OF_ONE = `select ${columns('$1')} from students s where s.institute_id = $1 and s.id = any($2)`
const OF_SEVERAL = `select ${columns('s.institute_id')} from unnest($1::int[], $2::text[]) as asked (institute_id, id)
  join students s on s.institute_id = asked.institute_id and s.id = asked.id`

/** Students with their fees and payments and the name of their grade, in one statement however many. */
export async function readContexts(
  db: Queryable,
  keys: readonly StudentKey[],
): Promise<(StudentRecord & { gradeName: string })[]> {
  const institutes = keys.map(({ instituteId }) => instituteId)
  const ids = keys.map(({ studentId }) => studentId)
  const rows =
    new Set(institutes).size === 1
      ? await db.query<ContextRow>(OF_ONE, [institutes[0], ids])
      : await db.query<ContextRow>(OF_SEVERAL, [institutes, ids])
  return rows.map(({ gradeName, ...row }) => ({ ...toRecord(row), gradeName }))
}
