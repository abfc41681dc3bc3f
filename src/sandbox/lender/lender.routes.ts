import type { FastifyInstance, FastifyRequest } from 'fastify'
import { getInstitutesById } from '../../institutes/institutes.service.ts'
import { BursarError } from '../../platform/errors.ts'
import { isIdShaped } from '../../platform/ids.ts'
import { formField, sendPage, sendWrongLink } from '../../portal/layout.ts'
import { actAtLender, type SandboxLoans } from './lender.service.ts'
import { emiOf } from '../../loans/loans.rules.ts'
import { SANDBOX_TERMS, type LenderAct, type LenderLoan } from './simulator.rules.ts'
import { formatRupees, paiseOf, subtractPaise } from '../../platform/money.ts'

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
    // What the borrower did leads on, or back; what the lender decides is seen here first.
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
