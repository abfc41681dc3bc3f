import type { FastifyInstance } from 'fastify'
import { planParams } from '../flex/plans/plan.schemas.ts'
import { addWrite } from '../http/endpoint.ts'
import { done, one, answer, ok, type Reply } from '../http/reply.ts'
import { field, ifSent, input, optional, type Read, nameComponent } from '../http/wire/input.ts'
import { outputOf } from '../http/wire/output.ts'
import { badField } from '../platform/errors.ts'
import type { DebitAct } from './bank/simulator.rules.ts'
import { decideLinked } from './bank/splits.service.ts'
import {
  authorisePlan,
  changeMandate,
  decideInstalment,
  type ActedMandate,
  type AuthorisedMandate,
  type DecidedInstalment,
  type SandboxPlans,
  disputePayment,
  payOrder,
  resolvePayment,
  settleEverything,
  transferToStudent,
  type SandboxPayments,
  type SentTransfer,
} from './acts.service.ts'
import { objectSchema, type JsonSchema } from '../platform/json.rules.ts'
import { settingsInput, settingsOutput } from '../erp/settings/settings.schemas.ts'
import { removeErpSettings, setErpSettings, type SettingsChange } from '../erp/settings/settings.service.ts'
import type { Context } from '../platform/context.ts'
import { ORDER_ID, orderParams } from '../orders/order.input.ts'
import { PAYMENT_MODES, type Payment } from '../payments/payments.rules.ts'
import { studentParams } from '../students/student.input.ts'
import type { SettlementSummary } from '../payments/settlements/settlements.service.ts'
import { disputeOutput } from '../payments/disputes/dispute.schemas.ts'
import { addOpenWrite } from '../console/auth/access.routes.ts'
import { emailInput } from '../console/auth/session.schemas.ts'
import { giveCookie, signInRequestOf } from '../console/auth/session.routes.ts'
import { signInAsDemo } from '../console/auth/sign-in.service.ts'

const INSTALMENT_ID = 'inst_01k9zq4m0ve8sbn6yt2hw3c5da'
const instalmentParams = input({ instalment_id: field.resourceId('Id of the instalment.', INSTALMENT_ID) })

const authoriseInput = input({
  outcome: optional(
    field.oneOf(['success', 'failure'], 'What the payer does; success when absent.'),
    'success',
  ),
  rail: ifSent(
    field.oneOf(
      ['upi_autopay', 'enach'],
      'How the payer chooses to be debited, if that has not been chosen on the page; UPI Autopay when absent and possible.',
    ),
  ),
  charge_components: ifSent(
    field.list(
      'Fees whose box for single charges the payer ticks, if that has not been chosen on the page; none when absent.',
      field.code('A fee.', 'PICNIC_FEE'),
      { max: 10 },
    ),
  ),
})

const outcomeInput = input({
  outcome: ifSent(field.oneOf(['debited', 'bounced'], 'What the bank makes of it.', 'bounced')),
  debited: optional(field.flag('true is short for `outcome: debited`.', false), false),
  bounced: optional(field.flag('true is short for `outcome: bounced`.', true), false),
  code: ifSent(field.code('Return code of a bounce; 04 (UPI: Z9), not enough money, when absent.', '04')),
})

const linkedInput = input({
  linked_id: field.code('Its id at the sandbox bank.', 'acc_wait_hostel'),
  verified: field.flag('What the bank finds.', true),
})

const authorised = outputOf<AuthorisedMandate>()
const authorisedOutput = authorised.object('AuthorisedPlan', {
  plan_id: authorised.text('Id of the plan.', 'plan_01k9zq4m0ve8sbn6yt2hw3c5da'),
  status: authorised.oneOf(
    ['open', 'authorised', 'active', 'rejected', 'cancelled'],
    "The mandate at the bank. eNACH: confirmed on the next working day at 10:00 of the sandbox's clock.",
    one => one.status,
    'authorised',
  ),
})

const decided = outputOf<DecidedInstalment>()
const decidedOutput = decided.object('DecidedInstalment', {
  instalment_id: decided.text('Id of the instalment.', INSTALMENT_ID),
  payment_id: decided.text(
    'Id of the payment of this presentation.',
    'pay_01k9zq4m0ve8sbn6yt2hw3c5da',
    one => one.payment.id,
  ),
  status: decided.oneOf(
    ['created', 'pending', 'captured', 'failed', 'returned'],
    'State of that payment now; returned when it had been debited and the bank took it back.',
    one => (one.isReturned ? 'returned' : one.payment.state),
    'failed',
  ),
})

const mandateParams = input({
  mandate_id: field.resourceId(
    'Id of the mandate: `mandate.id` of the plan.',
    'mdt_01k9zq4m0ve8sbn6yt2hw3c5da',
  ),
})

