import type { FastifyInstance } from 'fastify'
import { EVERYONE } from '../../console/console.rules.ts'
import { DEVELOPERS } from '../../console/developers/developers.rules.ts'
import { addConsoleRead, addConsoleWrite } from '../../console/auth/access.routes.ts'
import { created, one, remarked } from '../../http/reply.ts'
import type { Context } from '../../platform/context.ts'
import { moveInput } from './clock.input.ts'
import { bothClocksOutput, movedOutput } from './clock.output.ts'
import { loadOffset, moveClock, type Moved, type SandboxClock } from './clock.service.ts'
import { triggerInput } from '../trigger/trigger.input.ts'
import { remarkOnTriggered, triggeredOutput } from '../trigger/trigger.output.ts'
import { triggerEvent, type Triggered } from '../trigger/trigger.service.ts'

/** What a developer plays with that only a sandbox has: time, and events of which nothing happened. */
export function sandboxConsoleRoutes(app: FastifyInstance, ctx: Context, sandbox: SandboxClock): void {
  addConsoleRead(app, ctx, {
    url: '/sandbox/clock',
    roles: EVERYONE,
    output: one(bothClocksOutput),
    async answer() {
      await loadOffset(sandbox)
      return { now: sandbox.clock.now(), realNow: new Date() }
    },
  })
  addConsoleWrite(app, ctx, {
    method: 'POST',
    url: '/sandbox/clock',
    roles: DEVELOPERS,
    output: one(movedOutput),
    body: moveInput,
    perform: (command, { body }) => moveClock(sandbox, command, body),
    audit: ({ institute }, { now }: Moved) => ({
      what: 'sandbox.clock.moved',
      about: institute.code,
      after: { to: now },
    }),
  })
  addConsoleWrite(app, ctx, {
    method: 'POST',
    url: '/sandbox/events',
    roles: DEVELOPERS,
    output: remarked(created(triggeredOutput), remarkOnTriggered),
    body: triggerInput,
    perform: (command, { institute, body }) => triggerEvent(ctx, command, institute, body),
    audit: (_call, { eventId, eventCode }: Triggered) => ({
      what: 'sandbox.event.triggered',
      about: eventId,
      after: { event_code: eventCode },
    }),
  })
}
