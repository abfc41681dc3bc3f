import type { Queryable, Transaction } from '../platform/db/database.ts'
import { Table } from '../platform/db/table.ts'
import type { Language } from '../platform/languages.ts'
import type { Paise } from '../platform/money.ts'
import { leasedRows } from '../platform/jobs/due-rows.ts'
import type { Reason, ReminderState, Scope, Wording } from './reminders.rules.ts'
import type { ReminderChannel } from './reminders.texts.ts'

export type Run = Wording & {
  instituteId: number
  id: string
  language: Language
  channels: readonly ReminderChannel[]
  scope: Scope
  isForced: boolean
  madeBy: string
  createdAt: Date
  cancelledAt: Date | null
}
export type Reminder = {
  instituteId: number
  id: string
  runId: string
  family: string
  name: string
  isForced: boolean
  state: ReminderState
  reason: Reason | null
  amountPaise: Paise | null
  recipients: readonly string[]
  decidedAt: Date | null
  nextTryAt: Date | null
}

const runs = new Table<Run>('reminder_runs', {
  instituteId: 'int',
  id: 'text',
  language: 'text',
  subject: 'text',
  body: 'text',
  channels: 'text[]',
  scope: 'text',
  isForced: 'boolean',
  madeBy: 'text',
  createdAt: 'timestamptz',
  cancelledAt: 'timestamptz',
})
const reminders = new Table<Reminder>('reminders', {
  instituteId: 'int',
  id: 'text',
  runId: 'text',
  family: 'text',
  name: 'text',
  isForced: 'boolean',
  state: 'text',
  reason: 'text',
  amountPaise: 'bigint',
  recipients: 'text[]',
  decidedAt: 'timestamptz',
  nextTryAt: 'timestamptz',
})
const students = new Table<{ instituteId: number; reminderId: string; studentId: string }>(
  'reminder_students',
  { instituteId: 'int', reminderId: 'text', studentId: 'text' },
)

export const due = leasedRows<Reminder>({
  table: 'reminders',
  dueAt: 'next_try_at',
  columns: reminders.columns('reminders'),
  leaseMs: 120_000,
})

export type NewReminder = Pick<Reminder, 'id' | 'family' | 'name'> & { studentIds: readonly string[] }

export async function insertRun(
  tx: Transaction,
  run: Run,
  families: readonly NewReminder[],
  firstTryAt: Date,
): Promise<void> {
  const { instituteId, id: runId, isForced } = run
  await runs.insert(tx, [run])
  await reminders.insert(
    tx,
    families.map(({ studentIds: _ids, ...family }) => ({
      ...family,
      instituteId,
      runId,
      isForced,
      state: 'waiting' as const,
      reason: null,
      amountPaise: null,
      recipients: [],
      decidedAt: null,
      nextTryAt: firstTryAt,
    })),
  )
  await students.insert(
    tx,
    families.flatMap(({ id: reminderId, studentIds }) =>
      studentIds.map(studentId => ({ instituteId, reminderId, studentId })),
    ),
  )
}

export async function findRun(db: Queryable, instituteId: number, id: string): Promise<Run | null> {
  const [row] = await db.query<Run>(
    `select ${runs.columns('r')} from reminder_runs r where institute_id = $1 and id = $2`,
    [instituteId, id],
  )
  return row ?? null
}

export async function listStudentIds(
  db: Queryable,
  { instituteId, id }: Pick<Reminder, 'instituteId' | 'id'>,
): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    'select student_id as id from reminder_students where institute_id = $1 and reminder_id = $2 order by 1',
    [instituteId, id],
  )
  return rows.map(row => row.id)
}

export async function putOff(db: Queryable, { instituteId, id }: Reminder, until: Date): Promise<void> {
  await db.query(
    `update reminders set next_try_at = $3 where institute_id = $1 and id = $2 and state = 'waiting'`,
    [instituteId, id, until],
  )
}

export async function withhold(
  db: Queryable,
  { instituteId, id }: Reminder,
  { reason, at }: { reason: Reason; at: Date },
): Promise<void> {
  await db.query(
    `update reminders set state = 'withheld', reason = $3, decided_at = $4, next_try_at = null
     where institute_id = $1 and id = $2 and state = 'waiting'`,
    [instituteId, id, reason, at],
  )
}

type SentReminder = {
  day: string
  at: Date
  amountPaise: Paise
  recipients: readonly string[]
  children: readonly { studentId: string; amountPaise: Paise; orderId: string }[]
}

/** Counts reminders about this student that are not decided yet. */
export async function countWaiting(db: Queryable, instituteId: number, studentId: string): Promise<number> {
  const [row] = await db.query<{ count: number }>(
    `select count(*)::int as count from reminders r
     join reminder_students s on s.institute_id = r.institute_id and s.reminder_id = r.id and s.student_id = $2
     where r.institute_id = $1 and r.state = 'waiting'`,
    [instituteId, studentId],
  )
  return row?.count ?? 0
}

