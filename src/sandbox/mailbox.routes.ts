import type { FastifyInstance } from 'fastify'
import { addRead } from '../http/endpoint.ts'
import { pageOf } from '../http/reply.ts'
import { field, optional, query } from '../http/wire/input.ts'
import { outputOf } from '../http/wire/output.ts'
import { listInstitutes } from '../institutes/institutes.service.ts'
import { CHANNELS, type Message } from '../messages/messages.rules.ts'
import { listEverybodysMessages, listSentMessages, readAttachmentOf } from '../messages/messages.service.ts'
import type { MessageContext } from '../messages/senders.ts'
import type { Context } from '../platform/context.ts'
import { isIdShaped } from '../platform/ids.ts'
import { sendPage, sendWrongLink } from '../portal/layout.ts'
import { describeMailbox, readMailboxQuery } from './mailbox-page.ts'

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
