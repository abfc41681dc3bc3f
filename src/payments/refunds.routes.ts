import type { FastifyInstance } from 'fastify'
import { sendIfNew } from '../http/assets.ts'
import { callerOf } from '../http/auth.ts'
import { addRead, addWrite } from '../http/endpoint.ts'
import { all, created } from '../http/reply.ts'
import type { Input, Read } from '../http/wire/input.ts'
import { documentFile, type EndpointDocs } from '../http/openapi/operation.ts'
import type { Institute } from '../institutes/institutes.rules.ts'
import type { Order } from '../orders/orders.rules.ts'
import { notFound } from '../platform/errors.ts'
import type { Command } from '../platform/idempotency.ts'
import { refundInput, refundOutput } from './refund.schemas.ts'
import type { Refund } from './refunds/refunds.rules.ts'
import type { RequestedRefund } from './refunds/refunds.service.ts'
import type { PaymentContext } from './context.ts'
import { findReceiptFile } from './order-receipt.service.ts'

/** Refunds and the receipt of whatever was paid; what differs is where it is found. */
type RefundedNoun<Params> = Pick<EndpointDocs, 'tag'> & {
  noun: string
  /** Part of the operation ids. */
  id: string
  url: string
  params: Input<Params>
  find(institute: Institute, params: Params): Promise<Order>
}

type Refundable<Params> = Omit<RefundedNoun<Params>, 'find' | 'tag'> & {
  refund(
    command: Command<RequestedRefund>,
    target: { institute: Institute; params: Params },
    asked: Read<typeof refundInput>,
  ): Promise<RequestedRefund>
  list(institute: Institute, params: Params): Promise<Refund[]>
}

export function addRefundRoutes<Params>(
  app: FastifyInstance,
  ctx: PaymentContext,
  paid: Refundable<Params>,
): void {
  const { noun, id, params } = paid
  const url = `${paid.url}/refunds`
  addWrite(app, ctx, {
    method: 'POST',
    url,
    scope: 'refunds',
    docs: {
      operationId: `refund${id}`,
      tag: 'Refunds',
      summary: `Refund a ${noun}`,
      description:
        'Whole or in part, never above what was paid less earlier refunds (409). Say in `details` of which components, or it is ' +
        'spread over the lines in proportion to what is left of each, exact to the paisa; of a payment for a student the advance goes back ' +
        'first. A payment that its payer disputes, or whose dispute was lost, is not refunded (409). What is refunded of a ' +
        "student's dues, instalment, down payment or loan is due again at once. It is pending at first; `refund.processed` or " +
        '`refund.failed` tells how it ended. The status stays `paid`, with `refunded_amount`.',
      errors: [404],
    },
    output: created(refundOutput),
    params,
    body: refundInput,
    perform: (command, { caller, params, body }) =>
      paid.refund(command, { institute: caller.institute, params: params }, body),
  })
  addRead(app, {
    url,
    docs: {
      operationId: `list${id}Refunds`,
      tag: 'Refunds',
      summary: `List the refunds of a ${noun}`,
      description:
        'All of them, oldest first, each with its lines; an automatic refund of a double payment is among them.',
      errors: [404],
    },
    output: all(refundOutput),
    params,
    // A debit that the bank took back is booked like a refund and is none.
    answer: async ({ caller, params }) =>
      (await paid.list(caller.institute, params)).filter(({ kind }) => kind !== 'returned'),
  })
}

/** A file, not an envelope; errors have the envelope as everywhere. */
export function addReceiptRoute<Params>(
  app: FastifyInstance,
  ctx: PaymentContext,
  paid: RefundedNoun<Params>,
): void {
  const { tag, noun, id, params } = paid
  const schema = documentFile({
    operationId: `get${id}Receipt`,
    tag,
    summary: `Download the receipt of a ${noun}`,
    description:
      'A PDF with the running number of the financial year; 404 until it is paid, and after the bank returned the debit.',
    params,
    mediaType: 'application/pdf',
    scope: 'read',
  })
  app.get(`${paid.url}/receipt`, { config: { scope: 'read' }, schema }, async (request, reply) => {
    const { institute } = callerOf(request)
    const order = await paid.find(institute, params.read(request.params))
    const file = order.state === 'reversed' ? null : await findReceiptFile(ctx, institute, order)
    if (file === null) throw notFound(`A receipt of this ${noun}`)
    reply.header('content-disposition', `attachment; filename="receipt-${order.id}.pdf"`)
    return sendIfNew(request, reply, file)
  })
}
