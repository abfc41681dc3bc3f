import { field, input, optional } from '../../http/wire/input.ts'
import { EARLIEST_HOUR, LATEST_HOUR } from './school.rules.ts'

const MOST_ACCOUNTS = 5

const bankAccount = input({
  holder: field.text('In whose name it is.', 'Sunrise Education Trust', 120),
  number: field.text('The number of the account.', '50100123456789', 18),
  ifsc: field.text('IFSC of the branch.', 'HDFC0000123', 11),
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
  pan: optional(field.text('PAN of the school or its trust.', 'AAATS1234F', 10)),
  affiliation: optional(field.text('Board and number.', 'CBSE 830123', 120)),
  receipt_note: optional(
    field.text('A line of its own on receipts.', 'A unit of Sunrise Education Trust', 200),
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
