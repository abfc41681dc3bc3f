import { outputOf, type Shown } from '../../http/wire/output.ts'
import type { AccountCounts, OpenVirtualAccount } from './virtual-accounts.store.ts'

const out = outputOf<OpenVirtualAccount>()
const fields = {
  account_number: out.text('Number to transfer to; it belongs to this student alone.', '909012345678901'),
  ifsc: out.text('IFSC of the bank that holds it.', 'SBXB0000001'),
  upi_id: out.optional.text(
    'UPI ID that leads to the same account; absent where the provider gives none.',
    'fees.909012345678901@bursarsandbox',
  ),
  status: out.oneOf(['active', 'closed'], 'Whether money that comes to it is booked.', one => one.state),
}
/** The account number as events carry it. */
export const virtualAccountBlock = out.object(fields)

export const virtualAccountOutput = out.object('VirtualAccount', {
  ...fields,
  provider: out.text('The payment provider that it is with.', 'sandbox'),
})

const counts = outputOf<AccountCounts>()
export const accountCountsOutput = counts.object({
  given: counts.integer('Students who have a number.', 310),
  waiting: counts.integer('For how many the provider is still to be asked, or has not answered.', 2),
  refused: counts.integer('For how many the provider gives none.', 0),
  refusal: counts.optional.text('Why, in its words, for one of them.', 'Smart Collect is not enabled.'),
})
export type AccountCountsAnswer = Shown<typeof accountCountsOutput>
