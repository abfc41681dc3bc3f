import { outputOf } from '../../http/wire/output.ts'
import type { OpenVirtualAccount } from './virtual-accounts.store.ts'

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
