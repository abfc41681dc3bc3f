import type { FastifyInstance } from 'fastify'
import type { Context } from '../../platform/context.ts'
import {
  recoverFailed,
  sendTest,
  getDelivery,
  redeliver,
} from '../../webhooks/delivery-log/deliveries.service.ts'
import {
  recoverInput,
  deliveryOutput,
  recoveredOutput,
  deliveryParams,
  eventParams,
} from '../../webhooks/delivery-log/delivery.schemas.ts'
import {
  addWebhookInput,
  changeWebhookInput,
  webhookParams,
  webhookFields,
} from '../../webhooks/subscriptions/subscription.schemas.ts'
import {
  addSubscription,
  type SavedSubscription,
  type Subscription,
} from '../../webhooks/subscriptions/subscriptions.service.ts'
import type { AuditNote } from '../audit/audit.service.ts'
import { EVERYONE } from '../console.rules.ts'
import { changeWebhook, disableWebhook, readDeliveryDays } from './developers.service.ts'
import { DEVELOPERS } from './developers.rules.ts'
import { webhookList } from './developers.list.ts'
import { addConsoleRead, addConsoleWrite } from '../auth/access.routes.ts'
import { all, created, from, one, remarked } from '../../http/reply.ts'
import { getEvent } from '../../events/events.service.ts'
import { deliveryList } from '../../webhooks/delivery-log/delivery.list.ts'
import { eventList } from '../../webhooks/delivery-log/event.list.ts'
import { addList } from '../lists/list.routes.ts'
import { EVENT_CODES, type EventCode, type EventDefinition } from '../../events/define-event.ts'
import { publishBody } from '../../http/openapi/document.ts'
import { CATALOGUE } from '../../webhooks/events.docs.ts'
import { field, input } from '../../http/wire/input.ts'
import { outputOf, type Shown } from '../../http/wire/output.ts'

export function webhookConsoleRoutes(app: FastifyInstance, ctx: Context): void {
  addList(app, ctx, { url: '/webhooks', list: webhookList })
  addConsoleWrite(app, ctx, {
    method: 'POST',
    url: '/webhooks',
    roles: DEVELOPERS,
    output: remarked(
      from(created(addedWebhookOutput), ({ subscription }: SavedSubscription) => subscription),
      ({ message }) => message,
    ),
    body: addWebhookInput,
    perform: (command, { institute, body }) => addSubscription(ctx, command, institute, body),
    audit: (_call, subscribed: SavedSubscription) => noteOf(subscribed),
  })
  addConsoleWrite(app, ctx, {
    method: 'PATCH',
    url: '/webhooks/:webhook_id',
    roles: DEVELOPERS,
    params: webhookParams,
    body: changeWebhookInput,
    perform: (command, { institute, params, body }) =>
      changeWebhook(ctx, command, institute, { id: params.webhookId, ...body }),
    audit: (_call, subscribed: SavedSubscription) => noteOf(subscribed),
  })
  addConsoleWrite(app, ctx, {
    method: 'DELETE',
    url: '/webhooks/:webhook_id',
    roles: DEVELOPERS,
    params: webhookParams,
    body: reasonInput,
    perform: (command, { institute, params }) => disableWebhook(ctx, command, institute, params.webhookId),
    audit: ({ body }, subscription: Subscription) => ({
      what: 'webhook.disabled',
      about: subscription.id,
      why: body.reason,
      before: plain(subscription),
    }),
  })
  addTrials(app, ctx)
}

function addTrials(app: FastifyInstance, ctx: Context): void {
  addConsoleWrite(app, ctx, {
    method: 'POST',
    url: '/webhooks/:webhook_id/test',
    roles: DEVELOPERS,
    output: created(deliveryOutput),
    params: webhookParams,
    perform: (command, { institute, params }) => sendTest(ctx, command, institute, params.webhookId),
    audit: ({ params }, { id }) => ({
      what: 'webhook.tested',
      about: params.webhookId,
      after: { delivery: id },
    }),
  })
  addConsoleWrite(app, ctx, {
    method: 'POST',
    url: '/webhooks/:webhook_id/recover',
    roles: DEVELOPERS,
    output: from(one(recoveredOutput), (deliveries: number) => ({ deliveries })),
    params: webhookParams,
    body: recoverInput,
    perform: (command, { institute, params, body }) =>
      recoverFailed(ctx, command, institute, { ...params, ...body }),
    audit: ({ params, body }, deliveries) => ({
      what: 'webhook.recovered',
      about: params.webhookId,
      after: { since: body.since, deliveries },
    }),
  })
}

