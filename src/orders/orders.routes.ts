import type { FastifyInstance } from 'fastify'
import type { Static } from 'typebox'
import { addRead, addWrite } from '../http/endpoint.ts'
import { created, ok, page } from '../http/envelope.ts'
import { badField } from '../platform/errors.ts'
import type { Ground } from '../platform/ground.ts'
import { toNewOrder } from './order-body.ts'
import { docsFor } from './orders.docs.ts'
import { orderView } from './order-view.ts'
import type { PublicKind } from './orders.rules.ts'
import * as schemas from './orders.schemas.ts'
import { cancelOrder, createOrder, getOrder, listOrders } from './orders.service.ts'

/** Pay orders and payment links: one noun with two addresses, so one set of routes registered twice. */
export function orderRoutes(app: FastifyInstance, ground: Ground): void {
  addRoutes(app, ground, 'order')
  addRoutes(app, ground, 'link')
}

function addRoutes(app: FastifyInstance, ground: Ground, kind: PublicKind): void {
  const base = `/api/v1/integrations/pay/${kind === 'order' ? 'orders' : 'payment_links'}`
  const docs = docsFor(kind)
  addWrite(app, ground, {
    method: 'POST',
    url: base,
    docs: docs.create,
    body: schemas.CreateOrderBody,
    perform: (act, { caller, body }) => createOrder(ground, act, caller.institute, toNewOrder(kind, body)),
    present: ({ orderId, redirectUrl }) => created({ order_id: orderId, redirect_url: redirectUrl }),
  })
  addRead(app, {
    url: base,
    docs: docs.list,
    query: kind === 'order' ? schemas.ListOrdersQuery : schemas.ListLinksQuery,
    async answer({ caller, query }) {
      const filter = toFilter(kind, query)
      const { orders, nextCursor } = await listOrders(ground, caller.institute, filter, query.limit ?? 50)
      const now = ground.clock.now()
      return page(
        orders.map(order => orderView(order, now)),
        nextCursor,
      )
    },
  })
  addRead(app, {
    url: `${base}/:order_id`,
    docs: docs.get,
    params: schemas.OrderParams,
    async answer({ caller, params }) {
      const order = await getOrder(ground, caller.institute, kind, params.order_id)
      return ok(orderView(order, ground.clock.now()))
    },
  })
  addWrite(app, ground, {
    method: 'DELETE',
    url: `${base}/:order_id`,
    docs: docs.cancel,
    params: schemas.OrderParams,
    perform: (act, { caller, params }) =>
      cancelOrder(ground, act, { institute: caller.institute, kind, id: params.order_id }),
    present: () => ok(),
  })
}

function toFilter(kind: PublicKind, query: Static<typeof schemas.ListLinksQuery>) {
  return {
    kind,
    status: query.status,
    identifier: query.identifier,
    collectorCode: query.collector_code,
    createdFrom: query.created_from,
    createdBefore: query.created_to,
    note: query.note === undefined ? undefined : readNote(query.note),
    cursor: query.cursor,
  }
}

function readNote(text: string): { key: string; value: string } {
  const colon = text.indexOf(':')
  if (colon < 1) throw badField('note', 'must be key:value')
  return { key: text.slice(0, colon), value: text.slice(colon + 1) }
}
