import { loanList } from './loan.list.ts'
import type { LoanDetail } from './loans.service.ts'
import { field, input, optional, query } from '../../http/wire/input.ts'
import { outputOf, type Shown } from '../../http/wire/output.ts'
import { bankAccountOutput } from '../../institutes/school/school.schemas.ts'
import { DESK_ACTS, deskActs, MOST_LETTERS, WAITED_FOR, waitsFor } from '../../loans/desk/desk.rules.ts'
import type { Letter, LetterVersion } from '../../loans/desk/desk.service.ts'
import {
  disbursementFields,
  emiOutput,
  LOAN_ID,
  offerOutput,
  toDisbursements,
} from '../../loans/loan.schemas.ts'
import { canEnd, isOver, MAX_TRANCHES, type RecordedPayOut } from '../../loans/loans.rules.ts'

export const loanParams = input({ application_id: field.resourceId('Id of the application.', LOAN_ID) })

/** What the people of a lender record. */
export const approveInput = input({
  amount: field.positiveAmount('Rupees that the lender lends, at most what was asked for.', 60000),
  yearly_rate_bp: field.wholeNumber('Interest a year in hundredths of a percent.', 1250, [0, 10_000]),
  months: field.wholeNumber('Number of EMIs.', 12, [1, 120]),
  emi: field.positiveAmount('Rupees a month.', 5345.2),
  fees: field.amount('Rupees of processing and other charges in all.', 590),
})

export const rejectInput = input({
  reason: field.text('Why, in words for the family.', 'The income could not be verified.'),
})

export const cancelInput = input({ reason: field.text('Why.', 'The family takes no loan any more.') })

export const sanctionInput = input({
  tranches: field.list(
    'How it is paid out; together what was approved.',
    input({
      date: field.day('When it is planned.', '2026-12-01').as('plannedOn'),
      amount: field.positiveAmount('Rupees.', 60000),
    }),
    { min: 1, max: MAX_TRANCHES },
  ),
  without_letter: optional(
    field.text('Why no sanction letter is attached, if none is.', 'It goes to the family by post.'),
  ),
})

export const disburseInput = input({
  disbursement_id: field.resourceId('The tranche.', 'disb_01k9zq4m0ve8sbn6yt2hw3c5da'),
  amount: field.positiveAmount('Rupees transferred; the rest becomes a tranche of its own.', 60000),
  date: field.day('Day of the transfer.', '2026-12-01').as('day'),
  utr: field.text('Bank reference of the transfer.', 'HDFCR52026120100077', 64).as('reference'),
})

const VERSIONS = Array.from({ length: MOST_LETTERS }, (_, index) => String(index + 1))

export const letterVersionQuery = query({
  version: optional(field.oneOf(VERSIONS, 'Which version; the newest if absent.')),
})

export const letterQuery = query({
  name: optional(field.text('Name of the file.', 'sanction-letter.pdf', 200)),
})

export const confirmInput = input({
  number: field.wholeNumber('Number of the transfer within the loan.', 1, [1, 10_000]),
  received: field.flag("Whether it is on the bank's statement.").as('isReceived'),
  amount: optional(field.positiveAmount('Rupees that arrived, if it was less than reported.', 59950)),
})

export const returnInput = input({
  number: field.wholeNumber('Number of the transfer within the loan.', 1, [1, 10_000]),
  amount: optional(field.positiveAmount('Rupees that went back; all that is left if absent.', 60000)),
  utr: optional(
    field.text(
      'Of the transfer back to the lender; absent: it was confirmed by mistake.',
      'SBIN52026121000012',
      64,
    ),
  ),
  reason: field.text('Why.', 'It belongs to another school.'),
})

type Disbursed = ReturnType<typeof toDisbursements>[number] & {
  reference: string | undefined
  isUnconfirmed: boolean
}
const sent = outputOf<Disbursed>()
const trancheOutput = sent.object({
  ...disbursementFields,
  utr: sent.optional.text(
    "The lender's bank reference, once paid out.",
    'HDFCR52026120100077',
    ({ reference }) => reference,
  ),
})

const transfer = outputOf<RecordedPayOut & { isUnconfirmed: boolean }>()
const transferOutput = transfer.object({
  number: transfer.integer('Counts the transfers of the loan.', 1),
  disbursement_id: transfer.text(
    'The tranche that it pays.',
    'disb_01k9zq4m0ve8sbn6yt2hw3c5da',
    ({ trancheId }) => trancheId,
  ),
  amount: transfer.amount('Rupees.', 60000),
  utr: transfer.text("The lender's bank reference.", 'HDFCR52026120100077', ({ reference }) => reference),
  reported_at: transfer.moment(
    'When the lender reported it.',
    '2026-12-01T06:00:00.000Z',
    one => one.paidOutAt,
  ),
  received_at: transfer.optional.moment('When the institute found it.', '2026-12-02T06:00:00.000Z'),
  missing_at: transfer.optional.moment('When the institute did not find it.', '2026-12-02T06:00:00.000Z'),
  returned_amount: transfer.amount(
    'Rupees of it that never arrived or went back to the lender.',
    0,
    one => one.returnedPaise,
  ),
  returned_at: transfer.optional.moment('When the last of it went back.', '2026-12-05T06:00:00.000Z'),
  withdrawn_at: transfer.optional.moment(
    'When the institute took its confirmation back.',
    '2026-12-05T06:00:00.000Z',
  ),
  is_unconfirmed: transfer.flag("Whether the institute has still to find it on its bank's statement.", false),
})

