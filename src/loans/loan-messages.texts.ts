import type { NewMessage } from '../messages/messages.rules.ts'
import { formatRupees, type Paise } from '../platform/money.ts'
import type { LenderUpdate } from './lender-port.ts'
import type { Application } from './loans.rules.ts'

/** What the borrower is told by mail. It carries no link: reading a mail must not be enough to accept for the family. */
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

function textOf(application: Application, update: LenderUpdate): Text | null {
  const { lenderTitle } = application
  const fees = feesOf(application)
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
    case 'expired':
      return endedText(lenderTitle, fees, update.kind)
    default:
      return null
  }
}

/** It was withdrawn or lapsed without the lender's report. */
export function endedMessage(application: Application, how: 'canceled' | 'expired', at: Date): NewMessage[] {
  return toBorrower(application, at, endedText(application.lenderTitle, feesOf(application), how))
}

function endedText(lenderTitle: string, fees: string, how: 'canceled' | 'expired'): Text {
  const what = how === 'canceled' ? 'was withdrawn' : 'lapsed, because 30 days went by'
  return {
    subject: how === 'canceled' ? `There is no loan from ${lenderTitle}` : 'Your loan application lapsed',
    body: `The application for a loan for ${fees} ${what}. Nothing is owed to ${lenderTitle}. The fees stay due; you can pay them or apply again.`,
  }
}

export function disbursedMessage(application: Application, amountPaise: Paise, at: Date): NewMessage[] {
  const { lenderTitle } = application
  return toBorrower(application, at, {
    subject: `${lenderTitle} has paid the school`,
    body: `${formatRupees(amountPaise)} of your loan reached the school and pays ${feesOf(application)}. You pay ${lenderTitle} back as agreed. ${WHERE}`,
  })
}

function feesOf({ borrower }: Application): string {
  return `the fees of ${borrower?.student ?? 'your child'}`
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

/** Nobody before the consent: until then there is no borrower. */
function toBorrower({ instituteId, id, borrower }: Application, at: Date, text: Text): NewMessage[] {
  if (borrower === null) return []
  const to = { name: borrower.name, language: 'en' as const }
  return [{ instituteId, channel: 'email', recipient: borrower.email, ...text, to, about: id, at }]
}