const acted = outputOf<ActedMandate>()
const actedOutput = acted.object('ChangedMandate', {
  mandate_id: acted.text('Id of the mandate.', 'mdt_01k9zq4m0ve8sbn6yt2hw3c5da'),
  status: acted.oneOf(
    ['open', 'authorised', 'active', 'rejected', 'cancelled', 'expired'],
    'The mandate at the bank.',
    one => one.status,
    'cancelled',
  ),
  is_paused: acted.flag('Whether the payer has paused it.', false),
})

const MANDATE_ACTS = [
  {
    act: 'revoke',
    operationId: 'sandboxRevokeMandate',
    summary: 'Revoke a mandate',
    description: 'The payer withdraws it at the bank: `flex.mandate.cancelled`, and the plan is locked.',
  },
  {
    act: 'pause',
    operationId: 'sandboxPauseMandate',
    summary: 'Pause a mandate',
    description:
      'The payer pauses it at the bank. Debits come back as if the bank could not process them (59, UPI: U30) until it is resumed.',
  },
  {
    act: 'resume',
    operationId: 'sandboxResumeMandate',
    summary: 'Resume a mandate',
    description: 'Ends a pause.',
  },
  {
    act: 'expire',
    operationId: 'sandboxExpireMandate',
    summary: 'Let a mandate expire',
    description: 'As if its end date had passed: `flex.mandate.expired`, and the plan is locked.',
  },
] as const

/** Only what a sandbox has: the acts of the payer and the bank of a plan. */
export function sandboxFlexRoutes(app: FastifyInstance, sandbox: SandboxPlans): void {
  const { ctx } = sandbox
  addWrite(app, ctx, {
    method: 'POST',
    url: '/api/v1/sandbox/flex/plans/:plan_id/authorise',
    scope: 'students',
    docs: {
      operationId: 'sandboxAuthorisePlan',
      tag: 'Sandbox',
      summary: 'Authorise a plan',
      description:
        'Does what the payer does to set the plan up: on its page, where that has not been done (the ERP is asked, the down ' +
        'payment paid), and then at the bank. 409 when there is nothing to set up, or the ERP is against it. Sandbox only.',
      errors: [404],
    },
    output: one(authorisedOutput),
    params: planParams,
    body: authoriseInput,
    perform: (_command, { caller: { institute }, params: { planId }, body }) =>
      authorisePlan(sandbox, { institute, planId }, body),
  })
  addWrite(app, ctx, {
    method: 'POST',
    url: '/api/v1/sandbox/flex/instalments/:instalment_id/outcome',
    scope: 'students',
    docs: {
      operationId: 'sandboxInstalmentOutcome',
      tag: 'Sandbox',
      summary: 'Let the bank decide about an instalment',
      description:
        'One that was presented ends so at once. One that was debited can be `bounced`: the bank takes it back late. 409 ' +
        'when it is not at the bank: move the clock to its day first. Sandbox only.',
      errors: [404],
    },
    output: one(decidedOutput),
    params: instalmentParams,
    body: outcomeInput,
    perform: (_command, { caller: { institute }, params: { instalmentId }, body }) =>
      decideInstalment(sandbox, { institute, instalmentId }, readOutcome(body)),
  })
  addMandateActs(app, sandbox)
}

function addMandateActs(app: FastifyInstance, sandbox: SandboxPlans): void {
  for (const { act, description, ...texts } of MANDATE_ACTS)
    addWrite(app, sandbox.ctx, {
      method: 'POST',
      url: `/api/v1/sandbox/flex/mandates/:mandate_id/${act}`,
      scope: 'students',
      docs: {
        ...texts,
        tag: 'Sandbox',
        description: `${description} 409 when the bank has it otherwise. Sandbox only.`,
        errors: [404],
      },
      output: one(actedOutput),
      params: mandateParams,
      perform: (_command, { caller: { institute }, params: { mandateId } }) =>
        changeMandate(sandbox, { institute, mandateId }, act),
    })
}

function readOutcome({ outcome, debited, bounced, code }: Read<typeof outcomeInput>): DebitAct {
  const said = new Set([outcome, debited && 'debited', bounced && 'bounced'])
  const isDebited = said.has('debited')
  if (isDebited === said.has('bounced')) throw badField('outcome', 'must be either debited or bounced')
  if (!isDebited) return { kind: 'bounced', code }
  if (code !== undefined) throw badField('code', 'belongs to a bounce only')
  return { kind: 'debited' }
}

/** The settings, of which nothing but `is_configured` is left once they are removed. */
const properties = settingsOutput.schema['properties'] as Record<string, JsonSchema>
const data = nameComponent(
  'SandboxErpSettings',
  objectSchema(
    {
      is_configured: {
        type: 'boolean',
        description: 'False after the settings were removed; then nothing follows.',
      },
      ...properties,
    },
    { optional: Object.keys(properties) },
  ),
)

