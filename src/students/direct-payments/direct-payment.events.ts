import { defineEvent } from '../../events/define-event.ts'
import { paymentBlock, UNSETTLED, type PaymentInEvent } from '../../events/payment-block.output.ts'
import { outputOf } from '../../http/wire/output.ts'
import { ofStudent, type StudentInEvent } from '../student.events.ts'
import type { DirectPayment } from '../students.rules.ts'

type Source = StudentInEvent & { payment: DirectPayment & { id: string } }

const out = outputOf<Source>()
const payload = out.object({
  ...ofStudent,
  payment: out.one('The payment.', paymentBlock, ({ payment }) => directPaymentInEvent(payment)),
})

export function directPaymentInEvent(payment: Source['payment']): PaymentInEvent {
  const { settlementUtr } = payment
  return {
    ...payment,
    product: 'direct',
    referenceId: null,
    lines: payment.lines.map(line => ({ ...line, settlementUtr, settledAt: null })),
  }
}

const counter = { ...UNSETTLED, product: 'direct', reference_id: undefined } as const
const cash = { ...counter, mode: 'cash', transaction_id: 'RCPT-2026-000102' }
const cheque = { ...counter, mode: 'cheque', transaction_id: 'CHQ-2026-000102' }

export const directPaymentEvents = {
  'direct.payment.added': defineEvent('An offline payment is recorded.', payload, { payment: cash }),
  'direct.payment.updated': defineEvent('An offline payment is corrected.', payload, {
    payment: { ...cheque, notes: 'Cheque number corrected' },
  }),
  'direct.payment.cancelled': defineEvent('An offline payment is cancelled.', payload, {
    payment: { ...cheque, notes: 'Cheque returned unpaid' },
  }),
}
