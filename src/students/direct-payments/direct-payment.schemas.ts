import { field, input, notEmpty, nullable, optional, query } from '../../http/wire/input.ts'
import { ownPaymentId, paymentFields, studentParams } from '../student.input.ts'
import { outputOf } from '../../http/wire/output.ts'
import { formatRupees, type Paise } from '../../platform/money.ts'
import { receiptNumber } from '../../receipts/receipts.rules.ts'
import type { RecordedPayment } from './direct-payments.rules.ts'
import type { PaymentWithAdvance, PaymentWithHistory, RecordedOutcome } from './direct-payments.service.ts'
import type { DirectPayment } from '../students.rules.ts'

/** What the routes of direct payments take. */
const PAYMENT_ID = 'pay_01k9zq4m0ve8sbn6yt2hw3c5da'

export const paymentParams = input({
  ...studentParams.fields,
  transaction_id: field.identifier('The transaction id of the payment, percent-encoded.', 'CASH-2026-0001'),
})

export const directPaymentFields = {
  ...paymentFields,
  transaction_id: optional(
    field.identifier('Unique for the student; without one the service makes one.', 'CASH-2026-0002'),
  ),
  settlement_utr: optional(paymentFields.settlement_utr),
  notes: optional(paymentFields.notes),
}

export const directPaymentInput = input({
  ...directPaymentFields,
  id: ownPaymentId,
  mode: optional(field.code('Such as cash; `others` without one.', 'cash'), 'others'),
  issue_receipt: optional(
    field.flag(
      "Whether it gets a receipt of the institute's series here; not if the ERP issues its own.",
      true,
    ),
    false,
  ).as('hasReceipt'),
})

export const instrument = optional(
  field.object(
    'Of a cheque or draft.',
    input({
      number: field.text('Its number.', '004512', 40),
      bank: optional(field.text('The bank that it is drawn on.', 'HDFC Bank', 80)),
      date: optional(field.day('The date on it.', '2026-11-16')),
    }),
  ),
)

export const correctionInput = input({
  amount: notEmpty(paymentFields.amount),
  paid_at: notEmpty(paymentFields.paid_at),
  mode: notEmpty(paymentFields.mode),
  settlement_utr: nullable(paymentFields.settlement_utr),
  notes: nullable(paymentFields.notes),
  fee_components: notEmpty(paymentFields.fee_components),
  transaction_id: notEmpty(
    field.identifier('Cannot be changed; accepted when it is the one in the path.', 'CASH-2026-0001'),
  ),
})

export const listPaymentsQuery = query({
  limit: field.pageSize(),
  cursor: field.cursor(PAYMENT_ID),
  status: optional(field.oneOf(['recorded', 'cancelled'], 'Only in this state.')),
})

/** Direct payments as the API answers them. */
const line = outputOf<DirectPayment['lines'][number]>()
const lineOutput = line.object('DirectPaymentLine', {
  component_type: line.text('What it was paid for.', 'TUITION_FEE'),
  amount: line.amount('Rupees.', 20000),
})

const content = outputOf<Omit<DirectPayment, 'transactionId'>>()
const contentFields = {
  amount: content.amount('Rupees.', 20000),
  paid_at: content.moment('When it was paid.', '2026-06-05T04:45:00.000Z'),
  mode: content.text('Such as cash.', 'cash'),
  settlement_utr: content.optional.text('Present only if provided.', 'HDFCN26157000042'),
  notes: content.optional.text('Present only if provided.', 'Paid at the counter'),
  fee_components: content.list('Line by line, as sent.', lineOutput, payment => payment.lines),
}
const contentOutput = content.object(contentFields)

const out = outputOf<RecordedPayment>()
export const recordedPaymentFields = {
  id: out.text('Id of the payment here, as events carry it.', PAYMENT_ID),
  transaction_id: out.text('Unique for the student.', 'CASH-2026-0002'),
  status: out.oneOf(
    ['recorded', 'cancelled'],
    'A cancelled one does not count as paid.',
    payment => (payment.cancelledAt === null ? 'recorded' : 'cancelled'),
    'cancelled',
  ),
  ...contentFields,
  receipt_number: out.optional.text(
    'Present only while a receipt of it stands.',
    '2026-27/000042',
    ({ receipt }) => receipt && receiptNumber(receipt),
  ),
  refunded_amount: out.optional.amount(
    'What of it the office has paid out again, rupees; present only then.',
    5000,
    ({ refundedPaise }) => refundedPaise || null,
  ),
  recorded_at: out.moment('When it was recorded here.', '2026-06-05T04:46:10.000Z'),
  cancelled_at: out.optional.moment('Present only if cancelled.', '2026-06-09T06:00:00.000Z'),
}
export const directPaymentOutput = out.object('DirectPayment', recordedPaymentFields)

const counted = outputOf<RecordedPayment & { advancePaise: Paise }>()
export const countedOutput = counted.object('CountedDirectPayment', {
  ...recordedPaymentFields,
  advance: counted.amount('How much of it is more than what is due of its components, rupees.', 500),
})

/** What a payment is answered from that was counted just now. */
export function toCounted<Given extends PaymentWithAdvance>(given: Given): Given & RecordedPayment {
  return { ...given, ...given.payment }
}

const change = outputOf<PaymentWithHistory['history'][number]>()
const changeOutput = change.object({
  changed_at: change.moment('When.', '2026-06-08T06:00:00.000Z', ({ changedAt }) => new Date(changedAt)),
  change: change.oneOf(['corrected', 'cancelled'], 'What was done.', ({ kind }) => kind),
  before: change.one('As it was until then.', contentOutput, ({ before }) => ({
    ...before,
    paidAt: new Date(before.paidAt),
  })),
})

const file = outputOf<PaymentWithHistory>()
export const directPaymentFileOutput = file.object('DirectPaymentDetail', {
  ...recordedPaymentFields,
  history: file.list('The 100 newest changes, newest first.', changeOutput),
})

/** What a person at the counter should know; undefined when all is as usual. */
export function remarkOn(counted: PaymentWithAdvance | RecordedOutcome): string | undefined {
  const remarks: string[] = []
  if ('isCollected' in counted && counted.isCollected)
    remarks.push(
      `This is the payment ${counted.payment.id}, which was collected here; it is not counted again.`,
    )
  if (counted.advancePaise > 0)
    remarks.push(
      `${formatRupees(counted.advancePaise)} of this payment is more than what is due of its components and counts as advance.`,
    )
  if ('onTheWay' in counted && counted.onTheWay.lentPaise > 0)
    remarks.push(
      `A lender's transfer of ${formatRupees(counted.onTheWay.lentPaise)} for this student is on its way. It does not go back by itself: what is more than due then becomes an advance. Ask the lender before you take more.`,
    )
  if ('onTheWay' in counted && counted.onTheWay.paidPaise > 0)
    remarks.push(
      `An online payment of ${formatRupees(counted.onTheWay.paidPaise)} for this student is on its way; if it arrives, what is more than due then goes back to its payer, or becomes an advance where the payment rules say so.`,
    )
  return remarks.length === 0 ? undefined : remarks.join(' ')
}
