import { institutesOf, isHere } from '../../platform/db/query.ts'
import type { Database, Transaction, Queryable } from '../../platform/db/database.ts'
import { DAYS_BEFORE } from './reminders.rules.ts'
import { Table } from '../../platform/db/table.ts'
import type { Paise } from '../../platform/money.ts'

export type DueReminder = {
  instituteId: number
  planId: string
  studentId: string
  instalmentId: string
  dueOn: string
  daysBefore: number
  /** An earlier reminder told of this instalment on this day. */
  wasReminded: boolean
  family: string
}

const OPEN = `from flex_instalments i join flex_plans p on p.institute_id = i.institute_id and p.id = i.plan_id
  join students s on s.institute_id = p.institute_id and s.id = p.student_id
  where i.state in ('scheduled', 'confirmed') and not i.is_downpayment and p.state = 'active' and not p.is_held
    and ${isHere('i.institute_id')}`

/** Instalments that are due in 7, 3 or 1 days and were not decided on yet for that, family by family. */
export async function listDue(db: Database, today: string, limit: number): Promise<DueReminder[]> {
  return await db.query<DueReminder>(
    `select i.institute_id as "instituteId", i.plan_id as "planId", p.student_id as "studentId", i.id as "instalmentId",
       i.due_on as "dueOn", i.due_on - $1::date as "daysBefore", ${FAMILY} as family,
       exists (select from flex_reminders e where e.institute_id = i.institute_id and e.instalment_id = i.id
         and e.due_on = i.due_on and e.outcome = 'sent') as "wasReminded"
     ${OPEN} and i.due_on = any(array[${DAYS_BEFORE.map(days => `$1::date + ${days}`).join(', ')}])
       and not exists (select 1 from flex_reminders r where r.institute_id = i.institute_id and r.instalment_id = i.id
         and r.days_before = i.due_on - $1::date and r.due_on = i.due_on)
     order by family, i.id limit $2`,
    [today, limit],
  )
}

/** The next day on which a reminder falls, after a day. The first of an index: a minimum would read all that is open. */
export async function nextReminderDay(db: Database, today: string): Promise<string | null> {
  const [row] = await db.query<{ day: string | null }>(
    `select min(day) as day from (${DAYS_BEFORE.map(
      days =>
        `(select i.due_on - ${days} as day ${OPEN} and i.due_on > $1::date + ${days} order by i.due_on limit 1)`,
    ).join(' union all ')}) days`,
    [today],
  )
  return row?.day ?? null
}

/** Answers those that nobody else has decided on meanwhile. */
export async function recordReminders(
  tx: Transaction,
  reminders: readonly (DueReminder & { outcome: string; decidedAt: Date })[],
): Promise<Set<string>> {
  const rows = await tx.query<{ id: string }>(
    `insert into flex_reminders (institute_id, plan_id, instalment_id, days_before, due_on, decided_at, outcome)
     select * from jsonb_to_recordset($1::jsonb) as r ("instituteId" int, "planId" text, "instalmentId" text,
       "daysBefore" int, "dueOn" date, "decidedAt" timestamptz, "outcome" text)
     on conflict do nothing returning instalment_id as id`,
    [JSON.stringify(reminders)],
  )
  return new Set(rows.map(({ id }) => id))
}

/** A returned debit of which the family has not been notified. */
export type Bounce = {
  instituteId: number
  planId: string
  instalmentId: string
  kind: 'bounced' | 'reversed'
  amountPaise: Paise
  /** The reason in words for the family. */
  reason: string
  returnedAt: Date
  tellAt: Date
}

const BOUNCES = new Table<Bounce>('flex_bounces', {
  instituteId: 'int',
  planId: 'text',
  instalmentId: 'text',
  kind: 'text',
  amountPaise: 'bigint',
  reason: 'text',
  returnedAt: 'timestamptz',
  tellAt: 'timestamptz',
})

