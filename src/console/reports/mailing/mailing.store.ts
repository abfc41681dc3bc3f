import { isHere, type RowKey } from '../../../platform/db/query.ts'
import { findDue } from '../../../platform/jobs/due-rows.ts'
import type { Database, Queryable, Transaction } from '../../../platform/db/database.ts'
import { Table } from '../../../platform/db/table.ts'
import type { Mailed, Schedule } from './mailing.rules.ts'

export type ReportMail = Schedule & {
  id: string
  what: Mailed
  recipients: string[]
  nextAt: Date
  createdBy: string
}
export type DueReport = ReportMail & { instituteId: number }

const mails = new Table<ReportMail>('report_mails', {
  id: 'text',
  what: 'text',
  every: 'text',
  day: 'int',
  recipients: 'text[]',
  nextAt: 'timestamptz',
  createdBy: 'text',
})
const ofInstitute = mails.with<{ instituteId: number }>({ instituteId: 'int' })

export async function listReportMails(db: Queryable, instituteId: number): Promise<ReportMail[]> {
  return db.query<ReportMail>(
    `select ${mails.columns('m')} from report_mails m where m.institute_id = $1 order by m.id`,
    [instituteId],
  )
}

export async function insertReportMail(tx: Transaction, instituteId: number, one: ReportMail): Promise<void> {
  await ofInstitute.insert(tx, [{ ...one, instituteId }])
}

export async function deleteReportMail(
  tx: Transaction,
  instituteId: number,
  id: string,
): Promise<ReportMail | null> {
  const [row] = await tx.query<ReportMail>(
    `delete from report_mails m where m.institute_id = $1 and m.id = $2 returning ${mails.columns('m')}`,
    [instituteId, id],
  )
  return row ?? null
}

const DUE = { table: 'report_mails', where: 'next_at <= $1', order: 'next_at' }

export async function findDueReports(db: Database, now: Date, limit: number): Promise<RowKey[]> {
  return findDue(db, DUE, now, limit)
}

export async function lockDue(
  tx: Transaction,
  now: Date,
  instituteId: number,
  ids: readonly string[],
): Promise<DueReport[]> {
  return tx.query<DueReport>(
    `select ${ofInstitute.columns('m')} from report_mails m
     where m.institute_id = $2 and m.id = any($3) and m.next_at <= $1 order by m.next_at for update skip locked`,
    [now, instituteId, ids],
  )
}

export async function setNext(tx: Transaction, rows: readonly DueReport[]): Promise<void> {
  await ofInstitute.update(tx, rows, { key: ['instituteId', 'id'], set: ['nextAt'] })
}

export async function nextDue(db: Database): Promise<Date | null> {
  const [row] = await db.query<{ nextAt: Date | null }>(
    `select min(next_at) as "nextAt" from report_mails where ${isHere()}`,
  )
  return row?.nextAt ?? null
}
