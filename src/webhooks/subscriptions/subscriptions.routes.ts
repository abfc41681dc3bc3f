import type { FastifyInstance } from 'fastify'
import { addRead, addWrite } from '../../http/endpoint.ts'
import { all, created, from, one, remarked } from '../../http/reply.ts'
import type { Context } from '../../platform/context.ts'
import {
  addWebhookInput,
  listWebhooksQuery,
  webhookParams,
  webhookDetailOutput,
  webhookOutput,
} from './subscription.schemas.ts'
import {
  addSubscription,
  disableSubscription,
  getSubscription,
  listSubscriptions,
  type SavedSubscription,
} from './subscriptions.service.ts'

const BASE = '/api/v1/integrations/erp/webhooks'

export function subscriptionRoutes(app: FastifyInstance, ctx: Context): void {
  addWrite(app, ctx, {
    method: 'POST',
    url: BASE,
    scope: 'settings',
    docs: {
      operationId: 'addWebhook',
      tag: 'Webhooks',
      summary: 'Add or update a webhook',
      description:
        'One URL per event code (and branch, where there are several). On a subscribed code only secret_key, header_key ' +
        'and header_value change: absent leaves them, null or "" clears them. One payment sends `pay.payment.*` and the ' +
        'event of its order, link or page: subscribe to one of them, or book by `payment.id`; drop repeats by `event_id`.',
    },
    output: remarked(
      from(created(webhookOutput), ({ subscription }: SavedSubscription) => subscription),
      ({ message }) => message,
      'The url and the mail list of a subscription stay as they were at its creation.',
    ),
    body: addWebhookInput,
    perform: (command, { caller, body }) => addSubscription(ctx, command, caller.institute, body),
  })
  addRead(app, {
    url: BASE,
    docs: {
      operationId: 'listWebhooks',
      tag: 'Webhooks',
      summary: 'List webhooks',
      description:
        'All active subscriptions of the institute; on request also disabled ones, at most the 200 disabled last.',
    },
    output: all(webhookOutput),
    query: listWebhooksQuery,
    answer: ({ caller, query }) => listSubscriptions(ctx, caller.institute, query),
  })
  addRead(app, {
    url: `${BASE}/:webhook_id`,
    docs: {
      operationId: 'getWebhook',
      tag: 'Webhooks',
      summary: 'Get a webhook',
      description: 'One subscription, disabled or not. Secrets and header values are never shown.',
      errors: [404],
    },
    output: one(webhookDetailOutput),
    params: webhookParams,
    answer: ({ caller, params }) => getSubscription(ctx, caller.institute, params.webhookId),
  })
  addWrite(app, ctx, {
    method: 'DELETE',
    url: `${BASE}/:webhook_id`,
    scope: 'settings',
    docs: {
      operationId: 'disableWebhook',
      tag: 'Webhooks',
      summary: 'Disable a webhook',
      description:
        'Nothing more is delivered. Adding the event code again makes a new subscription with a new id.',
    },
    params: webhookParams,
    perform: (command, { caller, params }) =>
      disableSubscription(ctx, command, caller.institute, params.webhookId),
  })
}