const version = outputOf<LetterVersion>()
const letterVersionOutput = version.object({
  version: version.integer('Counts the uploads.', 1),
  uploaded_at: version.moment('When it was uploaded.', '2026-11-18T09:20:00.000Z'),
})

const detail = outputOf<LoanDetail>()
const ofRow = detail.one('The application.', loanList.output, ({ row: shown }) => shown)
export const loanDetailOutput = detail.object({
  loan: ofRow,
  phone: detail.optional.text('Of the parent.', '9876543210', ({ row: { borrowerPhone } }) => borrowerPhone),
  email: detail.optional.text(
    'Of the parent.',
    'asha@example.in',
    ({ row: { borrowerEmail } }) => borrowerEmail,
  ),
  waits_for: detail.optional.oneOf(WAITED_FOR, 'Who has to act.', ({ file, unconfirmed }) =>
    waitsFor(file.application, {
      hasUnconfirmed: file.payOuts.some(one => one.missingAt === null && unconfirmed.includes(one.number)),
    }),
  ),
  can_cancel: detail.flag('Whether the institute may cancel it.', true, ({ file: { application } }) =>
    canEnd(application.state),
  ),
  acts: detail.texts(
    `What the lender's people can record next: ${DESK_ACTS.join(', ')}.`,
    ['approve', 'reject'],
    ({ file }) => deskActs(file),
  ),
  problem: detail.optional.text(
    'What the lender reported and could not be applied; for a person to clear up with the lender.',
    'The UTR HDFCR52026120100077 is recorded already.',
    ({ file }) => file.application.lenderProblem,
  ),
  reason: detail.optional.text(
    'Why it was rejected.',
    'The income could not be verified.',
    ({ file }) => file.application.reason,
  ),
  bank_accounts: detail.list('Where the lender transfers to, as the institute says.', bankAccountOutput),
  offer: detail.optional.one('The offer.', offerOutput, ({ file }) => file.application.offer),
  accepted_from: detail.optional.text(
    'The network address from which the offer was accepted.',
    '203.0.113.7',
    ({ file }) => file.application.acceptance?.ip,
  ),
  filled_at: detail.optional.moment(
    'When the form was complete.',
    '2026-11-15T04:40:00.000Z',
    ({ file }) => file.application.filledAt,
  ),
  approved_at: detail.optional.moment(
    'When it was approved.',
    '2026-11-17T06:00:00.000Z',
    ({ file }) => file.application.approvedAt,
  ),
  agreement_signed_at: detail.optional.moment(
    'When the loan was taken.',
    '2026-11-18T09:15:00.000Z',
    ({ file }) => file.application.signedAt,
  ),
  ended_at: detail.optional.moment(
    'When it was over.',
    '2026-11-21T05:30:00.000Z',
    ({ file }) => file.application.endedAt,
  ),
  expires_at: detail.optional.moment(
    'When it lapses.',
    '2026-12-15T04:32:10.000Z',
    ({ file: { application } }) => (canEnd(application.state) ? application.expiresAt : null),
  ),
  letters: detail.list('Versions of the sanction letter, newest first.', letterVersionOutput),
  takes_letter: detail.flag(
    'Whether a letter can still be attached.',
    true,
    ({ file }) => !isOver(file.application.state) && file.payOuts.length === 0,
  ),
  disbursements: detail.list('The tranches.', trancheOutput, ({ file }) =>
    toDisbursements(file).map(one => ({
      ...one,
      reference: file.payOuts.findLast(({ trancheId }) => trancheId === one.id)?.reference,
    })),
  ),
  transfers: detail.list(
    'Every transfer that the lender reported.',
    transferOutput,
    ({ file, unconfirmed }) =>
      file.payOuts.map(one => ({ ...one, isUnconfirmed: unconfirmed.includes(one.number) })),
  ),
  emis: detail.list('What the family has paid back.', emiOutput, ({ file }) => file.emis),
})

const letter = outputOf<Letter>()
export const letterOutput = letter.object({
  digest: letter.text(
    'SHA-256 of the file, in hex.',
    'b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9',
  ),
})

export type LoanDetailAnswer = Shown<typeof loanDetailOutput>
