import type { FastifyInstance } from 'fastify'
import { EVERYONE } from '../../console/console.rules.ts'
import { DEVELOPERS } from '../../console/developers/developers.rules.ts'
import { addConsoleRead, addConsoleWrite } from '../../console/auth/access.routes.ts'
import { ok } from '../../http/envelope.ts'
import type { Context } from '../../platform/context.ts'
import { moveInput } from './clock.input.ts'
import { bothClocksOutput, movedOutput } from './clock.output.ts'
import { loadOffset, moveClock, type Moved, type SandboxClock } from './clock.service.ts'
import { triggerInput } from '../trigger/trigger.input.ts'
import { respondTriggered, triggeredOutput } from '../trigger/trigger.output.ts'
import { triggerEvent, type Triggered } from '../trigger/trigger.service.ts'

/** What a developer plays with that only a sandbox has: time, and events of which nothing happened. */
export function sandboxConsoleRoutes(app: FastifyInstance, ctx: Context, sandbox: SandboxClock): void {
  addConsoleRead(app, ctx, {
    url: '/sandbox/clock',
    roles: EVERYONE,
    docs: {
      operationId: 'consoleGetClock',
      summary: "Read the sandbox's clock",
      description: 'Sandbox only.',
      data: bothClocksOutput.schema,
    },
    async answer() {
      await loadOffset(sandbox)
      return ok(bothClocksOutput.toJson({ now: sandbox.clock.now(), realNow: new Date() }))
    },
  })
  addConsoleWrite(app, ctx, {
    method: 'POST',
    url: '/sandbox/clock',
    roles: DEVELOPERS,
    docs: {
      operationId: 'consoleMoveClock',
      summary: "Move the sandbox's clock forward",
      description:
        'Everything that falls due on the way happens before the answer. For all institutes. Sandbox only.',
      data: movedOutput.schema,
      exampleBody: { advance: 'PT0S' },
    },
    body: moveInput,
    perform: (command, { body }) => moveClock(sandbox, command, body),
    audit: ({ institute }, { now }: Moved) => ({
      what: 'sandbox.clock.moved',
      about: institute.code,
      after: { to: now },
    }),
    toResponse: (moved: Moved) => ok(movedOutput.toJson(moved)),
  })
  addConsoleWrite(app, ctx, {
    method: 'POST',
    url: '/sandbox/events',
    roles: DEVELOPERS,
    docs: {
      operationId: 'consoleTriggerEvent',
      summary: 'Trigger an event',
      description: 'With a made-up payload, delivered like any other. Sandbox only.',
      data: triggeredOutput.schema,
      creates: true,
    },
    body: triggerInput,
    perform: (command, { institute, body }) => triggerEvent(ctx, command, institute, body),
    audit: (_call, { eventId, eventCode }: Triggered) => ({
      what: 'sandbox.event.triggered',
      about: eventId,
      after: { event_code: eventCode },
    }),
    toResponse: respondTriggered,
  })
}
