import type { FastifyInstance } from 'fastify'
import { Type, type Static } from 'typebox'
import { created, ok } from '../../http/envelope.ts'
import type { Context } from '../../platform/context.ts'
import { recoverFailed, sendTest, type Delivery } from '../../webhooks/delivery-log/deliveries.service.ts'
import type { SubscriptionChange } from '../../webhooks/subscriptions/subscriptions.rules.ts'
import {
  addSubscription,
  type Subscribed,
  type Subscription,
} from '../../webhooks/subscriptions/subscriptions.service.ts'
import type { AuditNote } from '../audit/audit.service.ts'
import { EVERYONE } from '../console.rules.ts'
import { deliveryView } from './deliveries.routes.ts'
import * as schemas from './webhooks.schemas.ts'
import { changeWebhook, disableWebhook, listWebhooks, type Webhook } from './webhooks.service.ts'
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
      data: Type.Array(schemas.WebhookView),
    },
    query: schemas.WebhooksQuery,
    async answer({ institute, query }) {
      const filter = { withDisabled: query.include === 'disabled' }
      return ok((await listWebhooks(ctx, institute, filter)).map(view))
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
      data: Type.Object({ id: schemas.WebhookView.properties.id }),
      creates: true,
    },
    body: schemas.AddWebhookBody,
    perform: (act, { institute, body }) =>
      addSubscription(ctx, act, institute, {
        collectorCode: body.collector_code,
        eventCode: body.event_code,
        url: body.url,
        failureEmails: body.failure_notification_email,
        ...changeOf(body),
      }),
    audit: (_call, subscribed: Subscribed) => noteOf(subscribed),
    toResponse: ({ subscription, message }) => created({ id: subscription.id }, message),
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
    params: schemas.WebhookParams,
    body: schemas.ChangeWebhookBody,
    perform: (act, { institute, params, body }) =>
      changeWebhook(ctx, act, institute, { id: params.webhook_id, ...changeOf(body) }),
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
    params: schemas.WebhookParams,
    body: schemas.DisableBody,
    perform: (act, { institute, params }) => disableWebhook(ctx, act, institute, params.webhook_id),
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
      data: schemas.DeliveryView,
      creates: true,
    },
    params: schemas.WebhookParams,
    perform: (act, { institute, params }) => sendTest(ctx, act, institute, params.webhook_id),
    audit: ({ params }, { id }) => ({
      what: 'webhook.tested',
      about: params.webhook_id,
      after: { delivery: id },
    }),
    toResponse: (delivery: Delivery) => created(deliveryView(delivery)),
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
      data: schemas.RecoveredView,
    },
    params: schemas.WebhookParams,
    body: schemas.RecoverBody,
    perform: (act, { institute, params, body }) =>
      recoverFailed(ctx, act, institute, { webhookId: params.webhook_id, since: body.since }),
    audit: ({ params, body }, deliveries) => ({
      what: 'webhook.recovered',
      about: params.webhook_id,
      after: { since: body.since, deliveries },
    }),
    toResponse: deliveries => ok({ deliveries }),
  })
}

function changeOf(body: Static<typeof schemas.ChangeWebhookBody>): SubscriptionChange {
  return { secretKey: body.secret_key, headerKey: body.header_key, headerValue: body.header_value }
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

function view(webhook: Webhook): schemas.WebhookAnswer {
  return {
    id: webhook.id,
    event_code: webhook.eventCode,
    url: webhook.url,
    collector_code: webhook.collectorCode,
    failure_notification_email: webhook.failureEmails,
    health: webhook.health,
    failures_in_row: webhook.failuresInRow,
    ...(webhook.health === 'paused' && webhook.pausedUntil !== null
      ? { paused_until: webhook.pausedUntil.toISOString() }
      : {}),
    waiting: webhook.waiting,
    given_up: webhook.givenUp,
    is_signed: webhook.secretSealed !== null,
    ...(webhook.headerKey === null ? {} : { header_key: webhook.headerKey }),
    created_at: webhook.createdAt.toISOString(),
    ...(webhook.disabledAt === null ? {} : { disabled_at: webhook.disabledAt.toISOString() }),
    ...(webhook.disabledBecause === null ? {} : { disabled_because: webhook.disabledBecause }),
  }
}
