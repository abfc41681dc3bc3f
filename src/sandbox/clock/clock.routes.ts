import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { addRead, addWrite } from '../../http/endpoint.ts'
import { ok } from '../../http/envelope.ts'
import { field, shown } from '../../http/wire/fields.ts'
import type { EndpointDocs } from '../../http/openapi/openapi.ts'
import type { Context } from '../../platform/context.ts'
import { loadOffset, movedView, moveClock, type Moved, type SandboxClock } from './clock.service.ts'

const URL_PATH = '/api/v1/sandbox/clock'

const MoveBody = Type.Object({
  advance: Type.Optional(
    field.text({ description: 'How far to go: an ISO 8601 duration.', examples: ['P1D'] }),
  ),
  to: Type.Optional(field.moment({ description: 'Where to go: a moment in the future.' })),
})

const now = shown.moment({ description: "The sandbox's moment now, UTC." })

const readDocs: EndpointDocs = {
  operationId: 'getSandboxClock',
  tag: 'Sandbox',
  summary: 'Read the clock',
  description: 'Real time plus what the clock was moved by. Sandbox only.',
  answers: {
    200: {
      description: 'Now.',
      data: Type.Object({ now }),
      example: { status: 'success', data: { now: '2026-11-15T04:32:10.000Z' } },
    },
  },
}

const moveDocs: EndpointDocs = {
  operationId: 'moveSandboxClock',
  tag: 'Sandbox',
  summary: 'Move the clock forward',
  description:
    'Everything that falls due on the way happens before the answer, which says how many of each. Shared by all ' +
    'institutes of the sandbox, kept over restarts, forward only. Sandbox only.',
  answers: {
    200: {
      description: 'Moved.',
      data: Type.Object({
        now,
        summary: Type.Record(Type.String(), Type.Integer(), {
          description: 'How many of each kind of act were done.',
        }),
        failed: Type.Optional(
          Type.Record(Type.String(), Type.Integer(), {
            description: 'Which jobs failed and how often; they are tried again later. Absent if none did.',
          }),
        ),
      }),
      example: {
        status: 'success',
        data: { now: '2026-11-16T04:32:10.000Z', summary: { orders_expired: 1 } },
      },
    },
  },
  exampleBody: { advance: 'P1D' },
}

export function clockRoutes(app: FastifyInstance, ctx: Context, sandbox: SandboxClock): void {
  addRead(app, {
    url: URL_PATH,
    docs: readDocs,
    async answer() {
      await loadOffset(sandbox)
      return ok({ now: sandbox.clock.now().toISOString() })
    },
  })
  addWrite(app, ctx, {
    method: 'POST',
    url: URL_PATH,
    docs: moveDocs,
    body: MoveBody,
    perform: (act, { body }) => moveClock(sandbox, act, { advance: body.advance, to: body.to }),
    toResponse: (moved: Moved) => ok(movedView(moved)),
  })
}
