import { outputOf } from '../../http/wire/output.ts'
import type { Acceptance, AtLender, LoanRequest } from '../lender-port.ts'

/** What Bursar sends to a lender. The `type` stands in the signed body, so a message is good for one operation only. */
const LOAN_ID = 'loan_01k9zq4m0ve8sbn6yt2hw3c5da'

type About = Pick<AtLender, 'applicationId'>
const about = outputOf<About>()
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

const ending = outputOf<About & { how: 'canceled' | 'expired' }>()
export const endOutput = ending.object({
  type: ending.oneOf(['application.end'], 'Of this message.', () => 'application.end'),
  application_id: applicationId,
  how: ending.oneOf(['canceled', 'expired'], 'Withdrawn by the family or institute, or lapsed.'),
})

const acceptance = outputOf<About & Acceptance>()
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
