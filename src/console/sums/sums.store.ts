import type { Database, Queryable, Transaction } from '../../platform/db/database.ts'
import { isHere } from '../../platform/db/query.ts'
import { changedChildren } from './owed.store.ts'

/** Institutes in which at least so many changes wait. */
export async function findChanged(db: Database, least: number): Promise<number[]> {
  const rows = await db.query<{ instituteId: number }>(
    `select institute_id as "instituteId" from (
       select institute_id from dues_changes union all select institute_id from collected_changes
     ) waiting where ${isHere()} group by institute_id having count(*) >= $1 order by institute_id`,
    [least],
  )
  return rows.map(({ instituteId }) => instituteId)
}

const LOCK = `hashtextextended('sums ' || $1::int, 0)`

/** One at a time counts the changes of an institute; false if somebody is at it. */
export async function tryLock(tx: Transaction, instituteId: number): Promise<boolean> {
  const [row] = await tx.query<{ isMine: boolean }>(`select pg_try_advisory_xact_lock(${LOCK}) as "isMine"`, [
    instituteId,
  ])
  return row?.isMine === true
}

export async function lock(tx: Transaction, instituteId: number): Promise<void> {
  await tx.query(`select pg_advisory_xact_lock(${LOCK})`, [instituteId])
}

/** Adds the oldest changes to their days; answers how many they were. */
export async function addToDays(tx: Transaction, instituteId: number, limit: number): Promise<number> {
  const [row] = await tx.query<{ count: number }>(
    `with added as (
       delete from collected_changes c where c.institute_id = $1 and c.id = any(array(
         select id from collected_changes where institute_id = $1 order by id limit ${limit}))
       returning c.day, c.amount_paise, c.count, c.given_back_paise
     ), days as (
       insert into collected_days as d (institute_id, day, amount_paise, count, given_back_paise)
       select $1, a.day, sum(a.amount_paise), sum(a.count), sum(a.given_back_paise) from added a group by a.day
       on conflict (institute_id, day) do update set amount_paise = d.amount_paise + excluded.amount_paise,
         count = d.count + excluded.count, given_back_paise = d.given_back_paise + excluded.given_back_paise
     )
     select count(*) as count from added`,
    [instituteId],
  )
  return row?.count ?? 0
}

/** Writes each correction as one more change, because what comes meanwhile adds its own. */
export async function correctDays(tx: Transaction, instituteId: number): Promise<void> {
  await tx.query(
    `insert into collected_changes (institute_id, day, amount_paise, count, given_back_paise)
     select $1, day, amount_paise, count, given_back_paise from collected_differences($1)`,
    [instituteId],
  )
}

/** How many sums are not what students owe, and how many days not what payments and refunds say. */
export async function countDifferences(
  db: Queryable,
  instituteId: number,
): Promise<{ dues: number; days: number }> {
  const [row] = await db.query<{ dues: number; days: number }>(
    `select (select count(*) from dues_differences($1)) as dues, (select count(*) from collected_differences($1)) as days`,
    [instituteId],
  )
  return row ?? { dues: 0, days: 0 }
}

export async function countWaiting(db: Queryable, instituteId: number): Promise<number> {
  const [row] = await db.query<{ count: number }>(
    'select count(*) as count from dues_changes where institute_id = $1',
    [instituteId],
  )
  return row?.count ?? 0
}

