import type { Queryable, Transaction } from '../../../platform/db/database.ts'
import { Table } from '../../../platform/db/table.ts'
import { presentFirst } from '../../sums/owed.store.ts'
import { defaultersQuery } from '../dues.store.ts'
import type { ClassKey, LateChild } from './class-sheets.rules.ts'

export type ClassTeacher = ClassKey & { name: string; email: string | null }
export type SchoolClass = ClassKey & { students: number }

const teachers = new Table<ClassTeacher & { instituteId: number }>('class_teachers', {
  instituteId: 'int',
  collectorCode: 'text',
  grade: 'text',
  section: 'text',
  name: 'text',
  email: 'text',
})

export async function listTeachers(db: Queryable, instituteId: number): Promise<ClassTeacher[]> {
  return db.query<ClassTeacher>(
    `select ${teachers.columns('t', ['collectorCode', 'grade', 'section', 'name', 'email'])} from class_teachers t
     where t.institute_id = $1`,
    [instituteId],
  )
}

/** Nobody when `teacher` is null. */
export async function setTeacher(
  tx: Transaction,
  instituteId: number,
  { collectorCode, grade, section }: ClassKey,
  teacher: Pick<ClassTeacher, 'name' | 'email'> | null,
): Promise<void> {
  await tx.query(
    `delete from class_teachers where institute_id = $1 and collector_code = $2
       and lower(btrim(grade)) = lower(btrim($3)) and lower(btrim(section)) = lower(btrim($4))`,
    [instituteId, collectorCode, grade, section],
  )
  if (teacher !== null)
    await teachers.insert(tx, [{ instituteId, collectorCode, grade, section, ...teacher }])
}

/** The classes of a school year, which may not be the newest that children have records of. */
export async function listClasses(
  db: Queryable,
  instituteId: number,
  { year, limit }: { year: number; limit: number },
): Promise<SchoolClass[]> {
  return db.query<SchoolClass>(
    `select c.collector_code as "collectorCode", min(c.grade) as grade, min(c.section) as section,
       count(*)::int as students
     from (
       select distinct on (n.collector_code, n.identifier) n.collector_code, btrim(n.grade) as grade,
         coalesce(btrim(n.section), '') as section
       from students n where n.institute_id = $1 and n.status = 'active'
       order by n.collector_code, n.identifier, ${presentFirst('n', '$2::int')}
     ) c
     group by c.collector_code, lower(c.grade), lower(c.section) order by 1, 2, 3 limit $3`,
    [instituteId, year, limit],
  )
}

/** Everybody who is late, the longest first, with the class that each has in the school year, also with what it owes of another. */
export async function listLate(
  db: Queryable,
  instituteId: number,
  { today, year, limit, of }: { today: string; year: number; limit: number; of: Partial<ClassKey> },
): Promise<Omit<LateChild, 'owedPaise'>[]> {
  const { text, values } = defaultersQuery(instituteId, today, { collectorCode: of.collectorCode })
  const [grade, section] = [of.grade ?? null, of.section ?? null]
  const all = values.length
  return db.query<Omit<LateChild, 'owedPaise'>>(
    `select late."studentId", late.fullname, late.identifier, late."contactName", late."contactNumber",
       late."onTheWayPaise", late."oldestDueOn", late."collectorCode", own.grade, own.section
     from (${text}) late cross join lateral (
       select btrim(n.grade) as grade, coalesce(btrim(n.section), '') as section from students n
       where n.institute_id = $1 and n.collector_code = late."collectorCode" and n.identifier = late.identifier
         and n.status = 'active' order by ${presentFirst('n', `$${all + 4}::int`)} limit 1) own
     where ($${all + 1}::text is null or lower(own.grade) = lower(btrim($${all + 1})))
       and ($${all + 2}::text is null or lower(own.section) = lower(btrim($${all + 2})))
     limit $${all + 3}`,
    [...values, grade, section, limit, year],
  )
}
