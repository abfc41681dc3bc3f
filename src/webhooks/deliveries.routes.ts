import type { FastifyInstance } from 'fastify'
import { addRead, addWrite } from '../http/endpoint.ts'
import { created, ok, page } from '../http/envelope.ts'
import type { Ground } from '../platform/ground.ts'
import * as docs from './deliveries.docs.ts'
import * as schemas from './deliveries.schemas.ts'
import {
  getDelivery,
  listDeliveries,
  recoverFailed,
  redeliver,
  sendTest,
  type Delivery,
} from './deliveries.service.ts'
import { WebhookParams } from './subscriptions.schemas.ts'

const DELIVERIES = '/api/v1/integrations/erp/deliveries'
const WEBHOOK = '/api/v1/integrations/erp/webhooks/:webhook_id'

export function deliveryRoutes(app: FastifyInstance, ground: Ground): void {
  addRead(app, {
    url: DELIVERIES,
    docs: docs.listDocs,
    query: schemas.ListDeliveriesQuery,
    async answer({ caller, query }) {
      const filter = {
        status: query.status,
        eventId: query.event_id,
        webhookId: query.webhook_id,
      }
      const found = await listDeliveries(ground, caller.institute, filter, {
        cursor: query.cursor,
        limit: query.limit ?? 50,
      })
      return page(found.rows.map(view), found.nextCursor)
    },
  })
  addRead(app, {
    url: `${DELIVERIES}/:delivery_id`,
    docs: docs.getDocs,
    params: schemas.DeliveryParams,
    answer: async ({ caller, params }) =>
      ok(view(await getDelivery(ground, caller.institute, params.delivery_id))),
  })
  addWrite(app, ground, {
    method: 'POST',
    url: `${DELIVERIES}/:delivery_id/redeliver`,
    docs: docs.redeliverDocs,
    params: schemas.DeliveryParams,
    perform: (act, { caller, params }) => redeliver(ground, act, caller.institute, params.delivery_id),
    toResponse: (delivery: Delivery) => ok(view(delivery)),
  })
  addWrite(app, ground, {
    method: 'POST',
    url: `${WEBHOOK}/test`,
    docs: docs.testDocs,
    params: WebhookParams,
    perform: (act, { caller, params }) => sendTest(ground, act, caller.institute, params.webhook_id),
    toResponse: (delivery: Delivery) => created(view(delivery)),
  })
  addWrite(app, ground, {
    method: 'POST',
    url: `${WEBHOOK}/recover`,
    docs: docs.recoverDocs,
    params: WebhookParams,
    body: schemas.RecoverBody,
    perform: (act, { caller, params, body }) =>
      recoverFailed(ground, act, caller.institute, { webhookId: params.webhook_id, since: body.since }),
    toResponse: deliveries => ok({ deliveries }),
  })
}

function view(delivery: Delivery): Record<string, unknown> {
  return {
    id: delivery.id,
    event_id: delivery.eventId,
    event_code: delivery.eventCode,
    webhook_id: delivery.webhookId,
    status: delivery.state,
    attempts: delivery.attempts,
    next_attempt_at: delivery.nextAttemptAt?.toISOString(),
    created_at: delivery.createdAt.toISOString(),
  }
}
