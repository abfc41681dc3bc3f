import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { created, ok } from '../../http/envelope.ts'
import type { Context } from '../../platform/context.ts'
import { recoverFailed, sendTest, type Delivery } from '../../webhooks/delivery-log/deliveries.service.ts'
import { recoverInput } from '../../webhooks/delivery-log/delivery.input.ts'
import { deliveryOutput, recoveredOutput } from '../../webhooks/delivery-log/delivery.output.ts'
import {
  addWebhookInput,
  changeWebhookInput,
  listWebhooksQuery,
  webhookParams,
} from '../../webhooks/subscriptions/subscription.input.ts'
import {
  addSubscription,
  type Subscribed,
  type Subscription,
} from '../../webhooks/subscriptions/subscriptions.service.ts'
import type { AuditNote } from '../audit/audit.service.ts'
import { EVERYONE } from '../console.rules.ts'
import { addedWebhookOutput, reasonInput, webhookOutput } from './webhook.output.ts'
import { changeWebhook, disableWebhook, listWebhooks } from './webhooks.service.ts'
import { DEVELOPERS } from './developers.rules.ts'
import { addConsoleRead, addConsoleWrite } from '../auth/access.routes.ts'

export function webhookConsoleRoutes(app: FastifyInstance, ctx: Context): void {
  addConsoleRead(app, ctx, {
    url: '/webhooks',
    roles: EVERYONE,
    docs: {
      operationId: 'consoleListWebhooks',
      summary: 'List webhooks',
      description: 'With how each fares and what waits for it.',
      data: Type.Array(webhookOutput.schema),
    },
    query: listWebhooksQuery,
    async answer({ institute, query }) {
      const found = await listWebhooks(ctx, institute, query)
      return ok(found.map(webhook => webhookOutput.toJson(webhook)))
    },
  })
  addConsoleWrite(app, ctx, {
    method: 'POST',
    url: '/webhooks',
    roles: DEVELOPERS,
    docs: {
      operationId: 'consoleAddWebhook',
      summary: 'Add a webhook',
      description: 'One for each event and branch; on a subscribed event only secret and header change.',
      data: addedWebhookOutput.schema,
      creates: true,
    },
    body: addWebhookInput,
    perform: (command, { institute, body }) => addSubscription(ctx, command, institute, body),
    audit: (_call, subscribed: Subscribed) => noteOf(subscribed),
    toResponse: ({ subscription, message }) => created(addedWebhookOutput.toJson(subscription), message),
  })
  addConsoleWrite(app, ctx, {
    method: 'PATCH',
    url: '/webhooks/:webhook_id',
    roles: DEVELOPERS,
    docs: {
      operationId: 'consoleChangeWebhook',
      summary: 'Change secret or header',
      description: 'An old secret signs beside the new one for a day.',
    },
    params: webhookParams,
    body: changeWebhookInput,
    perform: (command, { institute, params, body }) =>
      changeWebhook(ctx, command, institute, { id: params.webhookId, ...body }),
    audit: (_call, subscribed: Subscribed) => noteOf(subscribed),
    toResponse: () => ok(),
  })
  addConsoleWrite(app, ctx, {
    method: 'DELETE',
    url: '/webhooks/:webhook_id',
    roles: DEVELOPERS,
    docs: {
      operationId: 'consoleDisableWebhook',
      summary: 'Disable a webhook',
      description: 'Nothing more is sent, and what waits is not.',
    },
    params: webhookParams,
    body: reasonInput,
    perform: (command, { institute, params }) => disableWebhook(ctx, command, institute, params.webhookId),
    audit: ({ body }, subscription: Subscription) => ({
      what: 'webhook.disabled',
      about: subscription.id,
      why: body.reason,
      before: plain(subscription),
    }),
    toResponse: () => ok(),
  })
  addTrials(app, ctx)
}

function addTrials(app: FastifyInstance, ctx: Context): void {
  addConsoleWrite(app, ctx, {
    method: 'POST',
    url: '/webhooks/:webhook_id/test',
    roles: DEVELOPERS,
    docs: {
      operationId: 'consoleTestWebhook',
      summary: 'Send a test',
      description: 'One `webhook.test`; answers its delivery, which can be watched.',
      data: deliveryOutput.schema,
      creates: true,
    },
    params: webhookParams,
    perform: (command, { institute, params }) => sendTest(ctx, command, institute, params.webhookId),
    audit: ({ params }, { id }) => ({
      what: 'webhook.tested',
      about: params.webhookId,
      after: { delivery: id },
    }),
    toResponse: (delivery: Delivery) => created(deliveryOutput.toJson(delivery)),
  })
  addConsoleWrite(app, ctx, {
    method: 'POST',
    url: '/webhooks/:webhook_id/recover',
    roles: DEVELOPERS,
    docs: {
      operationId: 'consoleRecoverWebhook',
      summary: 'Send again what failed',
      description:
        'Whatever was given up since a moment, here or under an earlier subscription of the event.',
      data: recoveredOutput.schema,
    },
    params: webhookParams,
    body: recoverInput,
    perform: (command, { institute, params, body }) =>
      recoverFailed(ctx, command, institute, { ...params, ...body }),
    audit: ({ params, body }, deliveries) => ({
      what: 'webhook.recovered',
      about: params.webhookId,
      after: { since: body.since, deliveries },
    }),
    toResponse: (deliveries: number) => ok(recoveredOutput.toJson({ deliveries })),
  })
}

function noteOf({ subscription, before }: Subscribed): AuditNote {
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

/** Without its secrets. */
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
