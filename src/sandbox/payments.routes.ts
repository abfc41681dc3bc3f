import type { FastifyInstance } from 'fastify'
import { addWrite } from '../http/endpoint.ts'
import { one } from '../http/reply.ts'
import { field, input, optional } from '../http/wire/input.ts'
import { outputOf } from '../http/wire/output.ts'
import { ORDER_ID, orderParams } from '../orders/order.input.ts'
import { PAYMENT_MODES, type Payment } from '../payments/payments.rules.ts'
import type { SettlementSummary } from '../payments/settlements/settlements.service.ts'
import { disputeOutput } from '../payments/disputes/dispute.schemas.ts'
import {
  disputePayment,
  payOrder,
  resolvePayment,
  settleEverything,
  type SandboxPayments,
} from './payments.service.ts'

const PAYMENT_ID = 'pay_1k092c8gpz8wezh4es8gqprf85'
const paymentParams = input({ payment_id: field.resourceId('Id of the payment.', PAYMENT_ID) })

const payInput = input({
  outcome: field.oneOf(['success', 'failure', 'pending'], 'What the bank makes of it.'),
  mode: optional(field.oneOf(PAYMENT_MODES, 'How the payer pays; upi when absent.'), 'upi'),
})

const disputeInput = input({
  outcome: field.oneOf(['open', 'won', 'lost'], "What the payer's bank does."),
  amount: optional(field.positiveAmount('Rupees that are disputed; the whole payment when absent.', 5000)),
  reason: optional(field.code("The bank's code for why, of one that is opened.", 'chargeback')).as(
    'reasonCode',
  ),
})

const payment = outputOf<Payment>()
const paymentOutput = payment.object('SandboxPayment', {
  payment_id: payment.text('Id of the payment.', PAYMENT_ID, ({ id }) => id),
  order_id: payment.text('Id of its order or link.', ORDER_ID),
  status: payment.oneOf(
    ['created', 'pending', 'captured', 'failed'],
    'Its state now.',
    ({ state }) => state,
    'captured',
  ),
})

const summary = outputOf<SettlementSummary>()
const summaryOutput = summary.object('SandboxSettlementRun', {
  settled: summary.integer('Payments and refunds settled.', 2),
  exceptions: summary.integer('Reported items that did not match.', 0),
})

/** Only what a sandbox has: a bank that does what it is told. */
export function sandboxPaymentRoutes(app: FastifyInstance, sandbox: SandboxPayments): void {
  const { ctx } = sandbox
  addWrite(app, ctx, {
    method: 'POST',
    url: '/api/v1/sandbox/pay/orders/:order_id/pay',
    scope: 'orders',
    docs: {
      operationId: 'sandboxPay',
      tag: 'Sandbox',
      summary: 'Pay an order, a link or on a page',
      description: 'Starts a payment and lets the bank end it so. 409 when none can start. Sandbox only.',
      errors: [404],
    },
    output: one(paymentOutput),
    params: orderParams,
    body: payInput,
    perform: (_command, { caller, params, body }) =>
      payOrder(sandbox, { institute: caller.institute, orderId: params.orderId }, body),
  })
  for (const [verb, outcome] of [
    ['capture', 'success'],
    ['fail', 'failure'],
  ] as const) {
    addWrite(app, ctx, {
      method: 'POST',
      url: `/api/v1/sandbox/payments/:payment_id/${verb}`,
      scope: 'orders',
      docs: {
        operationId: verb === 'capture' ? 'sandboxCapturePayment' : 'sandboxFailPayment',
        tag: 'Sandbox',
        summary: `Let the bank ${verb} a payment`,
        description: 'For one that is open or pending at the bank. Sandbox only.',
        errors: [404],
      },
      output: one(paymentOutput),
      params: paymentParams,
      perform: (_command, { caller, params }) =>
        resolvePayment(sandbox, { institute: caller.institute, ...params }, outcome),
    })
  }
  addWrite(app, ctx, {
    method: 'POST',
    url: '/api/v1/sandbox/payments/:payment_id/dispute',
    scope: 'orders',
    docs: {
      operationId: 'sandboxDisputePayment',
      tag: 'Sandbox',
      summary: "Let the payer's bank dispute a payment",
      description:
        'Of a payment or debit that was captured, whatever it is for. `open` opens a dispute, `won` and `lost` decide the one that is open, or ' +
        'one that nobody was told of. A lost one is in the next pay-out, with a fee of ₹118. Sandbox only.',
      errors: [404],
    },
    output: one(disputeOutput),
    params: paymentParams,
    body: disputeInput,
    perform: (_command, { caller, params, body }) =>
      disputePayment(sandbox, { institute: caller.institute, ...params }, body),
  })
  addWrite(app, ctx, {
    method: 'POST',
    url: '/api/v1/sandbox/settlements/run',
    scope: 'orders',
    docs: {
      operationId: 'sandboxSettle',
      tag: 'Sandbox',
      summary: 'Settle everything now',
      description:
        'Pays out and settles every captured payment of your institute at once, whatever its due day. A gateway pays out when ' +
        'it likes: what it has paid out today is read. Sandbox only.',
    },
    output: one(summaryOutput),
    perform: (_command, { caller }) => settleEverything(sandbox, caller.institute.id),
  })
}
