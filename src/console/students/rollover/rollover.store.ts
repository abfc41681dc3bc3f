import { OWN_SOURCES } from '../../../fees/fees.rules.ts'
import type { Queryable } from '../../../platform/db/database.ts'
import type { Paise } from '../../../platform/money.ts'

export type GradeOfYear = {
  academicYearStart: number
  academicYearEnd: number
  grade: string
  students: number
  /** What most of them pay. */
  fees: { componentType: string; feePaise: Paise }[]
}

/**
 * Active students by year and grade, with the fees that at least half of them have. Fees charged here, such as late fees
 * and carried dues, belong to one student and are no part of a grade's.
 */
export async function listGrades(
  db: Queryable,
  instituteId: number,
  { mostYears }: { mostYears: number },
): Promise<GradeOfYear[]> {
  return db.query<GradeOfYear>(
    `with years as (
       select distinct academic_year_start, academic_year_end from students where institute_id = $1 and status = 'active'
       order by 1 desc, 2 desc limit $2
     ), grades as (
       select s.academic_year_start, s.academic_year_end, s.grade, count(*)::int as students
       from students s join years using (academic_year_start, academic_year_end)
       where s.institute_id = $1 and s.status = 'active' group by 1, 2, 3
     ), fees as (
       select s.academic_year_start, s.academic_year_end, s.grade, f.component_type, count(*) as students,
         mode() within group (order by f.fee_paise) as fee_paise, min(f.position) as position
       from students s join years using (academic_year_start, academic_year_end)
       join fee_components f on f.institute_id = s.institute_id and f.student_id = s.id
       where s.institute_id = $1 and s.status = 'active' and not exists (
         select from fee_changes c where c.institute_id = f.institute_id and c.student_id = f.student_id
           and c.component_type = f.component_type and c.source in (${OWN_SOURCES}))
       group by 1, 2, 3, 4
     )
     select g.academic_year_start as "academicYearStart", g.academic_year_end as "academicYearEnd", g.grade, g.students,
       (select coalesce(json_agg(json_build_object('componentType', f.component_type, 'feePaise', f.fee_paise)
          order by f.position, f.component_type), '[]')
        from fees f where (f.academic_year_start, f.academic_year_end, f.grade)
          = (g.academic_year_start, g.academic_year_end, g.grade) and f.students * 2 >= g.students) as fees
     from grades g order by 1 desc, 2 desc, g.grade`,
    [instituteId, mostYears],
  )
}
