import { field, input, optional, query } from '../../http/wire/input.ts'
import { MOST_LETTERS } from '../../loans/desk/desk.rules.ts'
import { LOAN_ID } from '../../loans/loan.schemas.ts'

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

const MAX_TRANCHES = 60

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