/** False when it was decided meanwhile, or the family was reminded today. */
export async function markSent(tx: Transaction, reminder: Reminder, sent: SentReminder): Promise<boolean> {
  const { instituteId, id, family } = reminder
  const rows = await tx.query(
    `update reminders set state = 'sent', sent_on = $4, decided_at = $5, amount_paise = $6, recipients = $7, next_try_at = null
     where institute_id = $1 and id = $2 and state = 'waiting' and (is_forced or not exists (
       select from reminders r where r.institute_id = $1 and r.family = $3 and r.sent_on = $4)) returning 1`,
    [instituteId, id, family, sent.day, sent.at, sent.amountPaise, sent.recipients],
  )
  if (rows.length === 0) return false
  await tx.query(
    `update reminder_students s set amount_paise = c.amount_paise, order_id = c.order_id
     from unnest($3::text[], $4::bigint[], $5::text[]) as c (student_id, amount_paise, order_id)
     where s.institute_id = $1 and s.reminder_id = $2 and s.student_id = c.student_id`,
    [
      instituteId,
      id,
      sent.children.map(child => child.studentId),
      sent.children.map(child => child.amountPaise),
      sent.children.map(child => child.orderId),
    ],
  )
  return true
}

/** Before the ERP is asked for nothing; `markSent` looks again. */
export async function wasReminded(
  db: Queryable,
  { instituteId, family }: Reminder,
  day: string,
): Promise<boolean> {
  const rows = await db.query(
    'select 1 from reminders where institute_id = $1 and family = $2 and sent_on = $3 limit 1',
    [instituteId, family, day],
  )
  return rows.length > 0
}

/** Cancels reminders that still wait; what is being decided at this moment may still leave. */
export async function cancelRun(
  tx: Transaction,
  { instituteId, id }: Pick<Run, 'instituteId' | 'id'>,
  at: Date,
): Promise<void> {
  await tx.query('update reminder_runs set cancelled_at = $3 where institute_id = $1 and id = $2', [
    instituteId,
    id,
    at,
  ])
  await tx.query(
    `update reminders set state = 'withheld', reason = 'cancelled', decided_at = $3, next_try_at = null
     where institute_id = $1 and run_id = $2 and state = 'waiting'`,
    [instituteId, id, at],
  )
}

export type CountedRun = Run & { families: number; waiting: number; sent: number; withheld: number }

const COUNTS = `(select count(*) from reminders c where c.institute_id = $1 and c.run_id = r.id)::int as families,
  (select count(*) from reminders c where c.institute_id = $1 and c.run_id = r.id and c.state = 'waiting')::int as waiting,
  (select count(*) from reminders c where c.institute_id = $1 and c.run_id = r.id and c.state = 'sent')::int as sent,
  (select count(*) from reminders c where c.institute_id = $1 and c.run_id = r.id and c.state = 'withheld')::int as withheld`

export const RUNS = { select: `${runs.columns('r')}, ${COUNTS}`, from: 'reminder_runs r' }

export async function findCountedRun(
  db: Queryable,
  instituteId: number,
  id: string,
): Promise<CountedRun | null> {
  const [row] = await db.query<CountedRun>(
    `select ${RUNS.select} from ${RUNS.from} where r.institute_id = $1 and r.id = $2`,
    [instituteId, id],
  )
  return row ?? null
}

export type ListedReminder = Reminder & { students: string[]; language: Language; madeBy: string }

export const REMINDERS = {
  select: `${reminders.columns('r')}, u.language, u.made_by as "madeBy", (select coalesce(json_agg(s.fullname order by s.fullname), '[]')
    from reminder_students c join students s on s.institute_id = c.institute_id and s.id = c.student_id
    where c.institute_id = $1 and c.reminder_id = r.id) as students`,
  from: 'reminders r',
  join: 'join reminder_runs u on u.institute_id = r.institute_id and u.id = r.run_id',
}

export async function findTexts(
  db: Queryable,
  instituteId: number,
): Promise<(Wording & { language: Language })[]> {
  return db.query('select language, subject, body from reminder_texts where institute_id = $1', [instituteId])
}

export async function writeText(
  tx: Transaction,
  instituteId: number,
  { language, subject, body, at }: Wording & { language: Language; at: Date },
): Promise<void> {
  await tx.query(
    `insert into reminder_texts (institute_id, language, subject, body, changed_at) values ($1, $2, $3, $4, $5)
     on conflict (institute_id, language) do update set subject = $3, body = $4, changed_at = $5`,
    [instituteId, language, subject, body, at],
  )
}

export type StudentOnPaper = {
  id: string
  collectorCode: string
  gradeName: string
  section: string | null
  fullname: string
  identifier: string
  contactNumber: string
}

/** The students of a pile of papers, in no order. */
export async function listStudents(
  db: Queryable,
  instituteId: number,
  ids: readonly string[],
): Promise<StudentOnPaper[]> {
  return db.query<StudentOnPaper>(
    `select s.id, s.collector_code as "collectorCode", coalesce(nullif(c.name, ''), s.grade) as "gradeName", s.section,
       s.fullname, s.identifier, s.primary_contact_number as "contactNumber"
     from students s
     left join catalogue_entries c on c.institute_id = s.institute_id and c.kind = 'grade' and c.code = s.grade
     where s.institute_id = $1 and s.id = any($2)`,
    [instituteId, ids],
  )
}
