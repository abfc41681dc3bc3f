import { createTransport, type NodemailerError } from 'nodemailer'
import { type Attachment, isMailAddress, type MailAddress } from '../senders.ts'

/** Mail over SMTP: plain text with at most one file, one recipient each, over a few connections that are kept open for a while. */
export type Mailer = {
  send(mail: {
    id: string
    recipient: string
    subject: string
    body: string
    replyTo?: string | null
    attached?: Attachment | undefined
  }): Promise<MailOutcome>
  /** Connects and signs in, without sending anything; answers what is wrong. */
  verify(): Promise<string | null>
  close(): void
}

type MailOutcome =
  | { kind: 'sent' }
  | { kind: 'refused'; reason: string }
  | { kind: 'delayed'; reason: string; isAway: boolean }

const CONNECTIONS = 5
const IDLE_MS = 30_000
const CONNECT_LIMIT_MS = 10_000
const GREETING_LIMIT_MS = 10_000
const SILENCE_LIMIT_MS = 15_000
/** Limits the whole exchange, because a server that trickles its answers never falls silent. */
const SEND_LIMIT_MS = 40_000

export function createMailer({ url, from }: { url: string; from: MailAddress }): Mailer {
  let transport = openTransport(url)
  const givenUp = new WeakSet<object>()
  const giveUpOn = (used: typeof transport): void => {
    if (used === transport) transport = openTransport(url)
    givenUp.add(used)
    used.close({ force: true })
  }
  return {
    async send({ id, recipient, subject, body, replyTo = null, attached }) {
      if (!isMailAddress(recipient))
        return { kind: 'refused', reason: 'this is not an address mail can go to' }
      const used = transport
      const timer = setTimeout(() => giveUpOn(used), SEND_LIMIT_MS)
      try {
        // Addresses as objects and an envelope of their own: no text is parsed for a second recipient.
        await used.sendMail({
          messageId: `<${id}@${domainOf(from.address)}>`,
          envelope: { from: from.address, to: [recipient] },
          from,
          to: { name: '', address: recipient },
          subject: subject.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' '),
          text: body,
          ...(replyTo === null || !isMailAddress(replyTo) ? {} : { replyTo: { name: '', address: replyTo } }),
          ...(attached === undefined ? {} : { attachments: [attached] }),
          // Keeps holiday notices from answering.
          headers: { 'Auto-Submitted': 'auto-generated' },
          disableFileAccess: true,
          disableUrlAccess: true,
        })
        return { kind: 'sent' }
      } catch (error) {
        if (givenUp.has(used)) return { kind: 'delayed', reason: 'the server took too long', isAway: true }
        return explain(error as NodemailerError)
      } finally {
        clearTimeout(timer)
      }
    },
    verify: () =>
      transport.verify().then(
        () => null,
        (error: NodemailerError) => error.response ?? error.message,
      ),
    close: () => transport.close(),
  }
}

function openTransport(url: string) {
  const { username, hostname } = new URL(url)
  return createTransport({
    url,
    pool: true,
    maxConnections: CONNECTIONS,
    // Only for a kept connection that the server had closed: trying again later is our queue's work.
    maxRequeues: 1,
    idleTimeout: IDLE_MS,
    dnsTimeout: CONNECT_LIMIT_MS,
    connectionTimeout: CONNECT_LIMIT_MS,
    greetingTimeout: GREETING_LIMIT_MS,
    socketTimeout: SILENCE_LIMIT_MS,
    // Opportunistic TLS is no protection for a password: a man in the middle can strip the offer.
    requireTLS: username !== '' && !isThisMachine(hostname),
  })
}

const AUTHENTICATION_REQUIRED = 530

/**
 * A refusal for good is one of this message: a 5xx to its sender, recipient or text. Whatever goes wrong before that
 * (no connection, a greeting of 5xx, a wrong password) says something of the server or of our settings.
 */
function explain(error: NodemailerError): MailOutcome {
  const reason = error.response ?? error.message
  const isOfMessage = error.code === 'EENVELOPE' || error.code === 'EMESSAGE'
  const { responseCode } = error
  if (!isOfMessage || responseCode === 421 || responseCode === AUTHENTICATION_REQUIRED) {
    return { kind: 'delayed', reason, isAway: true }
  }
  if (error.permanent === true || error.command === 'API') return { kind: 'refused', reason }
  return { kind: 'delayed', reason, isAway: false }
}

function isThisMachine(hostname: string): boolean {
  return /^(localhost|\[::1\]|127(\.\d{1,3}){3})$/.test(hostname)
}

function domainOf(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1)
}
