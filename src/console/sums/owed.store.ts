import { joinLateFee } from '../../dues/late-fee-sql.ts'
import { LATE_FEE } from '../../dues/dues.rules.ts'

/**
 * What active students owe, read from sums of groups (`dues_groups`). Of children who changed since they were counted
 * the counted part is taken off and what they owe now is put in its place, so the figures are those of this moment. Each
 * lookup ends with `offset 0`: the planner knows nothing of how few they are, and would read all students instead.
 */
export const changedChildren = (changes: string): string => `
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
      select o.component_type, o.due_on, o.missed_on, o.owed_paise, o.planned_paise from owed_parts o
      where o.institute_id = $1 and o.student_id = s.student_id and o.owed_paise + o.planned_paise > 0 offset 0) p)`

/**
 * Defines `owed`: parts of groups, each with its due day and the days since; `$2` is today. A child that owes in two years is
 * one: its records have its number in the branch. `children` says how many there are like it, and is below 0 for those
 * who are counted anew. `student_id` is of the latter alone.
 *
 * Late fees are parts as well, those with a `late_id`: `late_paise` is what it has come to for each child, and who has paid
 * or been let off all of it is not among its `children`. A late fee that was charged is late though it has no day.
 */
export const owedNow = (wanted: string): string => `
  ${changedChildren('select distinct student_id from dues_changes where institute_id = $1')},
  parts as (
    select g.group_id as child, g.group_id, g.group_id as of_group, g.record_no, g.part_no, null as student_id, g.children, g.collector_code,
      g.academic_year_start, g.grade, g.component_type, g.due_on, g.missed_on, g.is_owed, g.owed_paise, g.planned_paise
    from dues_groups g where g.institute_id = $1
    union all
    select md5('counted ' || c.no)::uuid, null, c.group_id, c.record_no, g.part_no, null, -1, g.collector_code,
      g.academic_year_start, g.grade, g.component_type, g.due_on, g.missed_on, g.is_owed, -c.owed_paise[g.part_no],
      -c.planned_paise[g.part_no]
    from counted c cross join lateral (
      select k.* from dues_groups k
      where k.institute_id = $1 and k.group_id = c.group_id and k.record_no = c.record_no offset 0) g
    union all
    select md5('fresh ' || f.no)::uuid, null, null, null, null, f.student_id, 1, f.collector_code,
      f.academic_year_start, f.grade, f.component_type, f.due_on, f.missed_on, f.owed_paise > 0, f.owed_paise, f.planned_paise
    from fresh f
  ), fees as materialized (
    select p.child, p.group_id, p.of_group, p.record_no, p.part_no, p.student_id, p.children, p.collector_code,
      p.academic_year_start, p.grade, p.component_type, p.is_owed, p.owed_paise, p.planned_paise, due.due_on,
      case when p.component_type = '${LATE_FEE}' then greatest(coalesce($2::date - due.due_on, 1), 1)
        else $2::date - due.due_on end as days, late.since, late.id as late_id, late.paise as late_paise
    from parts p
    ${joinLateFee({ institute: '$1', year: 'p.academic_year_start', branch: 'p.collector_code', component: 'p.component_type', missedOn: 'p.missed_on', today: '$2' })}
    cross join lateral (select coalesce(p.due_on, late.since) as due_on) due
    where ${wanted}
  ), late as materialized (
    select distinct child, group_id, of_group, record_no, student_id, children, collector_code, academic_year_start, grade,
      since, late_id, late_paise
    from fees where is_owed and late_paise > 0
  ), redeemed as materialized (
    select e.student_id, e.rule_id, sum(e.amount_paise) as paise from late_fee_entries e
    where e.institute_id = $1 and e.rule_id = any(array(select distinct late_id from late)) group by 1, 2
  ), less as (
    select l.group_id, l.record_no, l.late_id, d.identifier, least(r.paise, l.late_paise) as paise, r.paise >= l.late_paise as is_all
    from redeemed r join student_dues d on d.institute_id = $1 and d.student_id = r.student_id
      and d.student_id not in (select student_id from counted)
    join late l on l.group_id = d.group_id and l.record_no = d.record_no and l.late_id = r.rule_id
  ), free as (
    select group_id, count(*) as children from (
      select group_id from less where is_all group by group_id, identifier
      having count(*) = (select count(*) from late l where l.group_id = less.group_id)) child
    group by group_id
  ), owed as (
    select child, group_id, of_group, record_no, part_no, student_id, children, collector_code, academic_year_start, grade,
      component_type, is_owed, owed_paise, planned_paise, due_on, days, null as late_id, null::bigint as late_paise
    from fees
    union all
    select l.child, l.group_id, l.of_group, l.record_no, null, l.student_id, l.children - coalesce(free.children, 0),
      l.collector_code, l.academic_year_start, l.grade, '${LATE_FEE}', true, left_over.paise, 0, l.since, $2::date - l.since,
      l.late_id, l.late_paise
    from late l left join free on free.group_id = l.group_id
    left join redeemed r on r.student_id = l.student_id and r.rule_id = l.late_id
    cross join lateral (select l.children * l.late_paise - least(coalesce(r.paise, 0), l.late_paise) - coalesce((
      select sum(s.paise) from less s
      where s.group_id = l.group_id and s.record_no = l.record_no and s.late_id = l.late_id), 0) as paise) left_over
    where left_over.paise <> 0
  )`

/**
 * Orders the records of a child by how well they say in which class it is: that of the school year `year` first, then the one
 * before; a year that has not begun last, though its record is there since its fees were set up.
 */
export const presentFirst = (record: string, year: string): string =>
  `${record}.academic_year_start <= ${year} desc, abs(${record}.academic_year_start - ${year}), ${record}.id desc`

/**
 * Defines `classed` after `owed`: the same with the class that each child is in, whatever the year of what it owes; `year` is the
 * school year of today. Groups whose records are all of it and of one class have that class already, as have those of the year before
 * while nobody has a record of the new one yet; children of the others are looked at one by one.
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
    select of_group from owed where of_group is not null
    group by of_group having bool_or(academic_year_start <> (select year from school_year)) or count(distinct grade) > 1
  ),
  classed as (
    select o.child, o.children, o.collector_code, o.grade, o.component_type, o.owed_paise, o.planned_paise, o.due_on, o.days
    from owed o where o.student_id is null and o.of_group not in (select of_group from mixed)
    union all
    select md5(concat_ws(' ', 'of', d.collector_code, d.identifier))::uuid, 1, o.collector_code, present.grade, o.component_type,
      own.paise, coalesce(d.planned_paise[o.part_no], 0), o.due_on, o.days
    from mixed m join owed o on o.group_id = m.of_group
    join student_dues d on d.institute_id = $1 and d.group_id = o.group_id and d.record_no = o.record_no
      and d.student_id not in (select student_id from counted)
    left join redeemed r on r.student_id = d.student_id and r.rule_id = o.late_id
    cross join lateral (select coalesce(d.owed_paise[o.part_no], greatest(o.late_paise - coalesce(r.paise, 0), 0)) as paise) own
    ${present('d.student_id')} where o.late_id is null or own.paise > 0
    union all
    select o.child, 1, o.collector_code, present.grade, o.component_type, o.owed_paise, o.planned_paise, o.due_on, o.days
    from owed o ${present('o.student_id')} where o.student_id is not null
  )`
}
