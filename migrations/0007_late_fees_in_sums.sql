-- Works with code from 0001 on.
-- Sums of a school count late fees, so a part also says since when a plan missed it: what was carried has the day of its old
-- year, and its late fee counts from the new one.

create or replace view owed_parts as
  select b.institute_id, b.student_id, b.component_type, coalesce(c.due_on, f.missed_on) as due_on,
    case when coalesce(c.is_first, true) then plan.amount else 0 end as planned_paise,
    case when c.student_id is null then b.outstanding_paise - plan.amount
      when c.is_first then greatest(b.outstanding_paise - plan.amount - c.later_paise, 0)
      else least(greatest(b.outstanding_paise - plan.amount - c.later_paise, 0), c.amount_paise) end as owed_paise,
    f.missed_on
  from student_balances b
  left join planned_fees f on f.institute_id = b.institute_id and f.student_id = b.student_id
    and f.component_type = b.component_type
  left join (
    select institute_id, student_id, component_type, due_on, sum(amount_paise)::bigint as amount_paise,
      coalesce(sum(sum(amount_paise)) over (partition by institute_id, student_id, component_type
        order by due_on desc nulls first rows between unbounded preceding and 1 preceding), 0)::bigint as later_paise,
      row_number() over (partition by institute_id, student_id, component_type order by due_on nulls last) = 1 as is_first
    from carried_dues group by institute_id, student_id, component_type, due_on
  ) c on c.institute_id = b.institute_id and c.student_id = b.student_id and c.component_type = b.component_type
  cross join lateral (select least(b.outstanding_paise, coalesce(f.amount_paise, 0)) as amount) as plan
  where b.outstanding_paise > 0;

alter table dues_groups add column missed_on date;

-- Those who have such a day are counted anew, and by code of before once more when they change.
insert into dues_changes (institute_id, student_id)
select institute_id, student_id from planned_fees where missed_on is not null;

-- What was paid or waived of the late fees that grow now.
create index late_fee_entries_of_rule on late_fee_entries (institute_id, rule_id, student_id);
