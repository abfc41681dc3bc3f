import type { Config } from './config.ts'
import type { Post, Sender } from './messages/post.ts'
import { createSmsSender } from './messages/sms.client.ts'
import { createWhatsappSender } from './messages/whatsapp.client.ts'
import type { Ground } from './platform/ground.ts'
import type { Log } from './platform/log.ts'
import type { MailAddress } from './platform/mail-settings.ts'
import type { Mailer } from './platform/mailer.ts'

/** Lands in the sandbox's mailbox, where every message is to be read anyway. */
const MAILBOX: Sender = { send: async () => ({ kind: 'sent' }) }

/** How messages to people leave this house: each channel by what is set up for it; in a sandbox the rest stays here. */
export async function openPost(
  { mail, sms = null, whatsapp = null }: Pick<Config, 'mail'> & Partial<Pick<Config, 'sms' | 'whatsapp'>>,
  { db, clock, mode }: Ground,
  log: Log,
): Promise<{ post: Post; closePost: () => void }> {
  const mailer = mail.smtpUrl === null ? null : await openMailer(mail.smtpUrl, mail.from)
  if (mailer === null && mode === 'live') log.warn('SMTP_URL is not set: no e-mail will be sent')
  const withoutProvider = (words: string): Sender =>
    mode === 'sandbox' ? MAILBOX : { send: async () => ({ kind: 'refused', words }) }
  const senders = {
    email: mailer ?? withoutProvider('SMTP_URL is not set'),
    sms: sms === null ? withoutProvider('no provider for SMS is set up') : createSmsSender(sms),
    whatsapp:
      whatsapp === null
        ? withoutProvider('no provider for WhatsApp is set up')
        : createWhatsappSender(whatsapp),
  }
  return { post: { db, clock, senders, log }, closePost: () => mailer?.close() }
}

/** Its library is loaded only where mail leaves the house. */
async function openMailer(url: string, from: MailAddress): Promise<Mailer> {
  const { createMailer } = await import('./platform/mailer.ts')
  return createMailer({ url, from })
}
