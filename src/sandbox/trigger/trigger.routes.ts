import type { FastifyInstance } from 'fastify'
import { addWrite } from '../../http/endpoint.ts'
import { created, remarked } from '../../http/reply.ts'
import type { Context } from '../../platform/context.ts'
import { triggerInput, remarkOnTriggered, triggeredOutput } from './trigger.schemas.ts'
import { triggerEvent } from './trigger.service.ts'

export function triggerRoutes(app: FastifyInstance, ctx: Context): void {
  addWrite(app, ctx, {
    method: 'POST',
    url: '/api/v1/sandbox/events/trigger',
    scope: 'settings',
    docs: {
      operationId: 'sandboxTriggerEvent',
      tag: 'Sandbox',
      summary: 'Trigger an event',
      description:
        "Records one event with the reference's example as payload, dated now and with new ids, and delivers it like any " +
        'other. `override` changes fields of it; an id that occurs in several places is changed in all of them, so that the event can be ' +
        'about an order or student of yours. Nothing else happens, and the ids that are not overridden name nothing. Sandbox only.',
    },
    output: remarked(
      created(triggeredOutput),
      remarkOnTriggered,
      'Recorded, but this branch has no subscription for refund.failed: Add Webhook makes one.',
    ),
    body: triggerInput,
    perform: (command, { caller, body }) => triggerEvent(ctx, command, caller.institute, body),
  })
}
