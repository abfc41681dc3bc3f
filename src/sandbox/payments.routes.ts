import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { addWrite } from '../http/endpoint.ts'
import { ok, type Success } from '../http/envelope.ts'
import { field, shown } from '../http/wire/fields.ts'
import type { EndpointDocs } from '../http/openapi/openapi.ts'
import { PAYMENT_MODES, type Payment } from '../payments/payments.rules.ts'
import type { SettlementSummary } from '../payments/settlements/settlements.service.ts'
import { payOrder, resolvePayment, settleEverything, type SandboxPayments } from './payments.service.ts'

const PayParams = Type.Object({
  order_id: field.resourceId({ description: 'Id of the order, link or payment on a page.' }),
})
const PaymentParams = Type.Object({ payment_id: field.resourceId({ description: 'Id of the payment.' }) })

const PayBody = Type.Object({
  outcome: field.oneOf(['success', 'failure', 'pending'], { description: 'What the bank makes of it.' }),
  mode: Type.Optional(field.oneOf(PAYMENT_MODES, { description: 'How the payer pays; upi when absent.' })),
})

const PaymentView = Type.Object({
  payment_id: shown.text({ description: 'Id of the payment.' }),
  order_id: shown.text({ description: 'Id of its order or link.' }),
  status: shown.oneOf(['created', 'pending', 'captured', 'failed'], { description: 'Its state now.' }),
})

const EXAMPLE = {
  status: 'success',
  data: {
    payment_id: 'pay_1k092c8gpz8wezh4es8gqprf85',
    order_id: 'order_1k092c8gpz8wezh4es8gqprf85',
    status: 'captured',
  },
}

/** Only what a sandbox has: a bank that does what it is told. */
export function sandboxPaymentRoutes(app: FastifyInstance, sandbox: SandboxPayments): void {
  const { ctx } = sandbox
  addWrite(app, ctx, {
    method: 'POST',
    url: '/api/v1/sandbox/pay/orders/:order_id/pay',
    docs: docs(
      'sandboxPay',
      'Pay an order, a link or on a page',
      'Starts a payment and lets the bank end it so. 409 when none can start.',
      {
        outcome: 'success',
        mode: 'upi',
      },
    ),
    params: PayParams,
    body: PayBody,
    perform: (act, { caller, params, body }) =>
      payOrder(
        sandbox,
        act,
        { institute: caller.institute, orderId: params.order_id },
        { outcome: body.outcome, mode: body.mode ?? 'upi' },
      ),
    toResponse: view,
  })
  for (const [verb, outcome] of [
    ['capture', 'success'],
    ['fail', 'failure'],
  ] as const) {
    addWrite(app, ctx, {
      method: 'POST',
      url: `/api/v1/sandbox/payments/:payment_id/${verb}`,
      docs: docs(
        `sandbox_${verb}`,
        `Let the bank ${verb} a payment`,
        'For one that is open or pending at the bank.',
      ),
      params: PaymentParams,
      perform: (act, { caller, params }) =>
        resolvePayment(sandbox, act, { institute: caller.institute, paymentId: params.payment_id }, outcome),
      toResponse: view,
    })
  }
  addWrite(app, ctx, {
    method: 'POST',
    url: '/api/v1/sandbox/settlements/run',
    docs: settleDocs,
    perform: (_act, { caller }) => settleEverything(sandbox, caller.institute.id),
    toResponse: (summary: SettlementSummary) => ok(summary),
  })
}

function view(payment: Payment): Success {
  return ok({ payment_id: payment.id, order_id: payment.orderId, status: payment.state })
}

function docs(
  operationId: string,
  summary: string,
  description: string,
  exampleBody?: unknown,
): EndpointDocs {
  return {
    operationId,
    tag: 'Sandbox',
    summary,
    description: `${description} Sandbox only.`,
    errors: [404],
    answers: { 200: { description: 'As it stands now.', data: PaymentView, example: EXAMPLE } },
    ...(exampleBody === undefined ? {} : { exampleBody }),
  }
}

const settleDocs: EndpointDocs = {
  operationId: 'sandboxSettle',
  tag: 'Sandbox',
  summary: 'Settle everything now',
  description:
    'Pays out and settles every captured payment of your institute at once, whatever its due day. Sandbox only.',
  answers: {
    200: {
      description: 'Settled.',
      data: Type.Object({
        settled: Type.Integer({ description: 'Payments and refunds settled.' }),
        exceptions: Type.Integer({ description: 'Reported items that did not match.' }),
      }),
      example: { status: 'success', data: { settled: 2, exceptions: 0 } },
    },
  },
}
