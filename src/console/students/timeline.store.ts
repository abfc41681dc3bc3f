import type { Queryable } from '../../platform/db/database.ts'
import type { TIMELINE_KINDS } from './students.rules.ts'

/** One thing that happened to a student, whatever log it stands in. */
export type TimelineRow = {
  id: string
  at: Date
  kind: (typeof TIMELINE_KINDS)[number]
  /** An event's code, what a person did, what came of a fetch, what changed the profile, a component, a channel. */
  what: string
  by: string | null
  why: string | null
  raw: unknown
}

/** The student itself and whatever was made for it; each has events of its own, and acts of people. */
const RESOURCES = `
  select $2 as id
  union all select id from flex_plans where institute_id = $1 and student_id = $2
  union all select id from orders where institute_id = $1 and student_id = $2
  union all select id from cred_applications where institute_id = $1 and student_id = $2`

/** The ids that messages to the family are stored under: of payments at the counter and reminders too. */
const TOLD_OF = `
  select id from resources
  union all select id from direct_payments where institute_id = $1 and student_id = $2
  union all select reminder_id from reminder_students where institute_id = $1 and student_id = $2`

/**
 * Newest first. What a person did stands beside what came of it: the one says who and why, the other what. A late fee
 * that was let off here is among the acts; one that the ERP let off is only in its own log, as is an advance that a parent used.
 */
export async function listTimeline(
  db: Queryable,
  { instituteId, studentId }: { instituteId: number; studentId: string },
  page: { kind: TimelineRow['kind'] | null; before: { at: Date; id: string } | null; limit: number },
): Promise<TimelineRow[]> {
  return db.query<TimelineRow>(
    `with resources as materialized (${RESOURCES}), entries as (
       select e.id, e.occurred_at as at, 'event' as kind, e.event_code as what, null as by, null as why,
         e.payload as raw
       from resources r join events e on e.institute_id = $1 and e.resource_id = r.id
       union all
       select a.id, a.at, 'act', a.what, a.actor_name, a.why,
         json_strip_nulls(json_build_object('about', a.about, 'before', a.before, 'after', a.after))
       from resources r join console_audit a on a.institute_id = $1 and a.about = r.id
       union all
       select f.id, f.fetched_at, 'fetch', f.outcome, null, f.message, json_strip_nulls(json_build_object(
         'reason', f.reason, 'http_status', f.http_status, 'code', f.code, 'changes', f.changes, 'problems', f.problems))
       from erp_fetches f where f.institute_id = $1 and f.student_id = $2
       union all
       select 'profile-' || p.change_no, p.changed_at, 'profile', p.source, null, null,
         json_build_object('changes', p.changes)
       from student_changes p where p.institute_id = $1 and p.student_id = $2
       union all
       select 'fee-' || c.change_no, c.changed_at, 'fee', c.component_type, null, c.note, json_build_object(
         'source', c.source, 'feeBefore', c.fee_before_paise, 'discountsBefore', c.discounts_before,
         'feeAfter', c.fee_after_paise, 'discountsAfter', c.discounts_after)
       from fee_changes c where c.institute_id = $1 and c.student_id = $2
       union all
       select l.id, l.at, 'waiver', l.rule_id, l.actor, l.reason, json_build_object('amount', l.amount_paise)
       from late_fee_entries l
       where l.institute_id = $1 and l.student_id = $2 and l.kind = 'waived' and l.actor not like '%@%'
       union all
       select m.id, coalesce(m.sent_at, m.created_at), 'message', m.channel, null, m.failure, json_strip_nulls(json_build_object(
         'state', m.state, 'to', m.recipient, 'text', coalesce(m.subject, m.body)))
       from (${TOLD_OF}) as told join messages m on m.institute_id = $1 and m.about = told.id
       union all
       select u.id, u.at, 'act', 'advance.used', u.actor, u.reason, json_build_object('from', u.from_component,
         'to', u.to_component, 'amount', u.amount_paise / 100.0)
       from advance_uses u where u.institute_id = $1 and u.student_id = $2 and u.actor not like '%@%'
     )
     select id, at, kind, what, by, why, raw from entries
     where ($3::timestamptz is null or (at, id collate "C") < ($3, $4::text collate "C"))
       and ($6::text is null or kind = $6)
     order by at desc, id collate "C" desc limit $5`,
    [instituteId, studentId, page.before?.at ?? null, page.before?.id ?? null, page.limit, page.kind],
  )
}
