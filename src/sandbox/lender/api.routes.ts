import type { FastifyInstance } from 'fastify'
import { applicationParams, toWhole, wholeApplicationOutput } from '../../loans/loan.schemas.ts'
import type { LenderAct } from './simulator.rules.ts'
import { addWrite } from '../../http/endpoint.ts'
import { from, one } from '../../http/reply.ts'
import type { Caller } from '../../institutes/institutes.rules.ts'
import { field, ifSent, input, type Input } from '../../http/wire/input.ts'
import { actOnApplication, type SandboxLoans } from './lender.service.ts'

const MAX_TRANCHES = 60

const nothing = input({})

const approveInput = input({
  amount: ifSent(field.positiveAmount('Rupees; all that was asked for when absent.', 60000)),
})

const rejectInput = input({
  reason: ifSent(field.text('Why, as the lender says it to people.', 'The income could not be verified.')),
})

const trancheInput = input({
  date: field.day('When it is planned.', '2026-12-01').as('plannedOn'),
  amount: field.positiveAmount('Rupees.', 60000),
})

const signInput = input({
  tranches: ifSent(
    field.list(
      'How it is paid out; together what was approved. One tranche of all of it when absent.',
      trancheInput,
      { min: 1, max: MAX_TRANCHES },
    ),
  ),
})

const disburseInput = input({
  amount: ifSent(
    field.positiveAmount(
      'Rupees, at most the next tranche; less leaves a tranche of the rest. All of it when absent.',
      30000,
    ),
  ),
  date: ifSent(field.day('Of the pay-out; today when absent.', '2026-12-01')).as('day'),
})

const emiInput = input({
  amount: ifSent(field.positiveAmount('Rupees; the EMI at 12 % a year over 12 months when absent.', 5330.93)),
})

/** Only what a sandbox has: the acts of the borrower and the lender of an application. */
export function sandboxLoanRoutes(app: FastifyInstance, sandbox: SandboxLoans): void {
  const add = <Kind extends LenderAct['kind']>(
    kind: Kind,
    body: Input<Omit<Extract<LenderAct, { kind: Kind }>, 'kind'>>,
    about: { operationId: string; summary: string; description: string },
  ): void =>
    addWrite(app, sandbox.ctx, {
      method: 'POST',
      url: `/api/v1/sandbox/loans/:application_id/${kind}`,
      scope: 'students',
      docs: {
        operationId: about.operationId,
        tag: 'Sandbox',
        summary: about.summary,
        description: `${about.description} Sandbox only.`,
        errors: [404],
      },
      output: from(
        one(wholeApplicationOutput, ({ institute }: Caller) => ({ ctx: sandbox.ctx, institute })),
        toWhole,
      ),
      params: applicationParams,
      body,
      perform: (_command, { caller: { institute }, params, body: sent }) =>
        actOnApplication(sandbox, { institute, ...params }, { kind, ...sent } as LenderAct),
    })

  add('fill', nothing, {
    operationId: 'sandboxFillApplication',
    summary: 'Fill an application in',
    description: "Does what the borrower does on the lender's page. 409 when it is filled in already.",
  })
  add('approve', approveInput, {
    operationId: 'sandboxApproveApplication',
    summary: 'Approve an application',
    description: "The lender's final approval. 409 unless it is filled in.",
  })
  add('reject', rejectInput, {
    operationId: 'sandboxRejectApplication',
    summary: 'Reject an application',
    description: 'The lender says no. 409 once it is approved or over.',
  })
  add('sign', signInput, {
    operationId: 'sandboxSignAgreement',
    summary: 'Sign the agreement',
    description: 'The borrower takes the loan. 409 unless it is approved.',
  })
  add('disburse', disburseInput, {
    operationId: 'sandboxDisburseLoan',
    summary: 'Disburse a tranche',
    description:
      'The lender transfers the next tranche, or a part of it, to the sandbox bank. It is disbursed when it is settled: move ' +
      'the clock, or run settlements. 409 unless the agreement is signed and something is left.',
  })
  add('emi', emiInput, {
    operationId: 'sandboxDebitEmi',
    summary: 'Debit an EMI',
    description: 'The borrower pays the lender back. 409 before the first tranche is paid out.',
  })
  add('expire', nothing, {
    operationId: 'sandboxExpireApplication',
    summary: 'Let an application lapse',
    description: 'Nobody went on with it in time. 409 once it is signed or over.',
  })
  add('cancel', nothing, {
    operationId: 'sandboxCancelApplication',
    summary: 'Cancel an application at the lender',
    description: 'The borrower withdraws it. 409 once something is paid out, or it is over.',
  })
}
