import { isHere } from '../../platform/db/query.ts'
import type { Database, Transaction } from '../../platform/db/database.ts'
import { FAMILY } from './families.ts'
import { DAYS_BEFORE } from './reminders.rules.ts'

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