const REPLACE = `on conflict (institute_id, instalment_id) do update set
  tell_at = least(flex_bounces.tell_at, excluded.tell_at), ${BOUNCES.excluded(['kind', 'amountPaise', 'reason', 'returnedAt'])}`

export async function saveBounces(tx: Transaction, bounces: readonly Bounce[]): Promise<void> {
  await BOUNCES.insert(tx, bounces, { onConflict: REPLACE })
}

export type DueBounce = Bounce & { studentId: string; family: string }

/** Family by family. */
export async function listBounces(db: Database, now: Date, limit: number): Promise<DueBounce[]> {
  return await db.query<DueBounce>(
    `select ${BOUNCES.columns('b')}, p.student_id as "studentId", ${FAMILY} as family
     from flex_bounces b join flex_plans p on p.institute_id = b.institute_id and p.id = b.plan_id
     join students s on s.institute_id = p.institute_id and s.id = p.student_id
     where b.tell_at <= $1 and ${isHere('b.institute_id')} order by family, b.instalment_id limit $2`,
    [now, limit],
  )
}

export async function nextBounce(db: Database): Promise<Date | null> {
  const [row] = await db.query<{ at: Date | null }>(
    `select min(tell_at) as at from flex_bounces where ${isHere()}`,
  )
  return row?.at ?? null
}

/** Answers those that nobody else has taken meanwhile and that have not come back once more. */
export async function takeBounces(tx: Transaction, bounces: readonly DueBounce[]): Promise<Set<string>> {
  const rows = await tx.query<{ id: string }>(
    `delete from flex_bounces b using unnest($1::int[], $2::text[], $3::timestamptz[]) as r (institute_id, id, returned_at)
     where b.institute_id = r.institute_id and b.institute_id = any ($4::int[]) and b.instalment_id = r.id and b.returned_at = r.returned_at returning b.instalment_id as id`,
    [
      bounces.map(({ instituteId }) => instituteId),
      bounces.map(({ instalmentId }) => instalmentId),
      bounces.map(({ returnedAt }) => returnedAt),
      institutesOf(bounces),
    ],
  )
  return new Set(rows.map(({ id }) => id))
}

type Family = { instituteId: number; family: string }

/** A batch of families is asked about at most for so long; if the worker crashes, they are free again after it. */
const LEASE = `interval '10 minutes'`

/**
 * Takes the families that nobody else is asking the ERP about, in real time. An ERP may take long to answer, and a second
 * worker, or a clock that is moved meanwhile, would ask it the same again.
 */
export async function claimFamilies(db: Queryable, families: readonly Family[]): Promise<Set<string>> {
  const rows = await db.query<{ family: string }>(
    `insert into flex_notice_leases as l (institute_id, family, held_until)
     select institute_id, family, clock_timestamp() + ${LEASE}
     from (select distinct * from unnest($1::int[], $2::text[]) as f (institute_id, family)) as f
     order by institute_id, family
     on conflict (institute_id, family) do update set held_until = excluded.held_until
     where excluded.held_until - l.held_until > ${LEASE}
     returning family`,
    columnsOf(families),
  )
  return new Set(rows.map(row => row.family))
}

export async function releaseFamilies(db: Queryable, families: readonly Family[]): Promise<void> {
  await db.query(
    `delete from flex_notice_leases l using unnest($1::int[], $2::text[]) as f (institute_id, family)
     where l.institute_id = f.institute_id and l.institute_id = any ($3::int[]) and l.family = f.family`,
    [...columnsOf(families), institutesOf(families)],
  )
}

function columnsOf(families: readonly Family[]): [number[], string[]] {
  return [families.map(({ instituteId }) => instituteId), families.map(({ family }) => family)]
}

/** Students with the same number, however it is written, are one family; `s` is a student. */
const FAMILY = `s.institute_id || ' ' || right(regexp_replace(s.primary_contact_number, '\\D', '', 'g'), 10)`