/** A group is named by a digest of what its children have in common, so nobody has to look for one. */
const COUNT_DUES = (limit: number): string => `with
  marks as materialized (select id, student_id from dues_changes where institute_id = $1 order by id limit ${limit}),
  ${changedChildren('select distinct student_id from marks')},
  placed as materialized (
    select f.*, dense_rank() over (partition by f.no order by f.academic_year_start, f.grade, f.student_id)::int as record_no,
      row_number() over (partition by f.no, f.student_id order by f.component_type, f.due_on)::int as part_no
    from fresh f
  ), named as materialized (
    select p.no, md5(jsonb_build_array(min(p.collector_code), jsonb_agg(jsonb_build_array(p.record_no, p.academic_year_start,
      p.grade, p.component_type, p.due_on, p.missed_on, p.owed_paise > 0) order by p.record_no, p.part_no))::text)::uuid as group_id
    from placed p group by p.no
  ), records as materialized (
    select p.student_id, p.collector_code, p.identifier, n.group_id, p.record_no,
      array_agg(p.owed_paise order by p.part_no) as owed_paise, array_agg(p.planned_paise order by p.part_no) as planned_paise
    from placed p join named n on n.no = p.no group by 1, 2, 3, 4, 5
  ), paid as (
    delete from student_dues d where d.institute_id = $1
      and d.student_id = any(array(select c.student_id from counted c except select r.student_id from records r))
  ), owing as (
    insert into student_dues as d (institute_id, student_id, collector_code, identifier, group_id, record_no, owed_paise, planned_paise)
    select $1, r.student_id, r.collector_code, r.identifier, r.group_id, r.record_no, r.owed_paise, r.planned_paise from records r
    on conflict (institute_id, student_id) do update set collector_code = excluded.collector_code,
      identifier = excluded.identifier, group_id = excluded.group_id, record_no = excluded.record_no,
      owed_paise = excluded.owed_paise, planned_paise = excluded.planned_paise
  ), summed as (
    insert into dues_groups as g (institute_id, group_id, record_no, part_no, collector_code, academic_year_start, grade,
      component_type, due_on, missed_on, is_owed, children, owed_paise, planned_paise)
    select $1, m.group_id, m.record_no, m.part_no, m.collector_code, m.academic_year_start, m.grade, m.component_type, m.due_on,
      m.missed_on, m.is_owed, sum(m.children), sum(m.owed_paise), sum(m.planned_paise)
    from (
      select c.group_id, k.record_no, k.part_no, k.collector_code, k.academic_year_start, k.grade, k.component_type, k.due_on,
        k.missed_on, k.is_owed, -1 as children, -c.owed_paise[k.part_no] as owed_paise, -c.planned_paise[k.part_no] as planned_paise
      from counted c cross join lateral (
        select b.* from dues_groups b
        where b.institute_id = $1 and b.group_id = c.group_id and b.record_no = c.record_no offset 0) k
      union all
      select n.group_id, p.record_no, p.part_no, p.collector_code, p.academic_year_start, p.grade, p.component_type, p.due_on,
        p.missed_on, p.owed_paise > 0, 1, p.owed_paise, p.planned_paise
      from placed p join named n on n.no = p.no
    ) m group by 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
    on conflict (institute_id, group_id, record_no, part_no) do update set children = g.children + excluded.children,
      owed_paise = g.owed_paise + excluded.owed_paise, planned_paise = g.planned_paise + excluded.planned_paise
  ), done as (
    delete from dues_changes x where x.institute_id = $1 and x.id = any(array(select m.id from marks m)) returning 1
  )
  select count(*) as count from done`

/** Counts the oldest changes of an institute; answers how many they were. */
export async function countDues(tx: Transaction, instituteId: number, limit: number): Promise<number> {
  const [row] = await tx.query<{ count: number }>(COUNT_DUES(limit), [instituteId])
  await tx.query('delete from dues_groups where institute_id = $1 and children = 0', [instituteId])
  return row?.count ?? 0
}

/** Nobody is counted any more, and everybody is to be. */
export async function startAnew(tx: Transaction, instituteId: number): Promise<void> {
  await tx.query('delete from dues_groups where institute_id = $1', [instituteId])
  await tx.query('delete from student_dues where institute_id = $1', [instituteId])
  await tx.query(
    `insert into dues_changes (institute_id, student_id)
     select institute_id, id from students where institute_id = $1 and status = 'active' order by id`,
    [instituteId],
  )
}
