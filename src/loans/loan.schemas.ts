import { createHmac, timingSafeEqual } from 'node:crypto'
import { field, ifSent, input, optional, query } from '../http/wire/input.ts'
import { outputOf } from '../http/wire/output.ts'
import type { Institute } from '../institutes/institutes.rules.ts'
import type { LoanContext } from './context.ts'
import type { Offer } from './lender-port.ts'
import {
  type Application,
  canEnd,
  type Emi,
  LOAN_STATES,
  type LoanFile,
  type Tranche,
} from './loans.rules.ts'
import type { Vault } from '../platform/secrets.ts'

const LENGTH = 27

/**
 * Makes the secret part of the address of an application's page, which only the family has. The id alone stands in events,
 * lists and the lender's messages; who has only that can neither consent to anything nor accept an offer.
 */
export function pageKey(vault: Vault, applicationId: string): string {
  const mac = createHmac('sha256', vault.deriveKey('pages of loan applications')).update(applicationId)
  return mac.digest('base64url').slice(0, LENGTH)
}

export function isPageKey(vault: Vault, applicationId: string, sent: string | undefined): boolean {
  const [given, wanted] = [Buffer.from(sent ?? ''), Buffer.from(pageKey(vault, applicationId))]
  return given.length === wanted.length && timingSafeEqual(given, wanted)
}

/** What the routes of Cred take. */
export const LOAN_ID = 'loan_01k9zq4m0ve8sbn6yt2hw3c5da'

export const applicationParams = input({
  application_id: field.resourceId('Id of the application.', LOAN_ID),
})

export const lenderParams = input({ lender: field.resourceId('Code of the lender.', 'vidya-finance') })

export const applicationInput = input({
  amount: ifSent(field.positiveAmount('Rupees, within what is outstanding; all of that when absent.', 60000)),
})

const paging = { limit: field.pageSize(), cursor: field.cursor(LOAN_ID) }

export const pageQuery = query(paging)

export const listApplicationsQuery = query({
  ...paging,
  status: optional(field.oneOf(LOAN_STATES, 'Only in this state.')),
  collector_code: optional(
    field.code('Only of this branch; not compared when the institute has one branch.', 'MAIN'),
  ),
  created_from: optional(field.rangeStart('Started at or after; a bare day begins at midnight in India.')),
  created_to: optional(
    field.rangeEnd('Started before this moment, or up to the end of this day in India.'),
  ).as('createdBefore'),
})

/** Loan applications as the API answers them; disbursements and EMIs as events carry them too. */
const tranche = outputOf<Tranche>()
const trancheFields = {
  id: tranche.text('Disbursement id.', 'disb_01k9zq4m0ve8sbn6yt2hw3c5da'),
  date: tranche.day('When it is planned or was made.', '2026-11-15', one => one.plannedOn),
  amount: tranche.amount('Rupees.', 60000),
  disbursed_amount: tranche.optional.amount('Rupees that came.', 60000, one => one.disbursedPaise),
  is_disbursed: tranche.flag('Whether it reached the institute.', true, one => one.state === 'disbursed'),
  settlement_utr: tranche.optional.text('Bank reference.', 'HDFCR52026111500077'),
}
export const disbursementBlock = tranche.object('DisbursementBlock', trancheFields)

const sent = outputOf<Tranche & { paymentId: string | undefined }>()
export const disbursementFields = {
  ...trancheFields,
  status: sent.oneOf(
    ['planned', 'paid_out', 'received', 'disbursed', 'failed'],
    'planned; paid_out when the lender has sent it; received when it is at the payment provider; disbursed when it reached ' +
      "the institute; failed when the lender's transfer did not arrive.",
    one => one.state,
    'disbursed',
  ),
  payment_id: sent.optional.text(
    'Id of its payment; absent while planned.',
    'pay_01k9zq4m0ve8sbn6yt2hw3c5da',
  ),
  failure: sent.optional.text(
    'Why the transfer failed; present only then.',
    'The account did not accept the transfer.',
  ),
}
export const disbursementOutput = sent.object('Disbursement', disbursementFields, 'A tranche of the loan.')

/** What the disbursements of a loan are answered from. */
export function toDisbursements({ tranches, payOuts }: Pick<LoanFile, 'tranches' | 'payOuts'>) {
  return tranches.map(one => ({
    ...one,
    paymentId: payOuts.findLast(({ trancheId }) => trancheId === one.id)?.paymentId,
  }))
}

const emi = outputOf<Emi>()
export const emiOutput = emi.object('Emi', {
  id: emi.text('Id of the EMI.', 'pay_01k9zq4m0ve8sbn6yt2hw3c5da'),
  due_date: emi.day('When it was due.', '2026-11-15', one => one.dueOn),
  paid_at: emi.moment('When it left the borrower.', '2026-11-15T04:32:10.000Z'),
  amount: emi.amount('Rupees, paid to the lender.', 10000),
})

