import type { FastifyInstance } from 'fastify'
import { addRead, addWrite } from '../../http/endpoint.ts'
import { one } from '../../http/reply.ts'
import type { Context } from '../../platform/context.ts'
import { moveInput } from './clock.input.ts'
import { clockOutput, movedOutput } from './clock.output.ts'
import { loadOffset, moveClock, type SandboxClock } from './clock.service.ts'

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
