import type { Context } from '../platform/context.ts'
import type { Log } from '../platform/log.ts'
import type { HttpResult } from '../platform/http-client/http-client.ts'
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
    return JSON.parse(body.toString())
  } catch {
    return null
  }
}
