import type { FastifyInstance } from 'fastify'
import { Type, type Static } from 'typebox'
import { addWrite } from '../http/endpoint.ts'
import { ok } from '../http/envelope.ts'
import { field, shown } from '../http/wire/fields.ts'
import type { EndpointDocs } from '../http/openapi/openapi.ts'
import type { DebitAct } from './bank/mandates.rules.ts'
import { badField } from '../platform/errors.ts'
import {
  authorisePlan,
  decideInstalment,
  type Authorised,
  type DecidedInstalment,
  type SandboxPlans,
} from './flex.service.ts'

const PlanParams = Type.Object({ plan_id: field.resourceId({ description: 'Id of the plan.' }) })
const InstalmentParams = Type.Object({
  instalment_id: field.resourceId({ description: 'Id of the instalment.' }),
})

const AuthoriseBody = Type.Object({
  outcome: Type.Optional(
    field.oneOf(['success', 'failure'], { description: 'What the payer does; success when absent.' }),
  ),
  rail: Type.Optional(
    field.oneOf(['upi_autopay', 'enach'], {
      description:
        'How the payer chooses to be debited, if that has not been chosen on the page; UPI Autopay when absent and possible.',
    }),
  ),
})

const OutcomeBody = Type.Object({
  outcome: Type.Optional(field.oneOf(['debited', 'bounced'], { description: 'What the bank makes of it.' })),
  debited: Type.Optional(field.flag({ description: 'true is short for `outcome: debited`.' })),
  bounced: Type.Optional(field.flag({ description: 'true is short for `outcome: bounced`.' })),
  code: Type.Optional(
    field.code({
      description: 'Return code of a bounce; 04 (UPI: Z9), not enough money, when absent.',
      examples: ['04'],
    }),
  ),
})

const AuthorisedView = Type.Object({
  plan_id: shown.text({ description: 'Id of the plan.' }),
  status: shown.oneOf(['open', 'authorised', 'active', 'rejected', 'cancelled'], {
    description:
      "The mandate at the bank. eNACH: confirmed on the next working day at 10:00 of the sandbox's clock.",
  }),
})

const DebitView = Type.Object({
  instalment_id: shown.text({ description: 'Id of the instalment.' }),
  payment_id: shown.text({ description: 'Id of the payment of this presentation.' }),
  status: shown.oneOf(['created', 'pending', 'captured', 'failed'], {
    description: 'State of that payment now; it stays captured when the bank takes it back later.',
  }),
})

/** Only what a sandbox has: the payer and the bank of a plan, told what to do. */
export function sandboxFlexRoutes(app: FastifyInstance, sandbox: SandboxPlans): void {
  const { ctx } = sandbox
  addWrite(app, ctx, {
    method: 'POST',
    url: '/api/v1/sandbox/flex/plans/:plan_id/authorise',
    docs: authoriseDocs,
    params: PlanParams,
    body: AuthoriseBody,
    perform: (act, { caller, params, body }) =>
      authorisePlan(
        sandbox,
        act,
        { institute: caller.institute, planId: params.plan_id },
        { outcome: body.outcome ?? 'success', rail: body.rail },
      ),
    toResponse: ({ planId, status }: Authorised) => ok({ plan_id: planId, status }),
  })
  addWrite(app, ctx, {
    method: 'POST',
    url: '/api/v1/sandbox/flex/instalments/:instalment_id/outcome',
    docs: outcomeDocs,
    params: InstalmentParams,
    body: OutcomeBody,
    perform: (act, { caller, params, body }) =>
      decideInstalment(
        sandbox,
        act,
        { institute: caller.institute, instalmentId: params.instalment_id },
        readOutcome(body),
      ),
    toResponse: ({ instalmentId, payment }: DecidedInstalment) =>
      ok({ instalment_id: instalmentId, payment_id: payment.id, status: payment.state }),
  })
}

function readOutcome({ outcome, debited, bounced, code }: Static<typeof OutcomeBody>): DebitAct {
  const said = new Set([outcome, debited === true && 'debited', bounced === true && 'bounced'])
  const isDebited = said.has('debited')
  if (isDebited === said.has('bounced')) throw badField('outcome', 'must be either debited or bounced')
  if (!isDebited) return { kind: 'bounced', code }
  if (code !== undefined) throw badField('code', 'belongs to a bounce only')
  return { kind: 'debited' }
}

const authoriseDocs: EndpointDocs = {
  operationId: 'sandboxAuthorisePlan',
  tag: 'Sandbox',
  summary: 'Authorise a plan',
  description:
    'Does what the payer does to set the plan up: on its page, where that has not been done (the ERP is asked, the down ' +
    'payment paid), and then at the bank. 409 when there is nothing to set up, or the ERP is against it. Sandbox only.',
  errors: [404],
  answers: {
    200: {
      description: 'As the bank has it now.',
      data: AuthorisedView,
      example: {
        status: 'success',
        data: { plan_id: 'plan_1k092c8gpz8wezh4es8gqprf85', status: 'authorised' },
      },
    },
  },
  exampleBody: { outcome: 'success' },
}

const outcomeDocs: EndpointDocs = {
  operationId: 'sandboxInstalmentOutcome',
  tag: 'Sandbox',
  summary: 'Let the bank decide about an instalment',
  description:
    'One that was presented ends so at once. One that was debited can be `bounced`: the bank takes it back late. 409 ' +
    'when it is not at the bank: move the clock to its day first. Sandbox only.',
  errors: [404],
  answers: {
    200: {
      description: 'Decided.',
      data: DebitView,
      example: {
        status: 'success',
        data: {
          instalment_id: 'inst_1k092c8gpz8wezh4es8gqprf85',
          payment_id: 'pay_1k092c8gpz8wezh4es8gqprf85',
          status: 'failed',
        },
      },
    },
  },
  exampleBody: { outcome: 'bounced', code: '04' },
}
