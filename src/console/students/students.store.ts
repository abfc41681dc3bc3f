import type { Queryable } from '../../platform/db/database.ts'
import { lateFeesOf } from '../../dues/late-fee-sql.ts'
import { allOf } from '../../platform/db/list.ts'
import type { Paise } from '../../platform/money.ts'
import { limitOf, type Query } from '../../platform/db/query.ts'
import { yearName } from '../../students/students.rules.ts'

/** Students as lists of the console show them. */
export type ListedStudent = {
  id: string
  fullname: string
  identifier: string
  customIdentifier: string | null
  collectorCode: string
  grade: string
  gradeName: string
  section: string | null
  academicYearStart: number
  academicYearEnd: number
  status: 'active' | 'dropped'
  contactName: string
  contactNumber: string
  contactEmail: string
  /** Leaves out dues that were carried to a later year, although they count as paid here. */
  paidPaise: Paise
  carriedPaise: Paise
  /** Such as 2027-28. */
  carriedTo: string | null
  owedPaise: Paise
  /** Money under way for the fees, which cannot be asked for a second time. */
  onTheWayPaise: Paise
}

export type StudentFilter = {
  /** A search of `search_words`. */
  words?: string | undefined
  collectorCode?: string | undefined
  grade?: string | undefined
  section?: string | undefined
  academicYearStart?: number | undefined
  status?: string | undefined
  isOwing?: boolean | undefined
  /** The id of the student shown last. */
  cursor?: string | undefined
}

/** The index has exactly this expression; a query that says it otherwise reads every row. */
export const WORDS_OF_STUDENT = `search_words(m.institute_id, m.fullname || ' ' || m.identifier || ' '
  || coalesce(m.custom_identifier, '') || ' ' || m.primary_contact_name || ' ' || phone_key(m.primary_contact_number) || ' '
  || m.primary_contact_email)`
const WORDS_OF_USER = `search_words(u.institute_id, u.name || ' ' || phone_key(u.phone) || ' ' || u.email)`

/**
 * Found by what is said of the student, or of somebody who pays for it. `offset 0` has each one looked up by its key:
 * how many fit what somebody types is guessed badly, and to read all students because many might is the worse mistake.
 */
const found = (words: string): string => `(
    select m.id from students m where m.institute_id = $1 and ${WORDS_OF_STUDENT} @@ lower(${words})::tsquery
    union
    select l.student_id from users u cross join lateral (select student_id from student_users
      where institute_id = u.institute_id and registration_id = u.registration_id offset 0) l
    where u.institute_id = $1 and ${WORDS_OF_USER} @@ lower(${words})::tsquery
  ) hit cross join lateral (select * from students where institute_id = $1 and id = hit.id offset 0) s`

const OWING = `exists (select from student_balances b where b.institute_id = s.institute_id and b.student_id = s.id
  and b.outstanding_paise > 0)`

function selectInOrder(instituteId: number, filter: StudentFilter): { text: string; values: unknown[] } {
  const values: unknown[] = []
  const where = allOf(values, [
    ['s.institute_id = $1', instituteId],
    ['s.collector_code = $1', filter.collectorCode],
    ['lower(btrim(s.grade)) = lower(btrim($1))', filter.grade],
    ['lower(btrim(s.section)) = lower(btrim($1))', filter.section],
    ['s.academic_year_start = $1', filter.academicYearStart],
    ['s.status = $1', filter.status],
    filter.isOwing !== undefined && [filter.isOwing ? OWING : `not ${OWING}`],
    [
      `(lower(s.fullname), s.id) > (
        (select lower(c.fullname) from students c where c.institute_id = $0 and c.id = $1), $1)`,
      filter.cursor,
    ],
  ])
  // The institute is $1, as the search wants it.
  const from = filter.words === undefined ? 'students s' : found(`$${values.push(filter.words)}`)
  const text = `select s.*, lower(s.fullname) as sort_name from ${from} where ${where}
    order by lower(s.fullname), s.id`
  return { text, values }
}

export type StudentRow = Omit<ListedStudent, 'carriedTo'> & { years: [number, number] | null }

/** Lists students by name, with what is paid and left, late fees included: what is paid beyond one component does not pay another. */
export function studentsQuery(
  instituteId: number,
  today: string,
  filter: StudentFilter,
  range?: { limit: number },
): Query {
  const { text, values } = selectInOrder(instituteId, filter)
  const lateFees = lateFeesOf('s', `$${values.push(today)}`)
  return {
    text: `select s.id, s.fullname, s.identifier, s.custom_identifier as "customIdentifier",
       s.collector_code as "collectorCode", s.grade, coalesce((select c.name from catalogue_entries c
         where c.institute_id = $1 and c.kind = 'grade' and c.code = s.grade), s.grade) as "gradeName", s.section,
       s.academic_year_start as "academicYearStart", s.academic_year_end as "academicYearEnd", s.status,
       s.primary_contact_name as "contactName", s.primary_contact_number as "contactNumber",
       s.primary_contact_email as "contactEmail", m."paidPaise" - t."carriedPaise" as "paidPaise",
       case when m.fees_paise > 0 then m.fees_paise + ${lateFees} else 0 end as "owedPaise",
       t."carriedPaise", t.years, w."onTheWayPaise"
     from (${text}${limitOf(values, range)}) s cross join lateral (
       select coalesce(sum(b.paid_paise), 0)::bigint as "paidPaise",
         coalesce(sum(b.outstanding_paise), 0)::bigint as fees_paise
       from student_balances b where b.institute_id = $1 and b.student_id = s.id
     ) m cross join lateral (
       select coalesce(sum(t.amount_paise), 0)::bigint as "carriedPaise",
         max(array[o.academic_year_start, o.academic_year_end]) as years
       from student_transfers t join students o on o.institute_id = t.institute_id and o.id = t.other_student_id
       where t.institute_id = $1 and t.student_id = s.id and t.amount_paise > 0 and t.number = 1
         and o.academic_year_start > s.academic_year_start
     ) t cross join lateral (
       select coalesce(sum(w.amount_paise), 0)::bigint as "onTheWayPaise"
       from fees_on_the_way w where w.institute_id = $1 and w.student_id = s.id
     ) w order by s.sort_name, s.id`,
    values,
  }
}

