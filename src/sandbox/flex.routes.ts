import type { FastifyInstance } from 'fastify'
import { planParams } from '../flex/plans/plan.schemas.ts'
import { addWrite } from '../http/endpoint.ts'
import { one, answer, ok, type Reply } from '../http/reply.ts'
import { field, ifSent, input, optional, type Read, nameComponent } from '../http/wire/input.ts'
import { outputOf } from '../http/wire/output.ts'
import { badField } from '../platform/errors.ts'
import type { DebitAct } from './bank/mandates.rules.ts'
import {
  authorisePlan,
  changeMandate,
  decideInstalment,
  type ActedMandate,
  type Authorised,
  type DecidedInstalment,
  type SandboxPlans,
} from './flex.service.ts'
import { objectSchema, type JsonSchema } from '../platform/json.rules.ts'
import { settingsInput, settingsOutput } from '../erp/settings/settings.schemas.ts'
import { removeErpSettings, setErpSettings, type SettingsChange } from '../erp/settings/settings.service.ts'
import type { Context } from '../platform/context.ts'

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
})

const outcomeInput = input({
  outcome: ifSent(field.oneOf(['debited', 'bounced'], 'What the bank makes of it.', 'bounced')),
  debited: optional(field.flag('true is short for `outcome: debited`.', false), false),
  bounced: optional(field.flag('true is short for `outcome: bounced`.', true), false),
  code: ifSent(field.code('Return code of a bounce; 04 (UPI: Z9), not enough money, when absent.', '04')),
})

const authorised = outputOf<Authorised>()
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
