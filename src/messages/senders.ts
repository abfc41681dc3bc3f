import type { Context } from '../platform/context.ts'
import type { Log } from '../platform/log.ts'
import type { HttpResult } from '../platform/http-client/http-client.ts'
import { parseAnswer } from '../platform/json.rules.ts'
import type { Channel, Message } from './messages.rules.ts'

/** What became of one try. */
export type Outcome =
  | { kind: 'sent' }
  /** Permanent: the same message would be refused again. */
  | { kind: 'refused'; reason: string }
  /** `isAway`: the server itself could not be used, so others need not be tried now. */
  | { kind: 'delayed'; reason: string; isAway: boolean }

export type Attachment = { filename: string; contentType: string; content: Buffer }

/** `isMailed`: it leaves with a mail, and nobody looks at it yet. */
export type AttachmentOf = Pick<Message, 'instituteId'> & { attachment: string; isMailed: boolean }

type Letter = Pick<Message, 'id' | 'recipient' | 'body' | 'template'> & {
  inEnglish?: string | null
  subject: string
  /** Mails only. */
  replyTo?: string | null
  attached?: Attachment | undefined
}

/** The port that a channel's provider implements. The id is the same on every try, so that a repeat can be told. */
export type Sender = {
  /** Nothing leaves this process: a try that was cut off reached nobody, so it may be made again. */
  staysHere?: boolean
  send(message: Letter): Promise<Outcome>
  /** Files leave with its messages. For others none is made: a mailbox makes it for who opens it. */
  carriesFiles?: boolean
}

export type MessageContext = Pick<Context, 'db' | 'clock' | 'vault' | 'mode'> & {
  readonly senders: Readonly<Record<Channel, Sender>>
  readonly log: Log
  /** Makes the file that a message names; null when there is none any more. */
  readonly readAttachment: (message: AttachmentOf) => Promise<Attachment | null>
}

/** What an HTTP provider says in its answer; `null` leaves it to the status. */
export type ProviderVerdict = {
  verdict: 'taken' | 'refused' | 'busy' | 'busy_recipient' | null
  reason: string
}

/** A wrong key or an empty account is ours to mend, and the message goes once it is. */
const MAY_PASS = [401, 402, 403, 408, 429]

/** Only words that `read` found are kept, never a page as it came, and no secret that they repeat. */
export function outcomeOf(
  result: HttpResult,
  read: (json: unknown) => ProviderVerdict,
  secrets: readonly string[],
): Outcome {
  if (result.kind === 'failed') return { kind: 'delayed', reason: result.message, isAway: true }
  const { httpStatus } = result
  const said = read(parseJson(result.body))
  const isWell = httpStatus >= 200 && httpStatus < 300
  if (isWell && said.verdict === 'taken') return { kind: 'sent' }
  const reason = secrets.reduce(
    (text, secret) => text.replaceAll(secret, '…'),
    `${httpStatus} ${said.reason === '' ? 'without a reason that we understand' : said.reason}`,
  )
  if (said.verdict === 'busy_recipient') return { kind: 'delayed', reason, isAway: false }
  if (said.verdict === 'busy') return { kind: 'delayed', reason, isAway: true }
  const isOfMessage = httpStatus >= 400 && httpStatus < 500 && !MAY_PASS.includes(httpStatus)
  return said.verdict === 'refused' || isOfMessage
    ? { kind: 'refused', reason }
    : { kind: 'delayed', reason, isAway: true }
}

function parseJson(body: Buffer): unknown {
  try {
    return parseAnswer(body)
  } catch {
    return null
  }
}

/** How an operator says where mail goes and whom it comes from. */
export type MailAddress = { name: string; address: string }

// Narrower than the standard: nothing in it that a server or a header could read as a second address.
const ADDRESS = /^[^\s\p{Cc}<>,;:"()\\@]+@[^\s\p{Cc}<>,;:"()\\@]+$/u

export function isMailAddress(text: string): boolean {
  return ADDRESS.test(text)
}

/** `Name <address>` or an address alone; null when it is neither. */
export function parseMailAddress(text: string): MailAddress | null {
  const [, quoted, plain = '', address = text] = /^(?:"([^<>"]*)"\s*|([^<>"]*))<([^<>]+)>$/.exec(text) ?? []
  const name = quoted ?? plain
  return isMailAddress(address) && !/\p{Cc}/u.test(name) ? { name: name.trim(), address } : null
}

/** What may stand behind the `?` of an SMTP_URL, where it goes before our own settings. */
const URL_OPTIONS: readonly string[] = [
  'requireTLS',
  'ignoreTLS',
  'tls.rejectUnauthorized',
  'tls.servername',
  'name',
  'connectionTimeout',
  'greetingTimeout',
  'socketTimeout',
]

/** What is wrong with an SMTP_URL, to be read behind its name, without repeating it: it holds a password. */
export function smtpUrlProblem(text: string): string | null {
  const url = URL.parse(text)
  if (url === null || !/^smtps?:$/.test(url.protocol) || url.hostname === '') {
    return 'must be an address such as smtps://user:password@host:465 or smtp://host:587'
  }
  const unknown = [...url.searchParams.keys()].filter(key => !URL_OPTIONS.includes(key))
  if (unknown.length === 0) return null
  return `has the unknown option ${unknown.join(', ')}; there are ${URL_OPTIONS.join(', ')}`
}