const settingsReply: Reply<SettingsChange> = {
  answers: {
    200: answer('As they are now.', {
      schema: data,
      example: { is_configured: true, ...settingsOutput.example },
    }),
  },
  toSuccess: ({ after }) =>
    ok(after === null ? { is_configured: false } : { is_configured: true, ...settingsOutput.toJson(after) }),
}

export function sandboxErpRoutes(app: FastifyInstance, ctx: Context): void {
  addWrite(app, ctx, {
    method: 'PUT',
    url: '/api/v1/sandbox/erp',
    scope: 'settings',
    docs: {
      operationId: 'setSandboxErp',
      tag: 'Sandbox',
      summary: 'Set the fetch-student endpoint',
      description:
        'Says where your ERP is asked for students, and how. Replaces everything that was set before. Live, an operator ' +
        'does this with `bursar erp set`. Sandbox only.',
    },
    output: settingsReply,
    body: settingsInput,
    perform(command, { caller: { institute }, body: { url, ...wanted } }): Promise<SettingsChange> {
      if (url === undefined) throw badField('url', 'is required; null removes the settings')
      return url === null
        ? removeErpSettings(ctx, command, institute, wanted)
        : setErpSettings(ctx, command, institute, { ...wanted, url })
    },
  })
}

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

const transferInput = input({
  amount: field.positiveAmount('Rupees that are sent.', 5000),
  utr: ifSent(
    field.code("The bank's reference. One that the bank has already is told of again.", 'SBXN2026111900042'),
  ),
  remitter_name: optional(field.text('Who sends it.', 'Asha Rao'), 'Asha Rao'),
})

const transfer = outputOf<SentTransfer>()
const transferOutput = transfer.object('SandboxTransfer', {
  utr: transfer.text("The bank's reference.", 'SBXN2026111900042'),
  amount: transfer.amount('Rupees that came under it.', 5000),
  payment_id: transfer.optional.text(
    'Id of the payment that it was booked as; absent while Bursar has not been told.',
    PAYMENT_ID,
  ),
})

const summary = outputOf<SettlementSummary>()
const summaryOutput = summary.object('SandboxSettlementRun', {
  settled: summary.integer('Payments and refunds settled.', 2),
  exceptions: summary.integer('Reported items that did not match.', 0),
})

function addLinkedAccounts(app: FastifyInstance, ctx: Context): void {
  addWrite(app, ctx, {
    method: 'POST',
    url: '/api/v1/sandbox/linked_accounts',
    scope: 'orders',
    docs: {
      operationId: 'sandboxVerifyLinkedAccount',
      tag: 'Sandbox',
      summary: 'Let the bank verify a linked account',
      description:
        'Of a bank account in which parts of payments are to be settled: `verified` true or false, as the bank answers from now on. ' +
        'The console asks when somebody checks the account. Sandbox only.',
    },
    output: done,
    body: linkedInput,
    perform: (_command, { caller, body: { linkedId, verified } }) =>
      decideLinked(ctx, { instituteId: caller.institute.id, linkedId, isVerified: verified }),
  })
}

/** Only what a sandbox has: a bank that does what it is told. */
export function sandboxPaymentRoutes(app: FastifyInstance, sandbox: SandboxPayments): void {
  const { ctx } = sandbox
  addTransfer(app, sandbox)
  addLinkedAccounts(app, ctx)
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

function addTransfer(app: FastifyInstance, sandbox: SandboxPayments): void {
  addWrite(app, sandbox.ctx, {
    method: 'POST',
    url: '/api/v1/sandbox/pay/students/:service_student_id/virtual_account/transfers',
    scope: 'orders',
    docs: {
      operationId: 'sandboxTransfer',
      tag: 'Sandbox',
      summary: "Transfer money to a student's account number",
      description:
        'As a family does at its own bank. Amounts ending in .93 are told of twice, those ending in .94 not before they are paid ' +
        'out. 404 when the student has no account number. Sandbox only.',
      errors: [404],
    },
    output: one(transferOutput),
    params: studentParams,
    body: transferInput,
    perform: (_command, { caller, params: { studentId }, body }) =>
      transferToStudent(
        sandbox,
        { instituteId: caller.institute.id, studentId },
        { ...body, utr: body.utr ?? null },
      ),
  })
}

/** Exists in a sandbox only: one click, no password. */
export function demoSignInRoutes(app: FastifyInstance, ctx: Context): void {
  addOpenWrite(app, ctx, {
    method: 'POST',
    url: '/session/demo',
    body: emailInput,
    async perform(_command, { body, ...visit }) {
      giveCookie(ctx, visit, await signInAsDemo(ctx, body.email, signInRequestOf(ctx, visit)))
    },
  })
}
