import type { NewMessage } from '../messages/messages.rules.ts'
import { formatRupees } from '../platform/money.ts'
import type { LenderUpdate } from './lender-port.ts'
import type { Application } from './loans.rules.ts'

/** What the borrower is told by mail. It carries no link: whoever reads a mail must not accept for the family. */
type Text = { subject: string; body: string }

const WHERE = 'Open the link by which you applied, or sign in on the pages of the school.'

export function acceptedMessage(application: Application, at: Date): NewMessage[] {
  const { lenderTitle, amountPaise } = application
  return toBorrower(application, at, {
    subject: `You accepted the loan offer of ${lenderTitle}`,
    body: `The offer of ${lenderTitle} over ${formatRupees(amountPaise)} was accepted on your page. If it was not you, tell the school and ${lenderTitle} at once: nothing is owed before the agreement is signed.`,
  })
}

export function updateMessage(application: Application, update: LenderUpdate, at: Date): NewMessage[] {
  const text = textOf(application, update)
  return text === null ? [] : toBorrower(application, at, text)
}

function textOf({ lenderTitle, borrower }: Application, update: LenderUpdate): Text | null {
  const fees = `the fees of ${borrower?.student ?? 'your child'}`
  switch (update.kind) {
    case 'approved':
      return {
        subject: `${lenderTitle} offers you a loan`,
        body: `${lenderTitle} lends you ${formatRupees(update.amountPaise)} for ${fees}. Read the offer before you accept it. ${WHERE} It is kept for 30 days, and nothing is owed before you accept it.`,
      }
    case 'rejected':
      return {
        subject: `${lenderTitle} did not approve the loan`,
        body: `${lenderTitle} did not approve the loan for ${fees}: ${update.reason}\n\nNothing is owed to ${lenderTitle}. The fees stay due.`,
      }
    case 'signed':
      return {
        subject: `Your loan from ${lenderTitle} is agreed`,
        body: `The agreement about the loan for ${fees} is made. ${lenderTitle} pays the school, and you pay ${lenderTitle} back. ${WHERE}`,
      }
    case 'canceled':
      return {
        subject: `There is no loan from ${lenderTitle}`,
        body: `The application for a loan for ${fees} was withdrawn. Nothing is owed to ${lenderTitle}. The fees stay due.`,
      }
    default:
      return null
  }
}

/** Nobody before the consent: until then there is no borrower. */
function toBorrower({ instituteId, id, borrower }: Application, at: Date, text: Text): NewMessage[] {
  if (borrower === null) return []
  const to = { name: borrower.name, language: 'en' as const }
  return [{ instituteId, channel: 'email', recipient: borrower.email, ...text, to, about: id, at }]
}
