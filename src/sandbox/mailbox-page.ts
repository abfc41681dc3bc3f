import type { Channel, Message, MessageState } from '../messages/messages.rules.ts'
import { formatMoment } from '../platform/calendar.ts'
import type { Page } from '../platform/db/list.ts'
import { isIdShaped } from '../platform/ids.ts'

/** What the mailbox's page shows. */
type MailboxQuery = { recipientPart: string | undefined; before: string | undefined }

const LONGEST_FILTER = 254

const CHANNEL_NAMES: Record<Channel, string> = { email: 'E-mail', sms: 'SMS', whatsapp: 'WhatsApp' }

const STATES: Record<MessageState, { word: string; tone: string }> = {
  sent: { word: 'Sent', tone: 'paid' },
  queued: { word: 'Waiting', tone: 'unpaid' },
  failed: { word: 'Failed', tone: 'failed' },
}

export function readMailboxQuery(query: unknown): MailboxQuery {
  const { to, before } = query as { to?: unknown; before?: unknown }
  // PostgreSQL has no U+0000.
  const part = typeof to === 'string' ? to.replaceAll('\0', '').trim().slice(0, LONGEST_FILTER) : ''
  return {
    recipientPart: part === '' ? undefined : part,
    before: typeof before === 'string' && isIdShaped(before) ? before : undefined,
  }
}

export function describeMailbox(
  asked: MailboxQuery,
  { rows: messages, nextCursor }: Page<Message>,
  institutes: ReadonlyMap<number, string>,
): Record<string, unknown> {
  const { recipientPart, before } = asked
  return {
    filter: recipientPart,
    isFirstPage: before === undefined,
    // The newest lies open: it is what one came for.
    messages: messages.map((message, index) => ({
      ...describeMessage(message),
      institute: institutes.get(message.instituteId),
      isOpen: before === undefined && index === 0,
    })),
    older: nextCursor === undefined ? undefined : addressOf({ recipientPart, before: nextCursor }),
    newest: addressOf({ recipientPart, before: undefined }),
  }
}

function describeMessage(message: Message): Record<string, unknown> {
  const at = message.sentAt ?? message.createdAt
  return {
    id: message.id,
    title: message.subject ?? firstLine(message.body),
    channel: CHANNEL_NAMES[message.channel],
    to: message.recipient,
    at: formatMoment(at),
    utc: at.toISOString(),
    ...STATES[message.state],
    problem: problemOf(message),
    parts: splitLinks(message.body),
    attachment: message.attachment === null ? null : attachmentPath(message),
  }
}

const attachmentPath = ({ instituteId, id }: Message): string =>
  `/sandbox/mailbox/${instituteId}/${id}/attachment`

function problemOf({ failure, nextTryAt }: Message): string | undefined {
  if (nextTryAt !== null) {
    const why = failure === null ? '' : `Not sent yet: ${failure.replace(/\.$/, '')}. `
    return `${why}It is sent when the clock reaches ${formatMoment(nextTryAt)}.`
  }
  return failure === null ? undefined : `Not sent: ${failure}`
}

function firstLine(text: string): string {
  return text.trim().split('\n')[0] ?? ''
}

function addressOf({ recipientPart, before }: MailboxQuery): string {
  const query = new URLSearchParams()
  if (recipientPart !== undefined) query.set('to', recipientPart)
  if (before !== undefined) query.set('before', before)
  return `/sandbox/mailbox${query.size === 0 ? '' : `?${query}`}`
}

type TextPart = { text: string; url?: string }

// A full stop or bracket behind an address belongs to the sentence.
const LINK = /https?:\/\/[^\s<>"'`]*[^\s<>"'`.,;:!?()[\]{}]/g

/** The text in pieces, its web addresses to be clicked. Nothing but http and https becomes a link. */
function splitLinks(text: string): TextPart[] {
  const parts: TextPart[] = []
  let end = 0
  for (const { 0: url, index } of text.matchAll(LINK)) {
    if (!URL.canParse(url)) continue
    if (index > end) parts.push({ text: text.slice(end, index) })
    parts.push({ text: url, url })
    end = index + url.length
  }
  if (end < text.length) parts.push({ text: text.slice(end) })
  return parts
}
