import { languageOfFamily } from '../messages/family-languages.service.ts'
import { queueMessages } from '../messages/messages.service.ts'
import type { Transaction } from '../platform/db/database.ts'
import { borrowerMail, type BorrowerNews } from './loan-messages.texts.ts'
import type { Application } from './loans.rules.ts'

/** In the language of the family, in the transaction of what it tells of. */
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
