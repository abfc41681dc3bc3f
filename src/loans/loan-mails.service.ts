import { languageOfFamily, queueMessages } from '../messages/messages.service.ts'
import type { Transaction } from '../platform/db/database.ts'
import { borrowerMail, confirmMessages, lenderMessages, type BorrowerNews } from './loan-messages.texts.ts'
import type { Application, RecordedPayOut } from './loans.rules.ts'
import { getInstitutesById } from '../institutes/institutes.service.ts'
import { markUrl } from '../platform/cell-mark.rules.ts'
import type { LoanContext } from './context.ts'

/** Queues the mail in the language of the family and in the transaction of what it tells of. */
export async function mailBorrower(
  tx: Transaction,
  application: Application,
  news: BorrowerNews | null,
  at: Date,
): Promise<void> {
  const { instituteId, borrower } = application
  if (borrower === null || news === null) return
  const language = await languageOfFamily(tx, { instituteId, phone: borrower.phone })
  await queueMessages(tx, borrowerMail(application, news, { language, at }))
}

/** Mails to the people who have to act, in the transaction of what happened. */

/** A lender with an API has no people here and gets none. */
export async function mailLender(
  ctx: LoanContext,
  tx: Transaction,
  application: Application,
  happened: Parameters<typeof lenderMessages>[1],
): Promise<void> {
  if (application.sentAt === null) return
  const { lender, id, instituteId } = application
  const recipients = await ctx.people.atLender(tx, lender)
  const [institute] = ctx.cell === null ? [] : await getInstitutesById(ctx, [instituteId])
  const url = markUrl(`${ctx.publicUrl}/console/l/${lender}/${id}`, ctx, institute?.code ?? null)
  await queueMessages(tx, lenderMessages(application, happened, { recipients, url, at: ctx.clock.now() }))
}

export async function mailInstitute(
  ctx: LoanContext,
  tx: Transaction,
  application: Application,
  { payOut, isReminder }: { payOut: Pick<RecordedPayOut, 'amountPaise' | 'reference'>; isReminder: boolean },
): Promise<void> {
  const { instituteId, id } = application
  const [institute] = await getInstitutesById(ctx, [instituteId])
  const recipients = await ctx.people.handlingMoney(tx, instituteId)
  const url = `${ctx.publicUrl}/console/i/${institute?.code ?? ''}/loans/${id}`
  const staff = { recipients, url, at: ctx.clock.now(), isReminder }
  await queueMessages(tx, confirmMessages(application, payOut, staff))
}
