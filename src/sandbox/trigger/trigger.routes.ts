import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { addWrite } from '../../http/endpoint.ts'
import { created, type Success } from '../../http/envelope.ts'
import { field, shown } from '../../http/wire/fields.ts'
import type { EndpointDocs } from '../../http/openapi/openapi.ts'
import { EVENT_CODES } from '../../events/codes.ts'
import type { Context } from '../../platform/context.ts'
import { triggerEvent, type Triggered } from './trigger.service.ts'

const TriggerBody = Type.Object({
  event_code: field.oneOf(EVENT_CODES, {
    description: 'The event to make up.',
    examples: ['flex.instalment.bounced'],
  }),
  collector_code: Type.Optional(
    field.code({ description: 'Branch code; required if the institute has more than one branch.' }),
  ),
})

const TriggeredView = Type.Object({
  event_id: shown.text({ description: 'Id of the event.' }),
  event_code: shown.text({ description: 'As asked for.' }),
  resource_id: shown.text({
    description: 'The made-up order, plan, application or student that it tells of.',
  }),
  subscriptions: Type.Integer({ description: 'How many subscriptions it is delivered to.' }),
})

const docs: EndpointDocs = {
  operationId: 'sandboxTriggerEvent',
  tag: 'Sandbox',
  summary: 'Trigger an event',
  description:
    'Records one event with a made-up payload, as rich and as consistent as a real one, and delivers it like any ' +
    'other. Nothing else happens: the ids in it name nothing that can be read. Sandbox only.',
  answers: {
    201: {
      description: 'Recorded.',
      remark: 'Recorded, but this branch has no subscription for refund.failed: Add Webhook makes one.',
      data: TriggeredView,
      example: {
        status: 'success',
        data: {
          event_id: 'evt_1k092c8gpz8wezh4es8gqprf85',
          event_code: 'flex.instalment.bounced',
          resource_id: 'plan_1k092c8gpz8wezh4es8gqprf85',
          subscriptions: 1,
        },
      },
    },
  },
  exampleBody: { event_code: 'flex.instalment.bounced' },
}

export function triggerRoutes(app: FastifyInstance, ctx: Context): void {
  addWrite(app, ctx, {
    method: 'POST',
    url: '/api/v1/sandbox/events/trigger',
    docs,
    body: TriggerBody,
    perform: (act, { caller, body }) =>
      triggerEvent(ctx, act, caller.institute, {
        eventCode: body.event_code,
        collectorCode: body.collector_code,
      }),
    toResponse: view,
  })
}

function view({ eventId, eventCode, resourceId, subscriptions }: Triggered): Success {
  const data = { event_id: eventId, event_code: eventCode, resource_id: resourceId, subscriptions }
  return subscriptions > 0
    ? created(data)
    : created(data, `Recorded, but this branch has no subscription for ${eventCode}: Add Webhook makes one.`)
}
