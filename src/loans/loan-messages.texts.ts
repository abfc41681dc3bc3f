import type { NewMessage } from '../messages/messages.rules.ts'
import { messageTextsIn } from '../messages/texts/texts.ts'
import { fill, type Language } from '../platform/languages.ts'
import { formatRupees, type Paise } from '../platform/money.ts'
import type { LenderUpdate } from './lender-port.ts'
import type { Application } from './loans.rules.ts'

type Text = { subject: string; body: string }

/** What the borrower is told by mail. It carries no link: reading a mail must not be enough to accept for the family. */
export type BorrowerNews =
  | { kind: 'accepted' | 'signed' | 'canceled' | 'expired' }
  | { kind: 'approved' | 'disbursed'; amountPaise: Paise }
  | { kind: 'rejected'; reason: string }

/** Maps a lender's report to the news that the borrower gets; null when it is none. */
export function newsOf(update: LenderUpdate): BorrowerNews | null {
  switch (update.kind) {
    case 'approved':
    case 'rejected':
    case 'signed':
    case 'canceled':
    case 'expired':
      return update
    default:
      return null
  }
}

/** Nobody before the consent: until then there is no borrower. */
export function borrowerMail(
  { instituteId, id, lenderTitle, amountPaise, borrower }: Application,
  news: BorrowerNews,
  { language, at }: { language: Language; at: Date },
): NewMessage[] {
  if (borrower === null) return []
  const texts = messageTextsIn(language).loan
  const values = {
    lender: lenderTitle,
    student: borrower.student,
    amount: formatRupees('amountPaise' in news ? news.amountPaise : amountPaise),
    reason: 'reason' in news ? news.reason : '',
    where: texts.where,
  }
  const { subject, body } = texts[news.kind]
  const to = { name: borrower.name, language }
  const text = { subject: fill(subject, values), body: fill(body, values), to }
  return [{ instituteId, channel: 'email', recipient: borrower.email, ...text, about: id, at }]
}

/** What waits for people in the console. A mail names no family: who may see it signs in. */
type Staff = { recipients: readonly string[]; url: string; at: Date }

export function lenderMessages(
  application: Application,
  happened: 'applied' | 'accepted' | 'canceled' | 'expired' | 'missing',
  staff: Staff,
): NewMessage[] {
  const amount = formatRupees(application.amountPaise)
  const texts: Record<typeof happened, Text> = {
    applied: {
      subject: `A loan application of ${amount}`,
      body: 'A family asks you for a loan. Decide here:',
    },
    accepted: {
      subject: `An offer of ${amount} was accepted`,
      body: 'The family accepted your offer. Record the sanction here:',
    },
    canceled: {
      subject: `A loan application of ${amount} was withdrawn`,
      body: 'There is nothing more to do. It stands here:',
    },
    expired: {
      subject: `A loan application of ${amount} lapsed`,
      body: 'There is nothing more to do. It stands here:',
    },
    missing: {
      subject: 'The school did not find a transfer of yours',
      body: 'Look at your bank, and record the transfer that does arrive here:',
    },
  }
  return toStaff(application, texts[happened], staff)
}

export function confirmMessages(
  application: Application,
  { amountPaise, reference }: { amountPaise: Paise; reference: string },
  { isReminder, ...staff }: Staff & { isReminder: boolean },
): NewMessage[] {
  const amount = formatRupees(amountPaise)
  return toStaff(
    application,
    {
      subject: `${isReminder ? 'Still to confirm' : 'To confirm'}: ${amount} from ${application.lenderTitle}`,
      body: `${application.lenderTitle} reports a transfer of ${amount} with the UTR ${reference}. The fees count as paid once somebody has found it on the bank statement and confirms it here:`,
    },
    staff,
  )
}

function toStaff(
  { instituteId, id: about }: Application,
  { subject, body }: Text,
  { recipients, url, at }: Staff,
): NewMessage[] {
  const mail = { instituteId, channel: 'email', subject, body: `${body}\n${url}`, about, at } as const
  return recipients.map(recipient => ({ ...mail, recipient }))
}
