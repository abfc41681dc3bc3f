import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { WHOLE_EXAMPLE } from '../../loans/loans.docs.ts'
import { ApplicationParams, WholeApplicationView } from '../../loans/loans.schemas.ts'
import { wholeApplicationView } from '../../loans/loan-view.ts'
import type { LenderAct } from './simulator.rules.ts'
import { addWrite } from '../../http/endpoint.ts'
import { ok } from '../../http/envelope.ts'
import { field } from '../../http/wire/fields.ts'
import type { EndpointDocs } from '../../http/openapi/openapi.ts'
import type { Readable, SentBy } from '../../http/wire/readable.ts'
import type { Paise } from '../../platform/money.ts'
import { actOnApplication, type OwnedLoan, type SandboxLoans } from './lender.service.ts'

const MAX_TRANCHES = 60

const Nothing = Type.Object({})

const ApproveBody = Type.Object({
  amount: Type.Optional(
    field.positiveAmount({ description: 'Rupees; all that was asked for when absent.', examples: [60000] }),
  ),
})

const RejectBody = Type.Object({
  reason: Type.Optional(field.text({ description: 'Why, as the lender says it to people.' })),
})

const SignBody = Type.Object({
  tranches: Type.Optional(
    Type.Array(
      Type.Object({
        date: field.day({ description: 'When it is planned.', examples: ['2026-12-01'] }),
        amount: field.positiveAmount({ description: 'Rupees.', examples: [30000] }),
      }),
      {
        minItems: 1,
        maxItems: MAX_TRANCHES,
        description: 'How it is paid out; together what was approved. One tranche of all of it when absent.',
      },
    ),
  ),
})

const DisburseBody = Type.Object({
  amount: Type.Optional(
    field.positiveAmount({
      description:
        'Rupees, at most the next tranche; less leaves a tranche of the rest. All of it when absent.',
      examples: [30000],
    }),
  ),
  date: Type.Optional(field.day({ description: 'Of the pay-out; today when absent.' })),
})

const EmiBody = Type.Object({
  amount: Type.Optional(
    field.positiveAmount({ description: 'Rupees; the EMI at 12 % a year over 12 months when absent.' }),
  ),
})

/** Only what a sandbox has: the borrower and the lender of an application, told what to do. */
export function sandboxLoanRoutes(app: FastifyInstance, sandbox: SandboxLoans): void {
  const add = <Body extends Readable>(
    verb: LenderAct['kind'],
    body: Body,
    toAct: (body: SentBy<Body>) => LenderAct,
    about: { summary: string; description: string; exampleBody?: unknown },
  ): void =>
    addWrite(app, sandbox.ctx, {
      method: 'POST',
      url: `/api/v1/sandbox/loans/:application_id/${verb}`,
      docs: docsOf(verb, about),
      params: ApplicationParams,
      body,
      perform: (act, { caller: { institute }, params, body: sent }) =>
        actOnApplication(sandbox, act, { institute, applicationId: params.application_id }, toAct(sent)),
      toResponse: ({ file, institute }: OwnedLoan) => ok(wholeApplicationView(sandbox.ctx, institute, file)),
    })

  add('fill', Nothing, () => ({ kind: 'fill' }), {
    summary: 'Fill an application in',
    description: "Does what the borrower does on the lender's page. 409 when it is filled in already.",
  })
  add('approve', ApproveBody, ({ amount }) => ({ kind: 'approve', amountPaise: amount }), {
    summary: 'Approve an application',
    description: "The lender's final approval. 409 unless it is filled in.",
    exampleBody: { amount: 60000 },
  })
  add('reject', RejectBody, ({ reason }) => ({ kind: 'reject', reason }), {
    summary: 'Reject an application',
    description: 'The lender says no. 409 once it is approved or over.',
    exampleBody: { reason: 'The income could not be verified.' },
  })
  add('sign', SignBody, ({ tranches }) => ({ kind: 'sign', tranches: tranches?.map(toPlanned) }), {
    summary: 'Sign the agreement',
    description: 'The borrower takes the loan. 409 unless it is approved.',
    exampleBody: {
      tranches: [
        { date: '2026-12-01', amount: 30000 },
        { date: '2027-06-01', amount: 30000 },
      ],
    },
  })
  add(
    'disburse',
    DisburseBody,
    ({ amount, date }) => ({ kind: 'disburse', amountPaise: amount, day: date }),
    {
      summary: 'Disburse a tranche',
      description:
        'The lender transfers the next tranche, or a part of it, to the sandbox bank. It is disbursed when it is settled: move ' +
        'the clock, or run settlements. 409 unless the agreement is signed and something is left.',
      exampleBody: { amount: 30000 },
    },
  )
  add('emi', EmiBody, ({ amount }) => ({ kind: 'emi', amountPaise: amount }), {
    summary: 'Debit an EMI',
    description: 'The borrower pays the lender back. 409 before the first tranche is paid out.',
    exampleBody: { amount: 5330.93 },
  })
  add('expire', Nothing, () => ({ kind: 'expire' }), {
    summary: 'Let an application lapse',
    description: 'Nobody went on with it in time. 409 once it is signed or over.',
  })
  add('cancel', Nothing, () => ({ kind: 'cancel' }), {
    summary: 'Cancel an application at the lender',
    description: 'The borrower withdraws it. 409 once something is paid out, or it is over.',
  })
}

function toPlanned({ date, amount }: { date: string; amount: Paise }) {
  return { plannedOn: date, amountPaise: amount }
}

function docsOf(
  verb: string,
  { summary, description, exampleBody }: { summary: string; description: string; exampleBody?: unknown },
): EndpointDocs {
  return {
    operationId: `sandboxLoan_${verb}`,
    tag: 'Sandbox',
    summary,
    description: `${description} Sandbox only.`,
    errors: [404],
    answers: {
      200: {
        description: 'The application as it is then.',
        data: WholeApplicationView,
        example: { status: 'success', data: WHOLE_EXAMPLE },
      },
    },
    exampleBody: exampleBody ?? {},
  }
}
