import { field, input, optional } from '../../http/wire/input.ts'
import { EARLIEST_HOUR, FAMILY_RECEIPTS, LATEST_HOUR, type BankAccount, type School } from './school.rules.ts'
import { outputOf, type Shown } from '../../http/wire/output.ts'

const MOST_ACCOUNTS = 5

const bankAccount = input({
  holder: field.text('In whose name it is.', 'Sunrise Education Trust', 120),
  number: field.text('The number of the account.', '50100123456789', 40),
  ifsc: field.text('IFSC of the branch.', 'HDFC0000123', 30),
  bank: field.text('The bank and its branch.', 'HDFC Bank, Jayanagar', 120),
  upi_id: optional(field.text('Where money can be sent by UPI.', 'sunrise@hdfcbank', 100)),
})

export const schoolInput = input({
  name: field.text('What the school is called on pages, mails and receipts.', 'Sunrise School', 200),
  address: optional(field.text('In one line.', '12 Temple Road, Bengaluru 560011', 300)),
  phone: optional(field.phone('Where families can ask.', '080-26531234')),
  email: optional(
    field.email('Where families can ask; what they reply to mails goes here.', 'fees@sunrise.in'),
  ),
  pan: optional(field.text('PAN of the school or its trust.', 'AAATS1234F', 30)),
  affiliation: optional(field.text('Board and number.', 'CBSE 830123', 120)),
  receipt_note: optional(
    field.text('A line of its own on receipts.', 'A unit of Sunrise Education Trust', 200),
  ),
  family_receipt: optional(
    field.oneOf(
      FAMILY_RECEIPTS,
      'For a family that pays for several at the counter: one paper, or one each.',
    ),
    'together',
  ),
  bank_accounts: field.list('Where families can transfer fees to.', bankAccount, { max: MOST_ACCOUNTS }),
  messages_from: field.wholeNumber('Reminders leave from this hour on, India.', 9, [
    EARLIEST_HOUR,
    LATEST_HOUR - 1,
  ]),
  messages_until: field.wholeNumber('Reminders leave before this hour, India.', 20, [
    EARLIEST_HOUR + 1,
    LATEST_HOUR,
  ]),
  color: optional(field.text('The school’s own colour on pages and receipts.', '#1d4ed8', 7)),
})

const account = outputOf<BankAccount>()
export const bankAccountOutput = account.object({
  holder: account.text('In whose name it is.', 'Sunrise Education Trust'),
  number: account.text('The number of the account.', '50100123456789'),
  ifsc: account.text('IFSC of the branch.', 'HDFC0000123'),
  bank: account.text('The bank and its branch.', 'HDFC Bank, Jayanagar'),
  upi_id: account.optional.text('Where money can be sent by UPI.', 'sunrise@hdfcbank'),
})

const out = outputOf<School>()
export const schoolOutput = out.object({
  name: out.text('What the school is called.', 'Sunrise School'),
  address: out.optional.text('In one line.', '12 Temple Road, Bengaluru 560011'),
  phone: out.optional.text('Where families can ask.', '080-26531234'),
  email: out.optional.text('Where families can ask.', 'fees@sunrise.in'),
  pan: out.optional.text('PAN of the school or its trust.', 'AAATS1234F'),
  affiliation: out.optional.text('Board and number.', 'CBSE 830123'),
  receipt_note: out.optional.text('A line of its own on receipts.', 'A unit of Sunrise Education Trust'),
  family_receipt: out.oneOf(
    FAMILY_RECEIPTS,
    'For a family that pays for several at the counter: one paper, or one each.',
  ),
  bank_accounts: out.list('Where families can transfer fees to.', bankAccountOutput),
  messages_from: out.integer('Reminders leave from this hour on, India.', 9),
  messages_until: out.integer('Reminders leave before this hour, India.', 20),
  color: out.optional.text('The school’s own colour.', '#1d4ed8'),
  logo_tag: out.optional.text('Which picture is its logo.', 'q1w2e3r4t5y6u7i8o9p0aa'),
})
export type SchoolAnswer = Shown<typeof schoolOutput>
