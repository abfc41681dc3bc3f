import type { FastifyInstance } from 'fastify'
import { addRead, addWrite } from '../../http/endpoint.ts'
import { one, created, remarked } from '../../http/reply.ts'
import type { Context } from '../../platform/context.ts'
import { moveInput, clockOutput, movedOutput, bothClocksOutput } from './clock.schemas.ts'
import { loadOffset, moveClock, type SandboxClock, type ClockAdvance } from './clock.service.ts'
import { EVERYONE } from '../../console/console.rules.ts'
import { DEVELOPERS } from '../../console/developers/developers.rules.ts'
import { addConsoleRead, addConsoleWrite } from '../../console/auth/access.routes.ts'
import { triggerInput, remarkOnTriggered, triggeredOutput } from '../trigger/trigger.schemas.ts'
import { triggerEvent, type Triggered } from '../trigger/trigger.service.ts'

const URL_PATH = '/api/v1/sandbox/clock'

export function clockRoutes(app: FastifyInstance, ctx: Context, sandbox: SandboxClock): void {
  addRead(app, {
    url: URL_PATH,
    docs: {
      operationId: 'getSandboxClock',
      tag: 'Sandbox',
      summary: 'Read the clock',
      description: 'Real time plus what the clock was moved by. Sandbox only.',
    },
    output: one(clockOutput),
    async answer() {
      await loadOffset(sandbox)
      return { now: sandbox.clock.now() }
    },
  })
  addWrite(app, ctx, {
    method: 'POST',
    url: URL_PATH,
    scope: 'settings',
    docs: {
      operationId: 'moveSandboxClock',
      tag: 'Sandbox',
      summary: 'Move the clock forward',
      description:
        'By `advance` or to `to`. Everything that falls due on the way happens before the answer, which says how many of ' +
        'each. Shared by all institutes of the sandbox, kept over restarts, forward only. Sandbox only.',
    },
    output: one(movedOutput),
    body: moveInput,
    perform: (command, { body }) => moveClock(sandbox, command, body),
  })
}

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
    audit: ({ institute }, { now }: ClockAdvance) => ({
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
