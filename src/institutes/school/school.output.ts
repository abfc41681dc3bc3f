import { outputOf, type Shown } from '../../http/wire/output.ts'
import type { BankAccount, School } from './school.rules.ts'

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
  bank_accounts: out.list('Where families can transfer fees to.', bankAccountOutput),
  messages_from: out.integer('Reminders leave from this hour on, India.', 9),
  messages_until: out.integer('Reminders leave before this hour, India.', 20),
  color: out.optional.text('The school’s own colour.', '#1d4ed8'),
  logo_tag: out.optional.text('Which picture is its logo.', 'q1w2e3r4t5y6u7i8o9p0aa'),
})
export type SchoolAnswer = Shown<typeof schoolOutput>