/** The same students without what they owe. */
export function countedStudents(instituteId: number, filter: StudentFilter): Query {
  return selectInOrder(instituteId, filter)
}

export function toListed({ years, ...row }: StudentRow): ListedStudent {
  return { ...row, carriedTo: years === null ? null : yearName(...years) }
}

export async function listStudents(
  db: Queryable,
  instituteId: number,
  today: string,
  filter: StudentFilter,
  limit: number,
): Promise<ListedStudent[]> {
  const { text, values } = studentsQuery(instituteId, today, filter, { limit })
  return (await db.query<StudentRow>(text, values)).map(toListed)
}

/** The academic years that there are students of, newest first. */
export async function listYears(
  db: Queryable,
  instituteId: number,
  limit: number,
): Promise<{ start: number; end: number }[]> {
  return db.query<{ start: number; end: number }>(
    `select s.academic_year_start as start, max(s.academic_year_end) as end from students s
     where s.institute_id = $1 group by 1 order by 1 desc limit $2`,
    [instituteId, limit],
  )
}

/** Each once, however it is written. */
export async function listSections(db: Queryable, instituteId: number, limit: number): Promise<string[]> {
  const rows = await db.query<{ section: string }>(
    `select min(btrim(s.section)) as section from students s
     where s.institute_id = $1 and s.status = 'active' and btrim(s.section) <> ''
     group by lower(btrim(s.section)) order by 1 limit $2`,
    [instituteId, limit],
  )
  return rows.map(({ section }) => section)
}

export type FoundStudent = Pick<
  ListedStudent,
  'id' | 'fullname' | 'identifier' | 'grade' | 'section' | 'academicYearStart' | 'academicYearEnd' | 'status'
>

const FOUND = `id, fullname, identifier, grade, section, academic_year_start as "academicYearStart",
  academic_year_end as "academicYearEnd", status`

/** The first few children by name, without their money: each once, as in the year given, or else as it was last. */
export async function searchStudents(
  db: Queryable,
  instituteId: number,
  { words, year }: { words: string; year: number },
  limit: number,
): Promise<FoundStudent[]> {
  const { text, values } = selectInOrder(instituteId, { words })
  const [own, most] = [values.push(year), values.push(limit)]
  return db.query<FoundStudent>(
    `select ${FOUND} from (
       select distinct on (s.collector_code, s.identifier) s.* from (${text}) s
       order by s.collector_code, s.identifier, (s.academic_year_start = $${own}) desc, s.academic_year_start desc,
         s.status, s.id
     ) s order by sort_name, id limit $${most}`,
    values,
  )
}

export async function findStudent(
  db: Queryable,
  instituteId: number,
  id: string,
): Promise<FoundStudent | null> {
  const [row] = await db.query<FoundStudent>(
    `select ${FOUND} from students where institute_id = $1 and id = $2`,
    [instituteId, id],
  )
  return row ?? null
}

export type FamilyUser = {
  registrationId: string
  name: string
  phone: string
  email: string
  /** The family's students that this user pays for. */
  studentIds: string[]
}

/** The payers of a student, with all the students that they pay for. */
export async function listFamily(
  db: Queryable,
  instituteId: number,
  studentId: string,
  limit: number,
): Promise<FamilyUser[]> {
  return db.query<FamilyUser>(
    `select u.registration_id as "registrationId", u.name, u.phone, u.email,
       (select json_agg(c.student_id) from (select l.student_id from student_users l
          where l.institute_id = $1 and l.registration_id = u.registration_id
          order by (l.student_id = $2) desc, l.linked_at, l.student_id limit $3) c) as "studentIds"
     from student_users own
     join users u on u.institute_id = own.institute_id and u.registration_id = own.registration_id
     where own.institute_id = $1 and own.student_id = $2 order by own.linked_at, own.registration_id limit $3`,
    [instituteId, studentId, limit],
  )
}

export type GivenBack = { paymentId: string; amountPaise: Paise; refundedAt: Date }

/** What went back of payments that were made here, or is about to, newest first. */
export async function listGivenBack(
  db: Queryable,
  instituteId: number,
  paymentIds: readonly string[],
): Promise<GivenBack[]> {
  if (paymentIds.length === 0) return []
  return db.query<GivenBack>(
    `select payment_id as "paymentId", amount_paise - charged_paise as "amountPaise",
       coalesce(processed_at, requested_at) as "refundedAt"
     from refunds where institute_id = $1 and payment_id = any($2) and kind = 'requested' and state <> 'failed'
     order by 3 desc, id desc`,
    [instituteId, paymentIds],
  )
}
