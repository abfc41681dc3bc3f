import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { callerOf } from '../http/auth.ts'
import { rawBody } from '../http/body.ts'
import { addRead, addWrite } from '../http/endpoint.ts'
import { created, JSON_TYPE, ok, successBody } from '../http/envelope.ts'
import { field } from '../http/fields.ts'
import { compileReader } from '../http/reader.ts'
import { getOrder } from '../orders/orders.service.ts'
import type { PublicKind } from '../orders/orders.rules.ts'
import { notFound } from '../platform/errors.ts'
import { takeCallback } from './callbacks.service.ts'
import { refundView } from './payment-events.ts'
import type { Refund } from './payments.rules.ts'
import type { ProviderName } from './provider.ts'
import { receiptPdf } from './receipt-file.service.ts'
import { RefundBody, RefundView } from './refunds.schemas.ts'
import { listRefunds, requestRefund } from './refunds.service.ts'
import { receiptDocs, refundDocs } from './payments.docs.ts'
import type { Till } from './till.ts'

const Params = Type.Object({ order_id: field.resourceId({ description: 'Id of the order or link.' }) })

/** Refunds of orders and links, and the door that providers post to. */
export function paymentRoutes(app: FastifyInstance, till: Till): void {
  addRefundRoutes(app, till, 'order')
  addRefundRoutes(app, till, 'link')
  addReceiptRoute(app, till, 'order')
  addReceiptRoute(app, till, 'link')
  for (const name of till.providers.keys()) addCallbackRoute(app, till, name)
}

function addRefundRoutes(app: FastifyInstance, till: Till, kind: PublicKind): void {
  const url = `/api/v1/integrations/pay/${kind === 'order' ? 'orders' : 'payment_links'}/:order_id/refunds`
  const docs = refundDocs(kind, RefundView)
  addWrite(app, till, {
    method: 'POST',
    url,
    docs: docs.request,
    params: Params,
    body: RefundBody,
    perform: (act, { caller, params, body }) =>
      requestRefund(
        till,
        act,
        { institute: caller.institute, kind, orderId: params.order_id },
        { amountPaise: body.amount, reason: body.reason ?? null },
      ),
    present: (refund: Refund) => created(refundView(refund)),
  })
  addRead(app, {
    url,
    docs: docs.list,
    params: Params,
    async answer({ caller, params }) {
      await getOrder(till, caller.institute, kind, params.order_id)
      return ok((await listRefunds(till, caller.institute.id, params.order_id)).map(refundView))
    },
  })
}

/** A file, not an envelope; errors wear the envelope as everywhere. */
function addReceiptRoute(app: FastifyInstance, till: Till, kind: PublicKind): void {
  const url = `/api/v1/integrations/pay/${kind === 'order' ? 'orders' : 'payment_links'}/:order_id/receipt`
  const readParams = compileReader(Params)
  app.get(url, { config: { scope: 'read' }, schema: receiptDocs(kind, Params) }, async (request, reply) => {
    const { order_id: id } = readParams(request.params) as { order_id: string }
    const { institute } = callerOf(request)
    const pdf = await receiptPdf(till, institute, await getOrder(till, institute, kind, id))
    if (pdf === null) throw notFound('A receipt for this order')
    return reply.header('content-type', 'application/pdf').send(pdf)
  })
}

/** Not an operation of the API: no key, but a signature. */
function addCallbackRoute(app: FastifyInstance, till: Till, name: ProviderName): void {
  app.post(`/callbacks/${name}`, { schema: { hide: true } }, async (request, reply) => {
    const headers = request.headers as Record<string, string | undefined>
    await takeCallback(till, name, { headers, rawBody: rawBody(request) })
    return reply.header('content-type', JSON_TYPE).send(successBody(ok()))
  })
}
