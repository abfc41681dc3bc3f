import { formatDayIn as formatDay } from '../../../src/platform/languages.ts'
import { dayOf, startOfDay, addWorkingDays, isWorkingDay } from '../../../src/platform/calendar.ts'
import { formatRupees, type Paise } from '../../../src/platform/money.ts'

export type SeenPresentation = {
  orderId: string
  planId: string
  rail: 'enach' | 'upi_autopay'
  amountPaise: Paise
  presentedAt: Date
  authorisedAt: Date
  notifiedAt: Date | null
  notice: string | null
  withdrawnAt: Date | null
  planWas: string | null
  holdWas: string | null
  isFresh: boolean
  subjects: string[] | null
}

/** Presentations since a moment with what was said before them. */
export const PRESENTATIONS = `
  select f.order_id as "orderId", i.plan_id as "planId", m.rail, f.amount_paise as "amountPaise", f.presented_at as "presentedAt",
    m.authorised_at as "authorisedAt", n.why as notice,
    coalesce((select min(g.sent_at) from messages g where g.institute_id = i.institute_id and g.about = i.plan_id
      and g.channel = 'email' and g.created_at = n.decided_at), n.decided_at) as "notifiedAt",
    (select max(d.decided_at) from flex_decisions d where d.institute_id = i.institute_id and d.plan_id = i.plan_id
      and d.instalment_id = i.id and d.id > n.id and d.decided_at <= f.presented_at and (d.what like 'moved %'
      or d.what = 'scheduled' and d.why <> 'to be presented again within its notice')) as "withdrawnAt",
    (select d.what from flex_decisions d where d.institute_id = i.institute_id and d.plan_id = i.plan_id
      and d.what like 'plan %' and d.decided_at <= f.presented_at order by d.id desc limit 1) as "planWas",
    (select d.what from flex_decisions d where d.institute_id = i.institute_id and d.plan_id = i.plan_id
      and d.what in ('held', 'resumed') and d.decided_at <= f.presented_at order by d.id desc limit 1) as "holdWas",
    exists (select from erp_fetches e where e.institute_id = i.institute_id and e.student_id = p.student_id
      and e.outcome = 'found' and e.fetched_at between n.decided_at - interval '10 minutes' and n.decided_at) as "isFresh",
    (select array_agg(g.subject) from messages g where g.institute_id = i.institute_id and g.about = i.plan_id
      and g.channel = 'email' and g.created_at = n.decided_at) as subjects
  from flex_presentations f
  join flex_instalments i on i.institute_id = f.institute_id and i.id = f.instalment_id
  join flex_plans p on p.institute_id = i.institute_id and p.id = i.plan_id
  join flex_mandates m on m.institute_id = f.institute_id and m.id = f.mandate_id
  left join lateral (select d.id, d.decided_at, d.why from flex_decisions d where d.institute_id = i.institute_id
    and d.plan_id = i.plan_id and d.instalment_id = i.id and d.what = 'confirmed' and d.why like '% announced for %'
    and d.decided_at < f.presented_at order by d.id desc limit 1) n on true
  where f.presented_at > $1`

const HOUR_MS = 3_600_000
// Minutes of the day, ends excluded.
const WINDOWS = {
  enach: [[0, 539]],
  upi_autopay: [
    [0, 600],
    [780, 1_020],
    [1_290, 1_440],
  ],
} as const

/** What the mandate may not take is in the same message, with its own sum. */
function isNoticeOf(subject: string, debit: string): boolean {
  return (
    subject === debit ||
    subject === debit.replace(' will be debited', ' for Picnic fee will be debited') ||
    (subject.startsWith(`${debit}, and ₹`) && subject.endsWith(' is to be paid online'))
  )
}

/** What is wrong with one presentation, as NPCI and the payer would see it. */
export function wrongWith(seen: SeenPresentation, holidays: ReadonlySet<string>): string[] {
  const day = dayOf(seen.presentedAt)
  const minute = (seen.presentedAt.getTime() - startOfDay(day).getTime()) / 60_000
  const authorisedOn = dayOf(seen.authorisedAt)
  const first =
    seen.rail === 'enach'
      ? addWorkingDays(authorisedOn, 5, holidays)
      : Temporal.PlainDate.from(authorisedOn).add({ days: 2 }).toString()
  const noticeAge = seen.presentedAt.getTime() - (seen.notifiedAt?.getTime() ?? 0)
  const amount = formatRupees(seen.amountPaise)
  const announcedFor = seen.notice?.split(' announced for ')[1] ?? ''
  const wrong = {
    'not a working day': !isWorkingDay(day, holidays),
    'outside the window': !WINDOWS[seen.rail].some(([from, to]) => minute >= from && minute < to),
    'before the mandate may be debited': day < first,
    'no notice': seen.notice === null,
    'the notice is younger than 24 hours': noticeAge < 24 * HOUR_MS,
    'the notice is older than 48 hours': noticeAge > 48 * HOUR_MS,
    'another amount than announced': seen.notice?.startsWith(`${amount} announced for `) !== true,
    'another day than announced': seen.rail === 'enach' && announcedFor !== day,
    'the notice was withdrawn': seen.withdrawnAt !== null,
    'the message says something else': !(seen.subjects ?? []).some(subject =>
      isNoticeOf(
        subject,
        `${amount} will be debited on ${announcedFor === '' ? '' : formatDay(announcedFor, 'en')}`,
      ),
    ),
    'the ERP was not asked before the notice': !seen.isFresh,
    'the plan was not running': seen.planWas !== 'plan active' || seen.holdWas === 'held',
  }
  return Object.entries(wrong).flatMap(([what, isWrong]) => (isWrong ? [what] : []))
}
