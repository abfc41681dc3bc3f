import type { FastifyInstance } from 'fastify'
import { addWrite } from '../../http/endpoint.ts'
import { created, remarked } from '../../http/reply.ts'
import type { Context } from '../../platform/context.ts'
import { triggerEvent, type TriggeredEvent } from './trigger.service.ts'
import { EVENT_CODES } from '../../events/define-event.ts'
import { field, ifSent, input, optional } from '../../http/wire/input.ts'
import { outputOf, type Shown } from '../../http/wire/output.ts'

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

export const triggerInput = input({
  event_code: field.oneOf(EVENT_CODES, 'The event to make up.', 'flex.instalment.bounced'),
  collector_code: ifSent(
    field.code('Branch code; required if the institute has more than one branch.', 'MAIN'),
  ),
  override: optional(
    field.list(
      'Fields of the payload that are to be other than in the example.',
      input(
        {
          path: field.text('Where it is, such as `details.0.amount`.', 'instalment.amount', 200),
          value: field.text('What it is to be, read as the type that the field has.', '1234.50'),
        },
        { name: 'EventOverrideInput' },
      ),
      { max: 50 },
    ),
    [],
  ),
})

const out = outputOf<TriggeredEvent>()
export const triggeredOutput = out.object('TriggeredEvent', {
  event_id: out.text('Id of the event.', 'evt_01k9zq4m0ve8sbn6yt2hw3c5da'),
  event_code: out.text('As asked for.', 'flex.instalment.bounced'),
  resource_id: out.text(
    'The made-up order, plan, application or student that it is about.',
    'plan_01k9zq4m0ve8sbn6yt2hw3c5da',
  ),
  subscriptions: out.integer('How many subscriptions it is delivered to.', 1),
})

export function remarkOnTriggered({ subscriptions, eventCode }: TriggeredEvent): string | undefined {
  if (subscriptions > 0) return undefined
  return `Recorded, but this branch has no subscription for ${eventCode}: Add Webhook makes one.`
}

export type TriggeredAnswer = Shown<typeof triggeredOutput>
