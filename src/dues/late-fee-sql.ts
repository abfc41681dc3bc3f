/**
 * Late fees in SQL, for sums over a whole school: what `lateFeesOn` of the rules says of one student. Nothing of them is
 * stored, so each midnight and each new rule holds at once.
 */
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

/**
 * Joins `late`: the day that the late fee of a fee counts from (`since`; null where there is none, and then no late fee),
 * its id with that day (`id`) and what it has come to (`paise`). `missedOn` is the day on which a plan missed the fee.
 */
export function joinLateFee(fee: Fee & { missedOn: string; today: string }): string {
  const { institute, component, missedOn, today } = fee
  return `${joinDueDays(fee)}
    left join late_fee_rules own on own.institute_id = ${institute} and own.component_type = ${component}
    left join late_fee_rules rest on rest.institute_id = ${institute} and rest.component_type is null
    cross join lateral (select case when own.id is null then rest else own end as rule) of_fee
    cross join lateral (select r.since, ${today}::date - r.since as days
      from (select coalesce(${missedOn}, day.due_on, shared.due_on, (of_fee.rule).due_on) as since) r) ago
    cross join lateral (select ago.since,
      (of_fee.rule).id || case when ago.since = (of_fee.rule).due_on then '' else to_char(ago.since, '-YYYYMMDD') end as id,
      case when ago.days > (of_fee.rule).grace_days then least((of_fee.rule).cap_paise, case (of_fee.rule).kind
        when 'per_day' then (of_fee.rule).per_day_paise * ago.days
        when 'slab' then (select coalesce(max((slab ->> 'amountPaise')::bigint), 0)
          from jsonb_array_elements((of_fee.rule).slabs) as slab where (slab ->> 'fromDay')::int <= ago.days)
        else 0 end) else 0 end as paise) late`
}

/** The late fees that a student owes as of a day; `student` is the alias of `students`, $1 the institute. */
export function lateFeesOf(student: string, today: string): string {
  const fee = { institute: '$1', year: `${student}.academic_year_start`, branch: `${student}.collector_code` }
  return `case when exists (select from late_fee_rules r where r.institute_id = $1 and r.kind <> 'none') then (
      select coalesce(sum(greatest(charged.paise - redeemed.paise, 0)), 0)::bigint from (
        select distinct late.id, late.paise from owed_parts p
        ${joinLateFee({ ...fee, component: 'p.component_type', missedOn: 'p.missed_on', today })}
        where p.institute_id = $1 and p.student_id = ${student}.id and p.owed_paise > 0 and late.paise > 0) charged
      cross join lateral (select coalesce(sum(e.amount_paise), 0) as paise from late_fee_entries e
        where e.institute_id = $1 and e.student_id = ${student}.id and e.rule_id = charged.id) redeemed
    ) else 0 end`
}
