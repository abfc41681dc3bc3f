import type { Config } from './config.ts'
import type { MessageContext, Sender, MailAddress } from '../messages/senders.ts'
import { leavingTemplates } from '../leaving/leaving.texts.ts'
import { createSmsSender } from '../messages/senders/sms.client.ts'
import { createWhatsappSender } from '../messages/senders/whatsapp.client.ts'
import type { CallCounts } from '../platform/http-client/call-counts.ts'
import type { Context } from '../platform/context.ts'
import type { Log } from '../platform/log.ts'
import type { Mailer } from '../messages/senders/smtp.client.ts'
import { feeReminderTemplates } from '../reminders/reminders.texts.ts'
import { linkTemplates } from '../orders/link-messages.texts.ts'
import { instalmentTemplates } from '../flex/notices/family.texts.ts'
import { signInTemplates } from '../portal/sign-in/sign-in.texts.ts'
import { familyPageTemplates } from '../students/users/family-page.texts.ts'
import { chequeReminderTemplates } from '../banking/post-dated/post-dated.texts.ts'
import { noticeTemplates } from '../payments/notices/notices.texts.ts'
import type { Template } from '../messages/messages.rules.ts'

/** Lands in the sandbox's mailbox, where every message is to be read anyway. */
const MAILBOX: Sender = { staysHere: true, send: async () => ({ kind: 'sent' }) }

/** How messages to people leave this process: each channel by what is set up for it; in a sandbox the rest stays here. */
export async function createSenders(
  { mail, sms = null, whatsapp = null }: Pick<Config, 'mail'> & Partial<Pick<Config, 'sms' | 'whatsapp'>>,
  { mode }: Context,
  { log, calls }: { log: Log; calls: CallCounts },
): Promise<{ senders: MessageContext['senders']; closeSenders: () => void }> {
  const mailer = mail.smtpUrl === null ? null : await openMailer(mail.smtpUrl, mail.from)
  if (mailer === null && mode === 'live') log.warn('SMTP_URL is not set: no e-mail will be sent')
  const withoutProvider = (reason: string): Sender =>
    mode === 'sandbox' ? MAILBOX : { send: async () => ({ kind: 'refused', reason }) }
  const unknown = unknownNames(sms?.templateIds ?? {})
  if (unknown.length > 0) log.warn({ unknown }, 'SMS_TEMPLATE_IDS names no text of ours')
  const bySms = sms === null ? null : createSmsSender(sms)
  const byWhatsapp = whatsapp === null ? null : createWhatsappSender(whatsapp)
  const counted = (channel: string, sender: Sender): Sender => ({
    ...sender,
    async send(message) {
      const outcome = await sender.send(message)
      calls.add(channel, OUTCOMES[outcome.kind])
      return outcome
    },
  })
  const senders = {
    email: counted('email', mailer ?? withoutProvider('SMTP_URL is not set')),
    sms: counted('sms', toPhone(byWhatsapp, bySms) ?? withoutProvider('no provider for SMS is set up')),
    whatsapp: counted('whatsapp', byWhatsapp ?? withoutProvider('no provider for WhatsApp is set up')),
  }
  return { senders, closeSenders: () => mailer?.close() }
}

const OUTCOMES = { sent: 'answered', refused: 'refused', delayed: 'failed' } as const

/** A short text to a phone: by WhatsApp where that is set up, and what it refuses, such as a number without it, by SMS. */
function toPhone(byWhatsapp: Sender | null, bySms: Sender | null): Sender | null {
  if (byWhatsapp === null || bySms === null) return byWhatsapp ?? bySms
  return {
    async send(message) {
      const outcome = await byWhatsapp.send(message)
      return outcome.kind === 'refused' ? bySms.send(message) : outcome
    },
  }
}

/** Its library is loaded only where mail leaves the process. */
async function openMailer(url: string, from: MailAddress): Promise<Mailer & Sender> {
  const { createMailer } = await import('../messages/senders/smtp.client.ts')
  return { ...createMailer({ url, from }), carriesFiles: true }
}

/** Every short text that may leave the process. */
export function smsTemplates(): Template[] {
  return [
    ...instalmentTemplates(),
    ...linkTemplates(),
    ...feeReminderTemplates(),
    ...noticeTemplates(),
    ...chequeReminderTemplates(),
    ...leavingTemplates(),
    ...signInTemplates(),
    ...familyPageTemplates(),
  ]
}

/** Names that no text has: what was meant by them goes out under another template, and no operator delivers it. */
export function unknownNames(templateIds: Readonly<Record<string, string>>): string[] {
  const known = new Set(smsTemplates().map(({ name }) => name))
  return Object.keys(templateIds).filter(name => !known.has(name))
}
