import type { Queryable, Transaction } from '../../platform/db/database.ts'
import type { Child, Year } from '../../fees/structures/structure.rules.ts'
import type { StudentOrigin } from '../students.rules.ts'

export type StructureStudent = Child & {
  collectorCode: string
  fullname: string
  identifier: string
  section: string | null
  category: string | null
  origin: StudentOrigin
  /** Charged by the structure before. */
  charged: string[]
}

const COLUMNS = `s.id, s.fullname, s.identifier, s.grade, s.section, s.category, s.origin,
  s.collector_code as "collectorCode", s.date_of_birth as "dateOfBirth",
  coalesce((select f.components from structure_fees f where f.institute_id = $1 and f.student_id = s.id), '{}')
    as charged`

type ClassOf = { year: Year; branches: readonly string[]; grade: string; after: string | null }

/** The active students of a class in these branches, or of these ids, in the order of their ids, held until the commit if asked for. */
export async function readStudents(
  db: Queryable,
  instituteId: number,
  of: ClassOf | { ids: readonly string[] },
  { isLocked, limit }: { isLocked: boolean; limit: number },
): Promise<StructureStudent[]> {
  const [condition, values] =
    'ids' in of
      ? ['s.id = any($3)', [of.ids]]
      : [
          `lower(btrim(s.grade)) = lower(btrim($3)) and s.academic_year_start = $4 and s.academic_year_end = $5 and s.id > coalesce($6, '')
           and s.collector_code = any($7)`,
          [of.grade, of.year.academicYearStart, of.year.academicYearEnd, of.after, of.branches],
        ]
  return db.query<StructureStudent>(
    `select ${COLUMNS} from students s where s.institute_id = $1 and s.status = 'active' and ${condition}
     order by s.id limit $2 ${isLocked ? 'for no key update of s' : ''}`,
    [instituteId, limit, ...values],
  )
}

export type UnpricedClass = { grade: string; students: number }

/** How many active students of a year in these branches have no fees at all, by class; those of these classes are left out. */
export async function countWithoutFees(
  db: Queryable,
  instituteId: number,
  {
    year,
    branches,
    exceptGrades,
    limit,
  }: { year: Year; branches: readonly string[]; exceptGrades: readonly string[]; limit: number },
): Promise<UnpricedClass[]> {
  return db.query<UnpricedClass>(
    `select s.grade, count(*)::int as students from students s
     where s.institute_id = $1 and s.academic_year_start = $2 and s.academic_year_end = $3 and s.status = 'active'
       and lower(btrim(s.grade)) <> all (select lower(btrim(g)) from unnest($4::text[]) g) and s.collector_code = any($6)
       and not exists (select from fee_components f where f.institute_id = s.institute_id and f.student_id = s.id)
     group by s.grade order by s.grade limit $5`,
    [instituteId, year.academicYearStart, year.academicYearEnd, exceptGrades, limit, branches],
  )
}

export type Category = { category: string; students: number }

/** How many active students of a year in these branches are of each category, however it is written. */
export async function countCategories(
  db: Queryable,
  instituteId: number,
  { year, branches, limit }: { year: Year; branches: readonly string[]; limit: number },
): Promise<Category[]> {
  return db.query<Category>(
    `select min(btrim(s.category)) as category, count(*)::int as students from students s
     where s.institute_id = $1 and s.academic_year_start = $2 and s.academic_year_end = $3 and s.status = 'active'
       and s.collector_code = any($4) and btrim(s.category) <> ''
     group by lower(btrim(s.category)) order by students desc, category limit $5`,
    [instituteId, year.academicYearStart, year.academicYearEnd, branches, limit],
  )
}

/** The children of the same users in the same year, by student; itself among them. */
export async function readFamilies(
  db: Queryable,
  instituteId: number,
  studentIds: readonly string[],
): Promise<Map<string, Child[]>> {
  const rows = await db.query<Child & { studentId: string }>(
    `select distinct own.student_id as "studentId", s.id, s.grade, s.date_of_birth as "dateOfBirth"
     from student_users own join students me on me.institute_id = own.institute_id and me.id = own.student_id
     join student_users other on other.institute_id = own.institute_id and other.registration_id = own.registration_id
     join students s on s.institute_id = other.institute_id and s.id = other.student_id and s.status = 'active'
       and s.academic_year_start = me.academic_year_start and s.academic_year_end = me.academic_year_end
     where own.institute_id = $1 and own.student_id = any($2)`,
    [instituteId, studentIds],
  )
  return Map.groupBy(rows, row => row.studentId)
}

/** The components that something was paid for, by student. */
export async function readPaid(
  db: Queryable,
  instituteId: number,
  studentIds: readonly string[],
): Promise<Map<string, string[]>> {
  const rows = await db.query<{ studentId: string; paid: string[] }>(
    `select b.student_id as "studentId", array_agg(b.component_type order by b.component_type) as paid
     from student_balances b where b.institute_id = $1 and b.student_id = any($2) and b.paid_paise > 0
     group by b.student_id`,
    [instituteId, studentIds],
  )
  return new Map(rows.map(row => [row.studentId, row.paid]))
}

export async function recordCharged(
  tx: Transaction,
  instituteId: number,
  charged: readonly { studentId: string; components: readonly string[] }[],
  appliedAt: Date,
): Promise<void> {
  await tx.query(
    `insert into structure_fees (institute_id, student_id, components, applied_at)
     select $1, c.student_id, array(select jsonb_array_elements_text(c.components)), $2
     from jsonb_to_recordset($3::jsonb) as c (student_id text, components jsonb)
     on conflict (institute_id, student_id) do update set components = excluded.components, applied_at = excluded.applied_at`,
    [
      instituteId,
      appliedAt,
      JSON.stringify(charged.map(one => ({ student_id: one.studentId, components: one.components }))),
    ],
  )
}
