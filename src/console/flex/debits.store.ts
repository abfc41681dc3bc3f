import type { Instalment, Mandate, Plan } from '../../flex/rules/plan.rules.ts'
import type { Queryable } from '../../platform/db/database.ts'
import type { Paise } from '../../platform/money.ts'
import { AMOUNT, NOT_PRESENTED, STATUS } from './days.store.ts'
import type { DebitCursor, DebitStatus, Span } from './flex.rules.ts'

/** A debit of a day, with everything that its next step depends on. */
export type Debit = {
  day: string
  status: DebitStatus
  amountPaise: Paise
  /** 0 when it was not presented. */
  presentation: number
  presentedAt: Date | null
  returnCode: string | null
  /** Why the instalment was last moved. */
  decided: string | null
  plan: Pick<Plan, 'id' | 'state' | 'isHeld' | 'lockReason' | 'collectorCode'>
  instalment: Instalment
  mandate: Pick<Mandate, 'state' | 'rail' | 'capPaise' | 'startOn' | 'endOn' | 'authorisedAt'> | null
  takenDays: string[]
  student: { id: string; fullname: string; identifier: string; grade: string }
}

export type DebitFilter = {
  statuses?: readonly DebitStatus[] | undefined
  returnCode?: string | undefined
  collectorCode?: string | undefined
  /** Which of the two parts can have any. */
  parts: { instalments: boolean; presentations: boolean }
  cursor?: DebitCursor | undefined
}

const INSTALMENT = `i.institute_id as "instituteId", i.plan_id as "planId", i.id, i.number, i.state as "instalmentState",
  i.is_downpayment as "isDownpayment", i.due_on as "dueOn", i.present_on as "presentOn", i.reference_id as "referenceId",
  i.identifier, i.lines, i.attempt, i.bank_returns as "bankReturns", i.first_bank_return_at as "firstBankReturnAt",
  i.notified_at as "notifiedAt", i.presented_on as "presentedOn", i.return_code as "lastReturnCode",
  i.fetch_tries as "fetchTries", i.order_id as "orderId", i.next_step_at as "nextStepAt"`

/**
 * First what was not presented, by day; then presentations, by moment. Each part is read in the order of its index and
 * no further than the page, and only the page is joined to what it tells of.
 */
export async function listDebits(
  db: Queryable,
  instituteId: number,
  { span, filter, limit }: { span: Span; filter: DebitFilter; limit: number },
): Promise<Debit[]> {
  const values: unknown[] = [instituteId, limit]
  const bind = (value: unknown): string => `$${values.push(value)}`
  const parts = [
    ...(filter.parts.instalments ? [instalmentsPart(bind, span, filter)] : []),
    ...(filter.parts.presentations ? [presentationsPart(bind, span, filter)] : []),
  ]
  if (parts.length === 0) return []
  const rows = await db.query<Row>(
    `select d.day, d.status, coalesce(d.amount, ${AMOUNT}) as "amountPaise", d.presentation, d.presented_at as "presentedAt",
       d.return_code as "returnCode", w.why as decided, ${INSTALMENT},
       p.state as "planState", p.is_held as "isHeld", p.lock_reason as "lockReason", p.collector_code as "collectorCode",
       m.state as "mandateState", m.rail, m.cap_paise as "capPaise", m.start_on as "startOn", m.end_on as "endOn",
       m.authorised_at as "authorisedAt", t.days as "takenDays",
       s.id as "studentId", s.fullname, s.identifier as "studentIdentifier", s.grade
     from (
       select * from (${parts.join(' union all ')}) found
       order by part, day, presented_at, instalment_id, presentation limit $2
     ) d
     join flex_instalments i on i.institute_id = $1 and i.id = d.instalment_id
     join flex_plans p on p.institute_id = $1 and p.id = i.plan_id
     join students s on s.institute_id = $1 and s.id = p.student_id
     left join lateral (select * from flex_mandates f where f.institute_id = $1 and f.plan_id = p.id
       order by f.created_at desc, f.id desc limit 1) m on true
     left join lateral (select x.why from flex_decisions x where x.institute_id = $1 and x.plan_id = p.id
       and x.instalment_id = i.id order by x.id desc limit 1) w on true
     cross join lateral (select coalesce(array_agg(o.present_on::text), '{}') as days from flex_instalments o
       where o.institute_id = $1 and o.plan_id = p.id and o.id <> i.id and not o.is_downpayment
         and o.state in ('scheduled', 'confirmed', 'skipped', 'bounced', 'reversed', 'presented')) t
     order by d.part, d.day, d.presented_at, d.instalment_id, d.presentation`,
    values,
  )
  return rows.map(toDebit)
}

type Bind = (value: unknown) => string

