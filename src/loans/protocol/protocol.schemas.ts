import { field, ifSent, input, optional, type Read } from '../../http/wire/input.ts'
import { badField } from '../../platform/errors.ts'
import { assertNever } from '../../platform/assert.ts'
import { dayOf } from '../../platform/calendar.ts'
import { sumPaise } from '../../platform/money.ts'
import { assertNear, assertUtr, MAX_TRANCHES } from '../loans.rules.ts'
import type { LenderUpdate, LoanReport, Acceptance, AtLender, LoanRequest } from '../lender-port.ts'
import { outputOf } from '../../http/wire/output.ts'

/** What a lender answers and reports to Bursar. */
const LOAN_ID = 'loan_01k9zq4m0ve8sbn6yt2hw3c5da'
const MAX_UPDATES = 1_000
const RATE_IN_BP = [0, 10_000] as const

export const startedAnswer = input({
  lender_ref: field.text('Your id of the application.', 'VF-100234', 128),
  redirect_url: field.url(
    'Your page where the borrower goes on. Answer `return_url` if you have none.',
    'https://apply.example.com/a/VF-100234',
  ),
})

const reference = (description: string, example: string) => field.text(description, example, 64)

const offer = input({
  id: reference('Your id of the offer.', 'OFF-2207').as('ref'),
  yearly_rate_bp: field.wholeNumber('Interest a year in hundredths of a percent.', 1250, RATE_IN_BP),
  months: field.wholeNumber('Number of EMIs.', 12, [1, 120]),
  emi: field.positiveAmount('Rupees a month.', 5345.2),
  fees: optional(field.amount('Rupees of processing and other charges in all.', 590)),
  terms_url: optional(field.url('Your key facts statement.', 'https://apply.example.com/kfs/OFF-2207.pdf')),
})

const tranche = input({
  id: reference('Your id of the tranche, unique within the loan.', 'T1').as('ref'),
  date: field.day('When it is planned.', '2026-12-01').as('plannedOn'),
  amount: field.positiveAmount('Rupees.', 60000),
})

const disbursement = input({
  number: field.wholeNumber('Counts the transfers of this loan from 1, without a gap.', 1, [1, 10_000]),
  tranche_id: reference('The tranche that it pays.', 'T1').as('trancheRef'),
  date: field.day('Day of the transfer.', '2026-12-01').as('day'),
  amount: field.positiveAmount('Rupees transferred.', 60000),
  utr: field.text('Bank reference of the transfer.', 'HDFCR52026120100077', 64).as('reference'),
  rest: ifSent(field.object('What you will still pay of this tranche, as a new tranche.', tranche)),
})

const emi = input({
  id: reference('Your id of the EMI, unique within the loan.', 'E1').as('ref'),
  due_date: field.day('When it was due.', '2027-01-05').as('dueOn'),
  amount: field.positiveAmount('Rupees.', 5345.2),
})

const UPDATE_KINDS = [
  'filled',
  'approved',
  'rejected',
  'sanctioned',
  'disbursed',
  'emi_paid',
  'canceled',
  'expired',
] as const

const update = input({
  kind: field.oneOf(UPDATE_KINDS, 'What happened. The fields below that it needs are named in its text.'),
  at: field.moment('When it happened.', '2026-11-17T06:00:00.000Z'),
  amount: optional(field.positiveAmount('approved: rupees that you lend.', 60000)),
  offer: optional(
    field.object(
      'approved: the offer, if the borrower is to accept it on the page of Bursar; absent if on yours.',
      offer,
    ),
  ),
  reason: optional(
    field.text('rejected: why, in words for the family.', 'The income could not be verified.'),
  ),
  tranches: optional(
    field.list('sanctioned: how you pay out; together what is lent.', tranche, { min: 1, max: MAX_TRANCHES }),
  ),
  disbursement: optional(field.object('disbursed: the transfer.', disbursement)),
  emi: optional(field.object('emi_paid: the EMI.', emi)),
})

export const updateMessage = input({
  type: field.oneOf(['application.updated'], 'Of this message.'),
  application_id: field.resourceId('The application.', LOAN_ID),
  lender_ref: field.text('Your id of the application.', 'VF-100234', 128),
  update: field.object('What happened.', update),
})

export const historyAnswer = input({
  lender_ref: optional(
    field.text('Your id of the application; absent when you do not know it.', 'VF-100234', 128),
  ),
  updates: field.list(
    'Everything that happened, oldest first; empty when you do not know the application.',
    update,
    { max: MAX_UPDATES },
  ),
})

type SentUpdate = Read<typeof update>

