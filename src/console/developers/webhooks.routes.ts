import type { FastifyInstance } from 'fastify'
import type { Context } from '../../platform/context.ts'
import { recoverFailed, sendTest } from '../../webhooks/delivery-log/deliveries.service.ts'
import {
  recoverInput,
  deliveryOutput,
  recoveredOutput,
} from '../../webhooks/delivery-log/delivery.schemas.ts'
import {
  addWebhookInput,
  changeWebhookInput,
  listWebhooksQuery,
  webhookParams,
} from '../../webhooks/subscriptions/subscription.schemas.ts'
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
import { all, created, from, one, remarked } from '../../http/reply.ts'

export function webhookConsoleRoutes(app: FastifyInstance, ctx: Context): void {
  addConsoleRead(app, ctx, {
    url: '/webhooks',
    roles: EVERYONE,
    output: all(webhookOutput),
    query: listWebhooksQuery,
    answer: ({ institute, query }) => listWebhooks(ctx, institute, query),
  })
  addConsoleWrite(app, ctx, {
    method: 'POST',
    url: '/webhooks',
    roles: DEVELOPERS,
    output: remarked(
      from(created(addedWebhookOutput), ({ subscription }: Subscribed) => subscription),
      ({ message }) => message,
    ),
    body: addWebhookInput,
    perform: (command, { institute, body }) => addSubscription(ctx, command, institute, body),
    audit: (_call, subscribed: Subscribed) => noteOf(subscribed),
  })
  addConsoleWrite(app, ctx, {
    method: 'PATCH',
    url: '/webhooks/:webhook_id',
    roles: DEVELOPERS,
    params: webhookParams,
    body: changeWebhookInput,
    perform: (command, { institute, params, body }) =>
      changeWebhook(ctx, command, institute, { id: params.webhookId, ...body }),
    audit: (_call, subscribed: Subscribed) => noteOf(subscribed),
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
