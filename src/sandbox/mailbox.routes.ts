import type { FastifyInstance } from 'fastify'
import { addRead } from '../http/endpoint.ts'
import { pageOf } from '../http/reply.ts'
import { field, optional, query } from '../http/wire/input.ts'
import { outputOf } from '../http/wire/output.ts'
import { listInstitutes } from '../institutes/institutes.service.ts'
import { CHANNELS, type Message, type Channel, type MessageState } from '../messages/messages.rules.ts'
import { listEverybodysMessages, listSentMessages, readAttachmentOf } from '../messages/messages.service.ts'
import type { MessageContext } from '../messages/senders.ts'
import type { Context } from '../platform/context.ts'
import { isIdShaped } from '../platform/ids.ts'
import { sendPage, sendWrongLink } from '../portal/layout.ts'
import { formatMoment } from '../platform/calendar.ts'
import type { Page } from '../platform/db/list.ts'

const MESSAGE_ID = 'msg_1k092c8gpz8wezh4es8gqprf85'

const mailboxQuery = query({
  to: optional(
    field.text('Only to this address or number, whatever the case of its letters.', 'it@demo.example'),
  ).as('recipient'),
  limit: field.pageSize(),
  cursor: field.cursor(MESSAGE_ID),
})

const out = outputOf<Message>()
const messageOutput = out.object('SandboxMessage', {
  id: out.text('Id of the message.', MESSAGE_ID),
  channel: out.oneOf(CHANNELS, 'The way it went.'),
  to: out.text('The e-mail address or phone number.', 'it@demo.example', one => one.recipient),
  subject: out.optional.text('E-mails only.', 'Deliveries to your webhook are failing'),
  text: out.text('The whole text.', 'Three attempts in a row have failed.', one => one.body),
  sent_at: out.optional.moment("When it was sent, by the sandbox's clock, UTC.", '2026-11-15T04:32:10.000Z'),
})

/** What the ERP's tests read. */
export function mailboxRoutes(app: FastifyInstance, ctx: Context): void {
  addRead(app, {
    url: '/api/v1/sandbox/mailbox',
    docs: {
      operationId: 'listSandboxMailbox',
      tag: 'Sandbox',
      summary: 'Read the mailbox',
      description:
        'What was sent to people in the name of this institute, the newest first. People read it at ' +
        '`/sandbox/mailbox`. Sandbox only.',
    },
    output: pageOf(messageOutput),
    query: mailboxQuery,
    answer: ({ caller, query: { recipient, ...range } }) =>
      listSentMessages(ctx, caller.institute.id, { recipient }, range),
  })
}

const PAGE_SIZE = 50

/** The same for people: everybody's, in every state, as the machine is a developer's own. */
export function mailboxPages(app: FastifyInstance, ctx: MessageContext & Context): void {
  app.get('/sandbox/mailbox', async (request, reply) => {
    const asked = readMailboxQuery(request.query)
    const institutes = await listInstitutes(ctx)
    const found = await listEverybodysMessages(ctx, { ...asked, limit: PAGE_SIZE })
    return sendPage(reply, {
      template: 'mailbox',
      title: 'Sandbox mailbox',
      language: 'en',
      hasSwitch: false,
      data: describeMailbox(asked, found, new Map(institutes.map(({ id, name }) => [id, name]))),
    })
  })
  app.get('/sandbox/mailbox/:institute_id/:message_id/attachment', async (request, reply) => {
    const { institute_id: institute, message_id: id } = request.params as Record<string, string>
    const isOne = /^\d{1,9}$/.test(institute ?? '') && isIdShaped(id ?? '')
    const file = isOne ? await readAttachmentOf(ctx, Number(institute), id ?? '') : null
    if (file === null) return sendWrongLink(request, reply)
    return reply
      .header('content-type', file.contentType)
      .header('content-disposition', `inline; filename="${file.filename}"`)
      .header('cache-control', 'no-store')
      .send(file.content)
  })
}

/** What the mailbox's page shows. */
type MailboxQuery = { recipientPart: string | undefined; before: string | undefined }

const LONGEST_FILTER = 254

const CHANNEL_NAMES: Record<Channel, string> = { email: 'E-mail', sms: 'SMS', whatsapp: 'WhatsApp' }

const STATES: Record<MessageState, { word: string; tone: string }> = {
  sent: { word: 'Sent', tone: 'paid' },
  queued: { word: 'Waiting', tone: 'unpaid' },
  failed: { word: 'Failed', tone: 'failed' },
}

function readMailboxQuery(query: unknown): MailboxQuery {
  const { to, before } = query as { to?: unknown; before?: unknown }
  // PostgreSQL has no U+0000.
  const part = typeof to === 'string' ? to.replaceAll('\0', '').trim().slice(0, LONGEST_FILTER) : ''
  return {
    recipientPart: part === '' ? undefined : part,
    before: typeof before === 'string' && isIdShaped(before) ? before : undefined,
  }
}

function describeMailbox(
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
