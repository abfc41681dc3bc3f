import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { addRead } from '../../http/endpoint.ts'
import { page } from '../../http/envelope.ts'
import { field, shown } from '../../http/wire/fields.ts'
import type { EndpointDocs } from '../../http/openapi/openapi.ts'
import { listInstitutes } from '../../institutes/institutes.service.ts'
import { CHANNELS, type Message } from '../../messages/messages.rules.ts'
import { listEverybodysMessages, listSentMessages } from '../../messages/messages.service.ts'
import type { Context } from '../../platform/context.ts'
import { sendPage } from '../../portal/layout.ts'
import { describeMailbox, readMailboxQuery } from './mailbox-page.ts'

const Query = Type.Object({
  to: Type.Optional(
    field.text({
      description: 'Only to this address or number, whatever the case of its letters.',
      examples: ['it@demo.example'],
    }),
  ),
  limit: Type.Optional(field.pageSize()),
  cursor: Type.Optional(field.resourceId({ description: '`next_cursor` of the page before.' })),
})

const MessageView = Type.Object({
  id: shown.text({ description: 'Id of the message.' }),
  channel: shown.oneOf(CHANNELS, { description: 'The way it went.' }),
  to: shown.text({ description: 'The e-mail address or phone number.' }),
  subject: Type.Optional(shown.text({ description: 'E-mails only.' })),
  text: shown.text({ description: 'The whole text.' }),
  sent_at: shown.moment({ description: "When it was sent, by the sandbox's clock, UTC." }),
})

const docs: EndpointDocs = {
  operationId: 'listSandboxMailbox',
  tag: 'Sandbox',
  summary: 'Read the mailbox',
  description:
    'What was sent to people in the name of this institute, the newest first. People read it at ' +
    '`/sandbox/mailbox`. Sandbox only.',
  answers: {
    200: {
      description: 'A page.',
      data: Type.Array(MessageView),
      isList: true,
      example: {
        status: 'success',
        data: [
          {
            id: 'msg_1k092c8gpz8wezh4es8gqprf85',
            channel: 'email',
            to: 'it@demo.example',
            subject: 'Deliveries to your webhook are failing',
            text: 'Three attempts in a row have failed.',
            sent_at: '2026-11-15T04:32:10.000Z',
          },
        ],
        has_more: false,
      },
    },
  },
}

/** What the ERP's tests read. */
export function mailboxRoutes(app: FastifyInstance, ctx: Context): void {
  addRead(app, {
    url: '/api/v1/sandbox/mailbox',
    docs,
    query: Query,
    async answer({ caller, query }) {
      const { to: recipient, cursor, limit = 50 } = query
      const found = await listSentMessages(ctx, caller.institute.id, { recipient }, { cursor, limit })
      return page(found.rows.map(view), found.nextCursor)
    },
  })
}

function view(message: Message): Record<string, unknown> {
  return {
    id: message.id,
    channel: message.channel,
    to: message.recipient,
    subject: message.subject ?? undefined,
    text: message.body,
    sent_at: message.sentAt?.toISOString(),
  }
}

const PAGE_SIZE = 50

/** The same for people: everybody's, in every state, as the machine is a developer's own. */
export function mailboxPages(app: FastifyInstance, ctx: Context): void {
  app.get('/sandbox/mailbox', { schema: { hide: true } }, async (request, reply) => {
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
}
