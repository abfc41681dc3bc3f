import { outputOf, type Shown } from '../../http/wire/output.ts'
import { ORDER_ID } from '../../orders/order.input.ts'
import { receiptId } from './receipts.rules.ts'
import type { ReceiptRow } from './receipts.service.ts'
import { receiptNumber } from '../../receipts/receipts.rules.ts'

const out = outputOf<ReceiptRow>()
export const receiptOutput = out.object({
  id: out.text('Id of the receipt.', '2026-27-000042', receiptId),
  number: out.text('As printed.', '2026-27/000042', receiptNumber),
  issued_at: out.moment('When it was issued, UTC.', '2026-11-15T04:32:10.000Z'),
  status: out.oneOf(['issued', 'cancelled'], 'Whether it stands.', row =>
    row.cancelledAt === null ? 'issued' : 'cancelled',
  ),
  cancelled_at: out.optional.moment('When it was cancelled, UTC.', '2026-11-17T06:00:00.000Z'),
  cancel_reason: out.optional.text('Why it was cancelled.', 'Wrong payer'),
  payer: out.text('Who paid.', 'Asha Rao'),
  student_name: out.optional.text('For whom.', 'Kabir Rao'),
  identifier: out.optional.text("The student's identifier.", 'ADM-1042'),
  service_student_id: out.optional.text(
    'The student, if registered here.',
    'student_01k9zq4m0ve8sbn6yt2hw3c5da',
    row => row.studentId,
  ),
  amount: out.amount('In rupees.', 45000),
  refunded_amount: out.optional.amount(
    'What of it went back to the payer, in rupees.',
    500,
    row => row.refundedPaise || null,
  ),
  mode: out.text('How it was paid.', 'upi'),
  payment_id: out.text('The payment.', 'pay_01k9zq4m0ve8sbn6yt2hw3c5da'),
  source: out.oneOf(['online', 'direct'], 'Collected here, or taken at the counter.'),
  order_id: out.optional.text('The order; none of a payment at the counter.', ORDER_ID),
})
export type ReceiptAnswer = Shown<typeof receiptOutput>
