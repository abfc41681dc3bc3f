import { takeDue } from '../../platform/jobs/due-rows.ts'
import { queueMessages } from '../../messages/messages.service.ts'
import type { Context } from '../../platform/context.ts'
import { deliveryLink } from '../delivery-log/deliveries.service.ts'
import { writeFailureMail, type DueMail } from './failure-mail.rules.ts'
import { findDueMails, msUntilNextMail, takeDueMails } from './notices.store.ts'

/** Turns notices into mails, one per subscription and hour; returns how many subscriptions that were. */
export async function mailFailures(ctx: Context, limit: number): Promise<number> {
  return takeDue(ctx.db, await findDueMails(ctx.db, limit), async (tx, keys) => {
    const due = await takeDueMails(tx, keys)
    const messages = due.flatMap(mail => messagesOf(ctx, mail))
    await queueMessages(tx, messages)
    return due.length
  })
}

/** The answer is by our clock, though the hour between two mails is real time. */
export async function nextFailureMailDue({ db, clock }: Context): Promise<Date | null> {
  const ms = await msUntilNextMail(db)
  return ms === null ? null : new Date(clock.now().getTime() + ms)
}

function messagesOf(ctx: Context, mail: DueMail) {
  const text = writeFailureMail(mail, id => deliveryLink(ctx, mail.instituteCode, id))
  const addresses = mail.failureEmails
    .split(',')
    .map(address => address.trim())
    .filter(address => address !== '')
  // An address that stands twice, however it is spelt, is written to once.
  const recipients = new Map(addresses.map(address => [address.toLowerCase(), address])).values()
  return Array.from(recipients, recipient => ({
    instituteId: mail.instituteId,
    channel: 'email' as const,
    recipient,
    ...text,
    about: mail.webhookId,
    at: ctx.clock.now(),
  }))
}
