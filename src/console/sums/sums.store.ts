import type { Database, Queryable, Transaction } from '../../platform/db/database.ts'
import { isHere } from '../../platform/db/query.ts'

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

/**
 * What active students owe, read from sums of groups (`dues_groups`). Of children who changed since they were counted
 * the counted part is taken off and what they owe now is put in its place, so the figures are those of this moment. Each
 * lookup ends with `offset 0`: the planner knows nothing of how few they are, and would read all students instead.
 */
const changedChildren = (changes: string): string => `
  changed as materialized (${changes}),
  children as materialized (
    select row_number() over () as no, collector_code, identifier from (
      select k.collector_code, k.identifier from changed cross join lateral (
        select d.collector_code, d.identifier from student_dues d
        where d.institute_id = $1 and d.student_id = changed.student_id offset 0) k
      union
      select n.collector_code, n.identifier from changed cross join lateral (
        select s.collector_code, s.identifier from students s
        where s.institute_id = $1 and s.id = changed.student_id offset 0) n) either),
  counted as materialized (
    select c.no, d.* from children c cross join lateral (
      select k.student_id, k.group_id, k.record_no, k.owed_paise, k.planned_paise from student_dues k
      where k.institute_id = $1 and k.identifier = c.identifier and k.collector_code = c.collector_code offset 0) d),
  fresh as materialized (
    select c.no, c.collector_code, c.identifier, s.student_id, s.academic_year_start, s.grade, p.* from children c
    cross join lateral (
      select r.id as student_id, r.academic_year_start, r.grade from students r
      where r.institute_id = $1 and r.identifier = c.identifier and r.collector_code = c.collector_code
        and r.status = 'active' offset 0) s
    cross join lateral (
      select o.component_type, o.due_on, o.owed_paise, o.planned_paise from owed_parts o
      where o.institute_id = $1 and o.student_id = s.student_id and o.owed_paise + o.planned_paise > 0 offset 0) p)`

/** When a component is due that no rule of its own names; such a rule wins over it, as in reports.rules.ts. */
const REST_DUE_ON = `(select r.due_on from late_fee_rules r where r.institute_id = $1 and r.component_type is null)`

/**
 * Defines `owed`: parts of groups, each with its due day and the days since; `$2` is today. A child that owes in two years is
 * one: its records have its number in the branch. `children` says how many there are like it, and is below 0 for those
 * who are counted anew. `student_id` is of the latter alone.
 */
export const owedNow = (wanted: string): string => `
  ${changedChildren('select distinct student_id from dues_changes where institute_id = $1')},
  parts as (
    select g.group_id as child, g.group_id, g.group_id as of_group, g.record_no, g.part_no, null as student_id, g.children, g.collector_code,
      g.academic_year_start, g.grade, g.component_type, g.due_on, g.is_owed, g.owed_paise, g.planned_paise
    from dues_groups g where g.institute_id = $1
    union all
    select md5('counted ' || c.no)::uuid, null, c.group_id, c.record_no, g.part_no, null, -1, g.collector_code,
      g.academic_year_start, g.grade, g.component_type, g.due_on, g.is_owed, -c.owed_paise[g.part_no], -c.planned_paise[g.part_no]
    from counted c cross join lateral (
      select k.* from dues_groups k
      where k.institute_id = $1 and k.group_id = c.group_id and k.record_no = c.record_no offset 0) g
    union all
    select md5('fresh ' || f.no)::uuid, null, null, null, null, f.student_id, 1, f.collector_code,
      f.academic_year_start, f.grade, f.component_type, f.due_on, f.owed_paise > 0, f.owed_paise, f.planned_paise
    from fresh f
  ), owed as (
    select p.child, p.group_id, p.of_group, p.record_no, p.part_no, p.student_id, p.children, p.collector_code,
      p.academic_year_start, p.grade, p.component_type,
      p.is_owed, p.owed_paise, p.planned_paise, due.due_on, $2::date - due.due_on as days
    from parts p
    ${joinDueDays({ institute: '$1', year: 'p.academic_year_start', branch: 'p.collector_code', component: 'p.component_type' })}
    left join late_fee_rules own on own.institute_id = $1 and own.component_type = p.component_type
    cross join lateral (select coalesce(p.due_on, day.due_on, shared.due_on, own.due_on, ${REST_DUE_ON}) as due_on) due
    where ${wanted}
  )`

