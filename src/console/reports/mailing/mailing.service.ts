import { forEachInstitute } from '../../../platform/jobs/due-rows.ts'
import type { RowKey } from '../../../platform/db/query.ts'
import { readBankStatus } from '../../../banking/statements/statements.service.ts'
import type { Institute } from '../../../institutes/institutes.rules.ts'
import { getInstitutesById } from '../../../institutes/institutes.service.ts'
import { queueMessages } from '../../../messages/messages.service.ts'
import { dayOf } from '../../../platform/calendar.ts'
import type { Context } from '../../../platform/context.ts'
import { badField, conflict, notFound } from '../../../platform/errors.ts'
import { transact, type Command } from '../../../platform/idempotency.ts'
import { newId } from '../../../platform/ids.ts'
import { sumPaise } from '../../../platform/money.ts'
import { readAgeing } from '../dues.service.ts'
import { attachmentName } from '../class-sheets/class-sheets.rules.ts'
import { hasTeacherToMail, listSheetsToMail } from '../class-sheets/class-sheets.service.ts'
import { readCollection } from '../register.service.ts'
import { nextMailAt, periodBefore, type Mailed, type Schedule } from './mailing.rules.ts'
import * as store from './mailing.store.ts'
import { classSheetText, reportText } from './mailing.texts.ts'

export type { ReportMail } from './mailing.store.ts'

const MOST = 20
const LAST_DAY = { week: 7, month: 28 }

export async function listReportMails(
  { db }: Pick<Context, 'db'>,
  institute: Institute,
): Promise<store.ReportMail[]> {
  return store.listReportMails(db, institute.id)
}

type NewReportMail = Schedule & { what: Mailed; recipients: readonly string[]; by: string }

export async function addReportMail(
  ctx: Context,
  command: Command<store.ReportMail>,
  { what, every, day, recipients, by }: NewReportMail,
): Promise<store.ReportMail> {
  if (day > LAST_DAY[every]) throw badField('day', `must be at most ${LAST_DAY[every]}`)
  const { db, clock } = ctx
  const { instituteId } = command
  if (what === 'figures' && recipients.length === 0) throw badField('recipients', 'must name somebody')
  if (what === 'class_sheets' && recipients.length > 0)
    throw badField('recipients', 'must be left out: class sheets go to the class teachers')
  if (what === 'class_sheets' && !(await hasTeacherToMail(ctx, instituteId)))
    throw conflict('No class has a teacher with an e-mail address yet. Enter one first.')
  return transact(db, command, async tx => {
    const known = await store.listReportMails(tx, instituteId)
    if (known.length >= MOST) throw conflict(`There are ${MOST} such mails already.`)
    const nextAt = nextMailAt({ every, day }, clock.now())
    const one = {
      id: newId('report'),
      what,
      every,
      day,
      recipients: [...new Set(recipients)],
      nextAt,
      createdBy: by,
    }
    await store.insertReportMail(tx, instituteId, one)
    return one
  })
}

export async function removeReportMail(
  { db }: Context,
  command: Command<store.ReportMail>,
  id: string,
): Promise<store.ReportMail> {
  return transact(db, command, async tx => {
    const removed = await store.deleteReportMail(tx, command.instituteId, id)
    if (removed === null) throw notFound('This report')
    return removed
  })
}

/** Queued with the next time in one transaction, so each is sent once. */
export async function mailReports(ctx: Context, limit: number): Promise<number> {
  const now = ctx.clock.now()
  const due = await store.findDueReports(ctx.db, now, limit)
  return forEachInstitute(due, (instituteId, keys) => mailSome(ctx, instituteId, keys, now))
}

async function mailSome(
  ctx: Context,
  instituteId: number,
  keys: readonly RowKey[],
  now: Date,
): Promise<number> {
  const [institute] = await getInstitutesById(ctx, [instituteId])
  if (institute === undefined) return 0
  return ctx.db.transaction(async tx => {
    const due = await store.lockDue(
      tx,
      now,
      instituteId,
      keys.map(({ id }) => id),
    )
    for (const one of due) {
      const message = { instituteId, channel: 'email' as const, about: one.id, at: now }
      const mails = one.what === 'figures' ? writeFigures : writeSheets
      await queueMessages(
        tx,
        (await mails(ctx, institute, one)).map(mail => ({ ...message, ...mail })),
      )
    }
    await store.setNext(
      tx,
      due.map(one => ({ ...one, nextAt: nextMailAt(one, now) })),
    )
    return due.length
  })
}

type Mail = { recipient: string; subject: string; body: string; attachment?: string }

async function writeSheets(ctx: Context, institute: Institute): Promise<Mail[]> {
  const today = dayOf(ctx.clock.now())
  const classes = await listSheetsToMail(ctx, institute)
  return classes.map(({ teacher, sheet }) => ({
    recipient: teacher.email,
    ...classSheetText({ institute: institute.name, teacher: teacher.name, sheet, today }),
    attachment: attachmentName(sheet),
  }))
}

async function writeFigures(ctx: Context, institute: Institute, schedule: store.DueReport): Promise<Mail[]> {
  const { period, earlier } = periodBefore(schedule, dayOf(schedule.nextAt))
  const [now, before, ageing, bank] = await Promise.all([
    readCollection(ctx, institute, { ...period, by: 'day' }),
    readCollection(ctx, institute, { ...earlier, by: 'day' }),
    readAgeing(ctx, institute, { by: 'grade' }),
    readBankStatus(ctx, institute),
  ])
  const { days30Paise, days60Paise, days90Paise, over90Paise, totalPaise } = ageing.total
  const text = reportText({
    institute: institute.name,
    period,
    collected: now.totals,
    earlier: before.totals,
    owedPaise: totalPaise,
    latePaise: sumPaise([days30Paise, days60Paise, days90Paise, over90Paise]),
    openLines: bank.reduce((sum, account) => sum + account.openLines, 0),
    url: `${ctx.publicUrl}/console/i/${institute.code}/money`,
  })
  return schedule.recipients.map(recipient => ({ recipient, ...text }))
}

export async function nextReportDue({ db }: Pick<Context, 'db'>): Promise<Date | null> {
  return store.nextDue(db)
}
