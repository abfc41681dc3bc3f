import type { FastifyInstance } from 'fastify'
import { addRead, addWrite } from '../../http/endpoint.ts'
import { one, created, remarked } from '../../http/reply.ts'
import type { Context } from '../../platform/context.ts'
import { loadOffset, moveClock, type SandboxClock, type ClockAdvance } from './clock.service.ts'
import { EVERYONE } from '../../console/console.rules.ts'
import { DEVELOPERS } from '../../console/developers/developers.rules.ts'
import { addConsoleRead, addConsoleWrite } from '../../console/auth/access.routes.ts'
import { triggerInput, remarkOnTriggered, triggeredOutput } from '../trigger/trigger.routes.ts'
import { triggerEvent, type TriggeredEvent } from '../trigger/trigger.service.ts'
import { field, ifSent, input } from '../../http/wire/input.ts'
import { outputOf, type Shown } from '../../http/wire/output.ts'

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
    audit: (_call, { eventId, eventCode }: TriggeredEvent) => ({
      what: 'sandbox.event.triggered',
      about: eventId,
      after: { event_code: eventCode },
    }),
  })
}

const moveInput = input({
  advance: ifSent(field.text('How far to go: an ISO 8601 duration.', 'P1D')),
  to: ifSent(field.moment('Where to go: a moment in the future.', '2027-01-05T09:00:00+05:30')),
})

/** The sandbox's clock as API and console show it. */
const NOW = ["The sandbox's moment now, UTC.", '2026-11-16T04:32:10.000Z'] as const

const clock = outputOf<{ now: Date }>()
const clockOutput = clock.object('SandboxClock', { now: clock.moment(...NOW) })

const both = outputOf<{ now: Date; realNow: Date }>()
const bothClocksOutput = both.object('SandboxClocks', {
  now: both.moment(...NOW),
  real_now: both.moment('Real time, UTC.', '2026-11-15T04:32:10.000Z'),
})

const moved = outputOf<ClockAdvance>()
const movedOutput = moved.object('MovedClock', {
  now: moved.moment(...NOW),
  summary: moved.counts('How many of each kind of act were done.', { orders_expired: 1 }),
  failed: moved.optional.counts(
    'Which jobs failed and how often; they are tried again later. Absent if none did.',
    { payments_checked: 1 },
    ({ failed }) => (Object.keys(failed).length === 0 ? null : failed),
  ),
})

export type ClockAnswer = Shown<typeof bothClocksOutput>
export type MovedAnswer = Shown<typeof movedOutput>