/** Refuses an update that lacks what its kind needs. */
export function toUpdate(sent: SentUpdate): LenderUpdate {
  const { kind, at } = sent
  switch (kind) {
    case 'filled':
    case 'canceled':
    case 'expired':
      return { kind, at }
    case 'approved':
      return {
        kind,
        at,
        amountPaise: need(sent.amountPaise, 'amount', kind),
        offer: sent.offer === null ? null : toOffer(sent.offer),
      }
    case 'rejected':
      return { kind, at, reason: sent.reason ?? 'The lender did not approve the loan.' }
    case 'sanctioned':
      return { kind: 'signed', at, tranches: uniqueTranches(need(sent.tranches, 'tranches', kind)) }
    case 'disbursed': {
      const { rest, ...payOut } = need(sent.disbursement, 'disbursement', kind)
      assertUtr('update.disbursement.utr', payOut.reference)
      assertNear('update.disbursement.date', payOut.day, today(), { before: 1, after: 1 })
      return { kind: 'paid_out', at, payOut: { ...payOut, rest: rest ?? null } }
    }
    case 'emi_paid':
      return { kind: 'emi_debited', at, emi: need(sent.emi, 'emi', kind) }
    default:
      return assertNever(kind)
  }
}

export function toReports(
  { instituteId, applicationId }: { instituteId: number; applicationId: string },
  { lenderRef, updates }: Read<typeof historyAnswer>,
): LoanReport[] {
  return updates.map(one => ({
    instituteId,
    applicationId,
    lenderRef: lenderRef ?? applicationId,
    update: toUpdate(one),
  }))
}

function toOffer({ yearlyRateBp, feesPaise, ...offered }: Read<typeof offer>) {
  return { ...offered, yearlyRatePercent: yearlyRateBp / 100, feesPaise: feesPaise ?? sumPaise([]) }
}

function uniqueTranches(tranches: readonly Read<typeof tranche>[]) {
  for (const [index, { plannedOn }] of tranches.entries())
    assertNear(`update.tranches.${index}.date`, plannedOn, today(), { before: 1, after: 10 })
  if (new Set(tranches.map(({ ref }) => ref)).size !== tranches.length)
    throw badField('update.tranches', 'must have ids that differ')
  return tranches
}

function today(): string {
  return dayOf(new Date())
}

function need<Value>(value: Value | null | undefined, name: string, kind: string): Value {
  if (value === null || value === undefined) throw badField(`update.${name}`, `is required for ${kind}`)
  return value
}

/** What Bursar sends to a lender. The `type` stands in the signed body, so a message is good for one operation only. */

type ApplicationRef = Pick<AtLender, 'applicationId'>
const about = outputOf<ApplicationRef>()
const applicationId = about.text('Id of the application; every message about it carries it.', LOAN_ID)

type SubmitSource = LoanRequest
const submit = outputOf<SubmitSource>()
const institute = outputOf<LoanRequest['institute']>()
const borrower = outputOf<LoanRequest['borrower']>()

export const submitOutput = submit.object({
  type: submit.oneOf(['application.submit'], 'Of this message.', () => 'application.submit'),
  application_id: applicationId,
  institute: submit.one(
    'Whose fees the loan pays.',
    institute.object({
      code: institute.text('Code of the institute.', 'green-park'),
      name: institute.text('Name of the institute.', 'Green Park School'),
    }),
  ),
  amount: submit.amount('Rupees that are asked for.', 60000),
  borrower: submit.one(
    'The parent.',
    borrower.object({
      name: borrower.text('Name.', 'Asha Rao'),
      phone: borrower.text('Phone number.', '9876543210'),
      email: borrower.text('E-mail address.', 'asha@example.in'),
    }),
  ),
  description: submit.text('What the loan is for.', 'Fees for Ravi Rao'),
  consented_at: submit.moment(
    'When the borrower consented to these data being passed on.',
    '2026-11-15T04:32:10.000Z',
  ),
  return_url: submit.text(
    "Send the borrower's browser here when your pages are done.",
    'https://pay.example.in/cred/green-park/loan_01k9zq4m0ve8sbn6yt2hw3c5da/return',
  ),
  report_url: submit.text(
    'Send your reports about this application here.',
    'https://pay.example.in/callbacks/lenders/vidya?at=green-park',
  ),
})

export const statusOutput = about.object({
  type: about.oneOf(['application.status'], 'Of this message.', () => 'application.status'),
  application_id: applicationId,
})

const ending = outputOf<ApplicationRef & { how: 'canceled' | 'expired' }>()
export const endOutput = ending.object({
  type: ending.oneOf(['application.end'], 'Of this message.', () => 'application.end'),
  application_id: applicationId,
  how: ending.oneOf(['canceled', 'expired'], 'Withdrawn by the family or institute, or lapsed.'),
})

const acceptance = outputOf<ApplicationRef & Acceptance>()
export const acceptOutput = acceptance.object({
  type: acceptance.oneOf(['offer.accept'], 'Of this message.', () => 'offer.accept'),
  application_id: applicationId,
  offer_id: acceptance.text('Id of the offer.', 'OFF-2207', ({ offerRef }) => offerRef),
  accepted_at: acceptance.moment(
    'When the borrower accepted it on the page of Bursar.',
    '2026-11-17T06:00:00.000Z',
  ),
})

const nothing = outputOf<object>()
export const pingOutput = nothing.object({
  type: nothing.oneOf(['ping'], 'Of this message.', () => 'ping'),
})