/** What the application's page address is made of. */
type LoanPageParts = { ctx: Pick<LoanContext, 'publicUrl' | 'vault'>; institute: Institute }

/** The application's page, for the family alone: this address is enough to act for them. */
function applicationUrl({ ctx, institute }: LoanPageParts, id: string): string {
  return `${ctx.publicUrl}/cred/${institute.code}/${id}?key=${pageKey(ctx.vault, id)}`
}

const out = outputOf<Application, LoanPageParts>()
const redirectUrl = (description: string) =>
  out.text(
    description,
    `https://pay.example.in/cred/demo-school/${LOAN_ID}?key=q1w2e3r4t5y6u7i8o9p0a1s2d3f`,
    ({ id }, at) => applicationUrl(at, id),
  )

export const createdApplicationOutput = out.object('CreatedLoanApplication', {
  application_id: out.text('The id to read it by.', LOAN_ID, ({ id }) => id),
  redirect_url: redirectUrl("Send the parent's browser here; it leads on to the lender."),
})

const offered = outputOf<Offer>()
export const offerOutput = offered.object({
  id: offered.text("The lender's id of the offer.", 'OFF-2207', ({ ref }) => ref),
  yearly_rate_percent: offered.number('Interest a year.', 12.5),
  months: offered.integer('Number of EMIs.', 12),
  emi: offered.amount('Rupees a month.', 5345.2),
  fees: offered.amount('Rupees of processing and other charges in all.', 590),
  terms_url: offered.optional.text(
    "The lender's key facts statement.",
    'https://apply.example.com/kfs/OFF-2207.pdf',
  ),
})

const applicationFields = {
  application_id: out.text('Id of the application.', LOAN_ID, ({ id }) => id),
  service_student_id: out.text(
    'Whose fees the loan pays.',
    'student_01k9zq4m0ve8sbn6yt2hw3c5da',
    ({ studentId }) => studentId,
  ),
  status: out.oneOf(
    LOAN_STATES,
    'started until the parent has filled the form in, filled until the lender decides, final_approved until the agreement is ' +
      'signed, agreement_signed while money is to come, disbursed when all of it reached the institute; rejected, canceled ' +
      'and expired are ends.',
    ({ state }) => state,
    'disbursed',
  ),
  amount: out.amount(
    'Rupees: what was asked for, then what the lender approved, then what was signed.',
    60000,
  ),
  requested_amount: out.amount('Rupees that were asked for.', 60000, ({ askedPaise }) => askedPaise),
  lender: out.text('Name of the lender.', 'Sandbox Lender', ({ lenderTitle }) => lenderTitle),
  reason: out.optional.text(
    'Why the lender rejected it; can be shown to people. Absent otherwise.',
    'The income could not be verified.',
  ),
  offer: out.optional.one(
    "The lender's offer; absent until approved, and if the borrower sees it on the lender's own pages.",
    offerOutput,
  ),
  offer_accepted_at: out.optional.moment(
    'When the borrower accepted the offer; absent until then.',
    '2026-11-17T08:00:00.000Z',
    ({ acceptedAt }) => acceptedAt,
  ),
  redirect_url: redirectUrl('The page on which the parent goes on, and sees how it stands.'),
  created_at: out.moment('When it was started.', '2026-11-15T04:32:10.000Z'),
  filled_at: out.optional.moment(
    'When the form was filled in; absent until then.',
    '2026-11-15T04:40:00.000Z',
  ),
  approved_at: out.optional.moment(
    "The lender's final approval; absent until then.",
    '2026-11-17T06:00:00.000Z',
  ),
  agreement_signed_at: out.optional.moment(
    'When the loan was taken; absent until then.',
    '2026-11-18T09:15:00.000Z',
    ({ signedAt }) => signedAt,
  ),
  ended_at: out.optional.moment(
    'When it was rejected, canceled, expired or all disbursed; absent until then.',
    '2026-11-21T05:30:00.000Z',
  ),
  expires_at: out.optional.moment(
    'When it lapses unless the agreement is signed; absent once it cannot.',
    '2026-12-15T04:32:10.000Z',
    ({ state, expiresAt }) => (canEnd(state) ? expiresAt : null),
  ),
}
export const applicationOutput = out.object('LoanApplication', applicationFields)

type WholeApplication = Application & Omit<LoanFile, 'application'>
const whole = outputOf<WholeApplication, LoanPageParts>()
export const wholeApplicationOutput = whole.object('LoanApplicationDetail', {
  ...applicationFields,
  disbursements: whole.list('The tranches; none before the agreement.', disbursementOutput, toDisbursements),
  emis: whole.list('What the borrower has paid back, oldest first.', emiOutput),
})

export function toWhole({ application, ...file }: LoanFile): WholeApplication {
  return { ...application, ...file }
}
