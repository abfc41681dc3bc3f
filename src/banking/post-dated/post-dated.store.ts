import type { Database, Queryable, Transaction } from '../../platform/db/database.ts'
import { isHere, nameRows, type RowKey } from '../../platform/db/query.ts'
import { Table } from '../../platform/db/table.ts'
import { findDue } from '../../platform/jobs/due-rows.ts'
import type { Paise } from '../../platform/money.ts'
import { POST_DATED, postDatedList, type PostDatedCheque } from './post-dated.list.ts'

type NewCheque = {
  instituteId: number
  id: string
  studentId: string
  number: string
  bank: string | null
  datedOn: string
  depositOn: string
  amountPaise: Paise
  receivedAt: Date
  receivedBy: string
  remindAt: Date
  replacesId: string | null
}

const newCheques = new Table<NewCheque>('post_dated_cheques', {
  instituteId: 'int',
  id: 'text',
  studentId: 'text',
  number: 'text',
  bank: 'text',
  datedOn: 'date',
  depositOn: 'date',
  amountPaise: 'bigint',
  receivedAt: 'timestamptz',
  receivedBy: 'text',
  remindAt: 'timestamptz',
  replacesId: 'text',
})

/** False when one of them is in the register already. */
export async function insertCheques(tx: Transaction, rows: readonly NewCheque[]): Promise<boolean> {
  return (await newCheques.insert(tx, rows, { onConflict: 'on conflict do nothing' })) === rows.length
}

/** Returns them by the day on which they go to the bank. */
export async function readPostDated(
  db: Queryable,
  instituteId: number,
  ids: readonly string[],
): Promise<PostDatedCheque[]> {
  return db.query<PostDatedCheque>(
    `select ${postDatedList.select} from ${POST_DATED.from} ${POST_DATED.join}
     where c.institute_id = $1 and c.id = any($2) order by c.deposit_on, c.id`,
    [instituteId, ids],
  )
}

/** The cheques of a student that have not gone to the bank. */
export async function listHeldIds(db: Queryable, instituteId: number, studentId: string): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    `select id from post_dated_cheques
     where institute_id = $1 and student_id = $2 and payment_id is null and ended_at is null`,
    [instituteId, studentId],
  )
  return rows.map(({ id }) => id)
}

/** The caller holds the student of each. */
export async function markTaken(
  tx: Transaction,
  instituteId: number,
  { id, paymentId }: { id: string; paymentId: string },
): Promise<void> {
  await tx.query(
    'update post_dated_cheques set payment_id = $3, remind_at = null where institute_id = $1 and id = $2',
    [instituteId, id, paymentId],
  )
}

export type End = {
  id: string
  kind: 'replaced' | 'to_give_back' | 'given_back'
  reason: string
  by: string
  at: Date
}

export async function endCheque(
  tx: Transaction,
  instituteId: number,
  { id, kind, reason, by, at }: End,
): Promise<void> {
  await tx.query(
    `update post_dated_cheques set end_kind = $3, end_reason = $4, ended_by = $5, ended_at = $6, remind_at = null
     where institute_id = $1 and id = $2`,
    [instituteId, id, kind, reason, by, at],
  )
}

export async function countToBank(db: Queryable, instituteId: number, today: string): Promise<number> {
  const [row] = await db.query<{ count: number }>(
    `select count(*)::int as count from post_dated_cheques
     where institute_id = $1 and deposit_on <= $2 and payment_id is null and ended_at is null`,
    [instituteId, today],
  )
  return row?.count ?? 0
}

export type ChequeToRemind = {
  instituteId: number
  id: string
  school: string
  number: string
  datedOn: string
  depositOn: string
  amountPaise: Paise
  studentName: string
  payer: string
  phone: string
  email: string
}

const TO_REMIND = { table: 'post_dated_cheques', where: 'remind_at <= $1', order: 'remind_at' }

export async function findToRemind(db: Database, now: Date, limit: number): Promise<RowKey[]> {
  return findDue(db, TO_REMIND, now, limit)
}

/** Marks them as reminded of; another process skips them until the commit. */
export async function takeToRemind(
  tx: Transaction,
  keys: readonly RowKey[],
  now: Date,
): Promise<ChequeToRemind[]> {
  const these = nameRows(keys, 2)
  return tx.query<ChequeToRemind>(
    `with c as (
       update post_dated_cheques set remind_at = null, reminded_at = $1
       where ${these.lock('post_dated_cheques', TO_REMIND.where)} returning *)
     select c.institute_id as "instituteId", c.id, i.name as school, c.number, c.dated_on as "datedOn",
       c.deposit_on as "depositOn", c.amount_paise as "amountPaise", s.fullname as "studentName",
       s.primary_contact_name as payer, s.primary_contact_number as phone, s.primary_contact_email as email
     from c join institutes i on i.id = c.institute_id
     join students s on s.institute_id = ${these.institute('c')} and s.institute_id = c.institute_id and s.id = c.student_id
     order by c.deposit_on, c.id`,
    [now, ...these.values],
  )
}

export async function nextToRemind(db: Database): Promise<Date | null> {
  const [row] = await db.query<{ at: Date | null }>(
    `select min(remind_at) as at from post_dated_cheques where remind_at is not null and ${isHere()}`,
  )
  return row?.at ?? null
}