/**
 * Orders the records of a child by how well they say in which class it is: that of the school year `year` first, then the one
 * before; a year that has not begun last, though its record is there since its fees were set up.
 */
export const presentFirst = (record: string, year: string): string =>
  `${record}.academic_year_start <= ${year} desc, abs(${record}.academic_year_start - ${year}), ${record}.id desc`

/**
 * Defines `classed` after `owed`: the same with the class that each child is in, whatever the year of what it owes; `year` is the
 * school year of today. Groups whose records are all of it have that class already, as have those of the year before while
 * nobody has a record of the new one yet; children of the others are looked at one by one.
 */
export const classedNow = (year: string): string => {
  const present = (student: string): string => `cross join lateral (
      select n.grade from students k join students n on n.institute_id = $1 and n.identifier = k.identifier
        and n.collector_code = k.collector_code and n.status = 'active'
      where k.institute_id = $1 and k.id = ${student} order by ${presentFirst('n', year)} limit 1) present`
  return `
  school_year as materialized (
    select case when newest.year < ${year} and not exists (select from students r where r.institute_id = $1
      and r.status = 'active' and r.academic_year_start > newest.year and r.academic_year_start <= ${year})
      then newest.year else ${year} end as year
    from (select max(academic_year_start) filter (where academic_year_start <= ${year}) as year from owed) newest
  ), mixed as materialized (
    select distinct of_group from owed
    where of_group is not null and academic_year_start <> (select year from school_year)
  ),
  classed as (
    select o.child, o.children, o.collector_code, o.grade, o.component_type, o.owed_paise, o.planned_paise, o.due_on, o.days
    from owed o where o.student_id is null and o.of_group not in (select of_group from mixed)
    union all
    select md5(concat_ws(' ', 'of', d.collector_code, d.identifier))::uuid, 1, o.collector_code, present.grade, o.component_type,
      d.owed_paise[o.part_no], d.planned_paise[o.part_no], o.due_on, o.days
    from mixed m join owed o on o.group_id = m.of_group
    join student_dues d on d.institute_id = $1 and d.group_id = o.group_id and d.record_no = o.record_no
      and d.student_id not in (select student_id from counted)
    ${present('d.student_id')}
    union all
    select o.child, 1, o.collector_code, present.grade, o.component_type, o.owed_paise, o.planned_paise, o.due_on, o.days
    from owed o ${present('o.student_id')} where o.student_id is not null
  )`
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
      p.grade, p.component_type, p.due_on, p.owed_paise > 0) order by p.record_no, p.part_no))::text)::uuid as group_id
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
      component_type, due_on, is_owed, children, owed_paise, planned_paise)
    select $1, m.group_id, m.record_no, m.part_no, m.collector_code, m.academic_year_start, m.grade, m.component_type, m.due_on,
      m.is_owed, sum(m.children), sum(m.owed_paise), sum(m.planned_paise)
    from (
      select c.group_id, k.record_no, k.part_no, k.collector_code, k.academic_year_start, k.grade, k.component_type, k.due_on,
        k.is_owed, -1 as children, -c.owed_paise[k.part_no] as owed_paise, -c.planned_paise[k.part_no] as planned_paise
      from counted c cross join lateral (
        select b.* from dues_groups b
        where b.institute_id = $1 and b.group_id = c.group_id and b.record_no = c.record_no offset 0) k
      union all
      select n.group_id, p.record_no, p.part_no, p.collector_code, p.academic_year_start, p.grade, p.component_type, p.due_on,
        p.owed_paise > 0, 1, p.owed_paise, p.planned_paise
      from placed p join named n on n.no = p.no
    ) m group by 1, 2, 3, 4, 5, 6, 7, 8, 9, 10
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

type Fee = { institute: string; year: string; branch: string; component: string }

/**
 * Joins the due day of a fee by the structure of its branch (`day`) and by the institute's (`shared`), which holds where
 * the branch has none; `dueDayOf` says the same of one student.
 */
export function joinDueDays({ institute, year, branch, component }: Fee): string {
  const join = (alias: string): string =>
    `left join fee_due_days ${alias} on ${alias}.institute_id = ${institute} and ${alias}.academic_year_start = ${year}
       and ${alias}.component_type = ${component}`
  return `${join('day')} and day.collector_code = ${branch}
     ${join('shared')} and shared.collector_code is null`
}
