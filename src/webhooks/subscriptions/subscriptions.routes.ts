import type { FastifyInstance } from 'fastify'
import type { Static } from 'typebox'
import { addRead, addWrite } from '../../http/endpoint.ts'
import { created, ok } from '../../http/envelope.ts'
import type { Context } from '../../platform/context.ts'
import * as docs from './subscriptions.docs.ts'
import * as schemas from './subscriptions.schemas.ts'
import {
  addSubscription,
  disableSubscription,
  getSubscription,
  listSubscriptions,
  type NewSubscription,
  type Subscription,
} from './subscriptions.service.ts'

const BASE = '/api/v1/integrations/erp/webhooks'

export function subscriptionRoutes(app: FastifyInstance, ctx: Context): void {
  addWrite(app, ctx, {
    method: 'POST',
    url: BASE,
    docs: docs.addDocs,
    body: schemas.AddWebhookBody,
    perform: (act, { caller, body }) => addSubscription(ctx, act, caller.institute, toNewSubscription(body)),
    toResponse: ({ subscription, message }) => created(view(subscription), message),
  })
  addRead(app, {
    url: BASE,
    docs: docs.listDocs,
    query: schemas.ListWebhooksQuery,
    async answer({ caller, query }) {
      const found = await listSubscriptions(ctx, caller.institute, {
        collectorCode: query.collector_code,
        withDisabled: query.include === 'disabled',
      })
      return ok(found.map(view))
    },
  })
  addRead(app, {
    url: `${BASE}/:webhook_id`,
    docs: docs.getDocs,
    params: schemas.WebhookParams,
    answer: async ({ caller, params }) =>
      ok(detailView(await getSubscription(ctx, caller.institute, params.webhook_id))),
  })
  addWrite(app, ctx, {
    method: 'DELETE',
    url: `${BASE}/:webhook_id`,
    docs: docs.disableDocs,
    params: schemas.WebhookParams,
    perform: (act, { caller, params }) => disableSubscription(ctx, act, caller.institute, params.webhook_id),
    toResponse: () => ok(),
  })
}

function toNewSubscription(body: Static<typeof schemas.AddWebhookBody>): NewSubscription {
  return {
    collectorCode: body.collector_code,
    eventCode: body.event_code,
    url: body.url,
    failureEmails: body.failure_notification_email,
    secretKey: body.secret_key,
    headerKey: body.header_key,
    headerValue: body.header_value,
  }
}

function view(subscription: Subscription): Record<string, unknown> {
  return {
    id: subscription.id,
    event_code: subscription.eventCode,
    failure_notification_email: subscription.failureEmails,
    url: subscription.url,
    disabled_at: subscription.disabledAt?.toISOString(),
  }
}

function detailView(subscription: Subscription): Record<string, unknown> {
  return {
    ...view(subscription),
    status: subscription.disabledAt === null ? 'subscribed' : 'disabled',
    is_signed: subscription.secretSealed !== null,
    has_header: subscription.headerKey !== null && subscription.headerValueSealed !== null,
    failures_in_row: subscription.failuresInRow,
    paused_until: isPaused(subscription) ? subscription.pausedUntil?.toISOString() : undefined,
    disabled_because: subscription.disabledBecause ?? undefined,
    created_at: subscription.createdAt.toISOString(),
  }
}

function isPaused({ disabledAt, pausedUntil }: Subscription): boolean {
  return disabledAt === null && pausedUntil !== null && pausedUntil.getTime() > Date.now()
}
