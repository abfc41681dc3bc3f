import { outputOf } from '../http/wire/output.ts'
import type { Paise } from '../platform/money.ts'

/** A payment as every event about money carries it, however it came. */
export type PaymentInEvent = {
  id: string
  amountPaise: Paise
  product: 'pay' | 'flex' | 'cred' | 'direct'
  mode: string
  transactionId: string
  referenceId: string | null
  paidAt: Date
  settlementUtr: string | null
  notes: string | null
  lines: readonly {
    componentType: string
    amountPaise: Paise
    settlementUtr: string | null
    settledAt: Date | null
  }[]
}

const line = outputOf<PaymentInEvent['lines'][number]>()
const lineOutput = line.object('PaymentLine', {
  component_type: line.text('What it is for.', 'TUITION_FEE'),
  amount: line.amount('Rupees.', 45000),
  settlement_utr: line.optional.text('Only if settled.', 'HDFCR52026111600042'),
  settled_at: line.optional.moment('Only if settled.', '2026-11-16T06:00:00.000Z'),
})

const out = outputOf<PaymentInEvent>()
export const paymentBlock = out.object('PaymentBlock', {
  id: out.text(
    'Payment id; book by it, since one payment can send two events.',
    'pay_01k9zq4m0ve8sbn6yt2hw3c5da',
  ),
  amount: out.amount('Rupees.', 45000),
  product: out.oneOf(['pay', 'flex', 'cred', 'direct'], 'Which product took it.'),
  mode: out.text(
    'upi, card, netbanking, enach, upi_autopay, bank_transfer, bharat_connect, cash, cheque or as given.',
    'upi',
  ),
  transaction_id: out.text('Transaction id.', 'T2611151002'),
  reference_id: out.optional.text('Reference of your own.', 'PART-2'),
  paid_at: out.moment('When it was paid.', '2026-11-15T04:32:10.000Z'),
  settlement_utr: out.optional.text('Bank reference of the settlement.', 'HDFCR52026111600042'),
  notes: out.optional.text('Remark.', 'Paid at the counter'),
  details: out.list('Line by line.', lineOutput, payment => payment.lines),
})

/** Example values of a payment whose money has not reached the institute. */
export const UNSETTLED = {
  settlement_utr: undefined,
  details: [{ component_type: 'TUITION_FEE', amount: 45000 }],
}

/** When the money of the examples reached the institute. */
export const SETTLED_AT = '2026-11-16T06:00:00.000Z'