function noteOf({ subscription, before }: SavedSubscription): AuditNote {
  if (before === null) return { what: 'webhook.added', about: subscription.id, after: plain(subscription) }
  return {
    what: 'webhook.changed',
    about: subscription.id,
    before: plain(before),
    after: {
      ...plain(subscription),
      ...(isSame(before.secretSealed, subscription.secretSealed) ? {} : { secret_key: 'changed' }),
      ...(isSame(before.headerValueSealed, subscription.headerValueSealed)
        ? {}
        : { header_value: 'changed' }),
    },
  }
}

function isSame(one: Buffer | null, other: Buffer | null): boolean {
  return one === null || other === null ? one === other : one.equals(other)
}

/** Leaves the secrets out. */
function plain(subscription: Subscription): Record<string, unknown> {
  return {
    event_code: subscription.eventCode,
    collector_code: subscription.collectorCode,
    url: subscription.url,
    failure_notification_email: subscription.failureEmails,
    is_signed: subscription.secretSealed !== null,
    header_key: subscription.headerKey ?? undefined,
  }
}

export function deliveryConsoleRoutes(app: FastifyInstance, ctx: Context): void {
  addList(app, ctx, { url: '/deliveries', list: deliveryList })
  addConsoleRead(app, ctx, {
    url: '/deliveries/:delivery_id',
    roles: EVERYONE,
    output: one(deliveryOutput),
    params: deliveryParams,
    answer: ({ institute, params }) => getDelivery(ctx, institute, params.deliveryId),
  })
  addConsoleWrite(app, ctx, {
    method: 'POST',
    url: '/deliveries/:delivery_id/redeliver',
    roles: DEVELOPERS,
    output: one(deliveryOutput),
    params: deliveryParams,
    perform: (command, { institute, params }) => redeliver(ctx, command, institute, params.deliveryId),
    audit: (_call, { id, webhookId, eventId, attempts }) => ({
      what: 'delivery.sent_again',
      about: id,
      after: { webhook: webhookId, event: eventId, attempts_before: attempts.length },
    }),
  })
  addConsoleRead(app, ctx, {
    url: '/delivery-days',
    roles: EVERYONE,
    output: all(deliveryDayOutput),
    answer: ({ institute }) => readDeliveryDays(ctx, institute),
  })
  addList(app, ctx, { url: '/events', list: eventList })
  addConsoleRead(app, ctx, {
    url: '/events/:event_id',
    roles: EVERYONE,
    output: one(eventList.output),
    params: eventParams,
    answer: ({ institute, params }) => getEvent(ctx, institute.id, params.eventId),
  })
  addConsoleRead(app, ctx, {
    url: '/event-codes/:event_code',
    roles: EVERYONE,
    output: one(eventCodeOutput),
    params: input({ event_code: field.oneOf(EVENT_CODES, 'Which event.', 'pay.payment.debited') }),
    answer: async ({ params: { eventCode } }) => ({ eventCode, ...CATALOGUE[eventCode] }),
  })
}

const described = outputOf<EventDefinition & { eventCode: EventCode }>()
const eventCodeOutput = described.object({
  event_code: described.text('The code.', 'pay.payment.debited'),
  when: described.text('When it is recorded.', 'A payment was made.'),
  payload_schema: described.json('What it carries, in JSON Schema.', {}, ({ payload }) =>
    publishBody(payload.schema),
  ),
})

const days = outputOf<Awaited<ReturnType<typeof readDeliveryDays>>[number]>()
const deliveryDayOutput = days.object({
  day: days.day('The day that they were made.', '2026-11-15'),
  at_once: days.integer('Taken at the first attempt.', 120, one => one.atOnce),
  later: days.integer('Taken at a later attempt.', 3),
  waiting: days.integer('Not taken yet.', 1),
  given_up: days.integer('Given up.', 0, one => one.givenUp),
})

const added = outputOf<{ id: string }>()
const addedWebhookOutput = added.object({ id: webhookFields.id })

export const reasonInput = input({ reason: field.text('Why; stands in the audit log.', 'The ERP has moved') })

export type { EventCode }
export type DeliveryDayAnswer = Shown<typeof deliveryDayOutput>