function instalmentsPart(bind: Bind, span: Span, { statuses, collectorCode, cursor }: DebitFilter): string {
  const where = [
    `i.institute_id = $1`,
    NOT_PRESENTED,
    `i.present_on >= ${bind(span.from)} and i.present_on < ${bind(span.before)}`,
    `p.state <> 'draft'`,
  ]
  if (statuses !== undefined) where.push(`${STATUS} = any(${bind(statuses)}::text[])`)
  if (collectorCode !== undefined) where.push(`p.collector_code = ${bind(collectorCode)}`)
  if (cursor?.part === 'instalments')
    where.push(`(i.present_on, i.id) > (${bind(cursor.presentOn)}::date, ${bind(cursor.instalmentId)})`)
  return `(select 1 as part, i.present_on as day, ${STATUS} as status, null::bigint as amount, i.id as instalment_id,
      0 as presentation, null::timestamptz as presented_at, null::text as return_code
    from flex_instalments i join flex_plans p on p.institute_id = i.institute_id and p.id = i.plan_id
    where ${where.join(' and ')} order by i.present_on, i.id limit $2)`
}

function presentationsPart(bind: Bind, span: Span, filter: DebitFilter): string {
  const { statuses, returnCode, collectorCode, cursor } = filter
  const where = [
    `r.institute_id = $1`,
    `r.presented_at >= ${bind(span.fromAt)} and r.presented_at < ${bind(span.beforeAt)}`,
  ]
  if (statuses !== undefined) where.push(`r.state = any(${bind(statuses)}::text[])`)
  if (returnCode !== undefined) where.push(`r.return_code = ${bind(returnCode)}`)
  if (collectorCode !== undefined)
    where.push(`exists (select from flex_instalments i join flex_plans p on p.institute_id = $1 and p.id = i.plan_id
      where i.institute_id = $1 and i.id = r.instalment_id and p.collector_code = ${bind(collectorCode)})`)
  if (cursor?.part === 'presentations')
    where.push(`(r.presented_at, r.instalment_id, r.presentation) >
      (${bind(cursor.presentedAt)}::timestamptz, ${bind(cursor.instalmentId)}, ${bind(cursor.presentation)}::int)`)
  return `(select 2 as part, (r.presented_at at time zone 'Asia/Kolkata')::date as day, r.state as status,
      r.amount_paise as amount, r.instalment_id, r.presentation, r.presented_at, r.return_code
    from flex_presentations r where ${where.join(' and ')}
    order by r.presented_at, r.instalment_id, r.presentation limit $2)`
}

type Row = Omit<Debit, 'plan' | 'instalment' | 'mandate' | 'student'> &
  Omit<Instalment, 'state' | 'returnCode'> &
  Pick<Plan, 'isHeld' | 'lockReason' | 'collectorCode'> &
  Pick<Mandate, 'rail' | 'capPaise' | 'startOn' | 'endOn' | 'authorisedAt'> & {
    instalmentState: Instalment['state']
    lastReturnCode: string | null
    planState: Plan['state']
    mandateState: Mandate['state'] | null
    studentId: string
    fullname: string
    studentIdentifier: string
    grade: string
  }

function toDebit(row: Row): Debit {
  const { mandateState, rail, capPaise, startOn, endOn, authorisedAt } = row
  return {
    day: row.day,
    status: row.status,
    amountPaise: row.amountPaise,
    presentation: row.presentation,
    presentedAt: row.presentedAt,
    returnCode: row.returnCode,
    decided: row.decided,
    plan: {
      id: row.planId,
      state: row.planState,
      isHeld: row.isHeld,
      lockReason: row.lockReason,
      collectorCode: row.collectorCode,
    },
    instalment: toInstalment(row),
    mandate:
      mandateState === null ? null : { state: mandateState, rail, capPaise, startOn, endOn, authorisedAt },
    takenDays: row.takenDays,
    student: {
      id: row.studentId,
      fullname: row.fullname,
      identifier: row.studentIdentifier,
      grade: row.grade,
    },
  }
}

function toInstalment(row: Row): Instalment {
  return {
    instituteId: row.instituteId,
    planId: row.planId,
    id: row.id,
    number: row.number,
    state: row.instalmentState,
    isDownpayment: row.isDownpayment,
    dueOn: row.dueOn,
    presentOn: row.presentOn,
    referenceId: row.referenceId,
    identifier: row.identifier,
    lines: row.lines,
    attempt: row.attempt,
    bankReturns: row.bankReturns,
    firstBankReturnAt: row.firstBankReturnAt,
    notifiedAt: row.notifiedAt,
    presentedOn: row.presentedOn,
    returnCode: row.lastReturnCode,
    fetchTries: row.fetchTries,
    orderId: row.orderId,
    nextStepAt: row.nextStepAt,
  }
}
