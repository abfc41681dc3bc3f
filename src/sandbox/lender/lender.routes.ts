import type { FastifyInstance, FastifyRequest } from 'fastify'
import { getInstitutesById } from '../../institutes/institutes.service.ts'
import { BursarError } from '../../platform/errors.ts'
import { isIdShaped } from '../../platform/ids.ts'
import { formField, sendPage, sendWrongLink } from '../../portal/layout.ts'
import { actAtLender, type SandboxLoans, actOnApplication } from './lender.service.ts'
import { emiOf, MAX_TRANCHES } from '../../loans/loans.rules.ts'
import { SANDBOX_TERMS, type LenderAct, type LenderLoan } from './simulator.rules.ts'
import { formatRupees, paiseOf, subtractPaise } from '../../platform/money.ts'
import { applicationParams, toWhole, wholeApplicationOutput } from '../../loans/loan.schemas.ts'
import { addWrite } from '../../http/endpoint.ts'
import { from, one } from '../../http/reply.ts'
import type { Caller } from '../../institutes/institutes.rules.ts'
import { field, ifSent, input, type Input } from '../../http/wire/input.ts'

const URL_PATH = '/sandbox/lender/:institute_id/:ref'

/** The sandbox lender's own pages, where a person plays the borrower and the lender at once. */
export function lenderPages(app: FastifyInstance, sandbox: SandboxLoans): void {
  const { ctx, lender } = sandbox
  const find = async (request: FastifyRequest) => {
    const { institute_id: id, ref } = request.params as { institute_id: string; ref: string }
    return /^\d{1,9}$/.test(id) && isIdShaped(ref) ? lender.find(Number(id), { ref }) : null
  }

  app.get(URL_PATH, async (request, reply) => {
    const loan = await find(request)
    if (loan === null) return sendWrongLink(request, reply)
    const [institute] = await getInstitutesById(ctx, [loan.instituteId])
    return sendPage(reply, {
      template: 'lender',
      title: 'Sandbox lender',
      language: 'en',
      hasSwitch: false,
      data: describeLenderPage(loan, institute?.name ?? ''),
    })
  })

  app.post(URL_PATH, async (request, reply) => {
    const loan = await find(request)
    const act = lenderActOf(formField(request, 'act'))
    if (loan === null || act === undefined) return sendWrongLink(request, reply)
    try {
      await actAtLender(sandbox, loan, act)
    } catch (error) {
      // Done already, in another tab or by a second click: the way on is the same.
      if (!(error instanceof BursarError && error.code === 'HUE00002')) throw error
    }
    // An act of the borrower leads back to the page that sent them here; one of the lender shows this page again.
    const isBorrowers = act.kind === 'sign' || act.kind === 'cancel'
    return reply.redirect(isBorrowers ? loan.returnUrl : request.url, 303)
  })
}

/** What the sandbox lender's page of a loan shows, and what its buttons ask of the lender. */
const BUTTONS: ReadonlyMap<string, LenderAct> = new Map([
  ['fill', { kind: 'fill' }],
  ['approve', { kind: 'approve' }],
  ['reject', { kind: 'reject' }],
  ['sign', { kind: 'sign' }],
  ['cancel', { kind: 'cancel' }],
])

const STATES: Record<LenderLoan['state'], string | undefined> = {
  open: undefined,
  filled: 'Your form is here, and the lender decides about it.',
  approved: undefined,
  rejected: 'The lender did not approve this loan. Nothing is owed.',
  signed: 'You have signed the agreement. The lender pays the institute, and you pay the lender back.',
  canceled: 'This application was withdrawn. Nothing is owed.',
  expired: 'This application has lapsed. Nothing is owed.',
}

function lenderActOf(text: string | undefined): LenderAct | undefined {
  return BUTTONS.get(text ?? '')
}

function describeLenderPage(loan: LenderLoan, institute: string): Record<string, unknown> {
  const { state, borrower, askedPaise, approvedPaise } = loan
  const amountPaise = approvedPaise ?? askedPaise
  const emiPaise = emiOf(amountPaise, SANDBOX_TERMS)
  const totalPaise = paiseOf(emiPaise * SANDBOX_TERMS.months)
  return {
    heading: state === 'approved' ? 'Your offer' : 'Education loan',
    amount: formatRupees(amountPaise),
    institute,
    description: loan.description,
    borrower,
    state,
    stateText: STATES[state],
    offer: [
      { label: 'Interest a year', value: `${SANDBOX_TERMS.yearlyRatePercent} %` },
      { label: 'Paid back in', value: `${SANDBOX_TERMS.months} months` },
      { label: 'EMI', value: formatRupees(emiPaise) },
      { label: 'Interest in all', value: formatRupees(subtractPaise(totalPaise, amountPaise)) },
      { label: 'Other charges', value: 'none' },
      { label: 'You pay back in all', value: formatRupees(totalPaise) },
    ],
    returnUrl: loan.returnUrl,
    reference: loan.ref,
  }
}

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
