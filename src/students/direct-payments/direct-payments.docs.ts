import { Type } from 'typebox'
import type { EndpointDocs } from '../../http/openapi.ts'
import { CountedView, PaymentFileView, PaymentView } from './direct-payments.schemas.ts'

/** What the reference says of the operations on direct payments. */
const SENT = {
  amount: 20000,
  paid_at: '2026-06-05T10:15:00+05:30',
  mode: 'cash',
  transaction_id: 'CASH-2026-0002',
  fee_components: [{ component_type: 'TUITION_FEE', amount: 20000 }],
}

const EXAMPLE = {
  id: 'pay_01k9zq4m0ve8sbn6yt2hw3c5da',
  transaction_id: SENT.transaction_id,
  status: 'recorded',
  amount: SENT.amount,
  paid_at: '2026-06-05T04:45:00.000Z',
  mode: SENT.mode,
  fee_components: SENT.fee_components,
  recorded_at: '2026-06-05T04:46:10.000Z',
}

const CORRECTED = { ...EXAMPLE, mode: 'cheque', notes: 'Cheque 004211' }
const CANCELLED = { ...CORRECTED, status: 'cancelled', cancelled_at: '2026-06-09T06:00:00.000Z' }

const countedAnswer = (description: string, payment = EXAMPLE) => ({
  description,
  data: CountedView,
  remark: '₹500 of this payment is more than what is due of its components and counts as advance.',
  example: { status: 'success', data: { ...payment, advance: 500 } },
})

export const recordPaymentDocs: EndpointDocs = {
  operationId: 'recordDirectPayment',
  tag: 'Students',
  summary: 'Record a direct payment',
  description:
    'A payment that was taken outside: at the counter, by cheque, by transfer. Once per transaction_id of a student: the ' +
    'same again answers 200 and changes nothing, other details under a known transaction_id are 409, and so is one that ' +
    'was cancelled. What is more than what is due of its components counts as advance: `advance` and `message` say so, ' +
    'and `message` tells of an online payment that is on its way.',
  errors: [404],
  answers: {
    200: countedAnswer('It was recorded before.'),
    201: countedAnswer('It is recorded.'),
  },
  exampleBody: SENT,
}

export const changePaymentDocs: EndpointDocs = {
  operationId: 'correctDirectPayment',
  tag: 'Students',
  summary: 'Correct a direct payment',
  description:
    'Fields sent are set, others stay; null or "" clears settlement_utr and notes. amount must equal the sum of ' +
    'fee_components afterwards, so send both when one changes. What it was stays in its history. The transaction_id ' +
    'cannot be changed: cancel the payment and record it anew. A cancelled one is 409.',
  errors: [404],
  answers: { 200: countedAnswer('The payment as it is now.', CORRECTED) },
  exampleBody: { mode: 'cheque', notes: 'Cheque 004211' },
}

export const cancelPaymentDocs: EndpointDocs = {
  operationId: 'cancelDirectPayment',
  tag: 'Students',
  summary: 'Cancel a direct payment',
  description:
    'It does not count as paid any more and stays readable as cancelled. Its transaction_id is not used again. Cancelling ' +
    'it once more changes nothing.',
  errors: [404],
  answers: {
    200: {
      description: 'The cancelled payment.',
      data: PaymentView,
      example: { status: 'success', data: CANCELLED },
    },
  },
}

export const getPaymentDocs: EndpointDocs = {
  operationId: 'getDirectPayment',
  tag: 'Students',
  summary: 'Get a direct payment',
  description: 'With what it was before it was corrected or cancelled.',
  errors: [404],
  answers: {
    200: {
      description: 'The payment.',
      data: PaymentFileView,
      example: {
        status: 'success',
        data: {
          ...CORRECTED,
          history: [
            {
              changed_at: '2026-06-08T06:00:00.000Z',
              change: 'corrected',
              before: {
                amount: EXAMPLE.amount,
                paid_at: EXAMPLE.paid_at,
                mode: EXAMPLE.mode,
                fee_components: EXAMPLE.fee_components,
              },
            },
          ],
        },
      },
    },
  },
}

export const listPaymentsDocs: EndpointDocs = {
  operationId: 'listDirectPayments',
  tag: 'Students',
  summary: 'List the direct payments of a student',
  description: 'Newest first, cancelled ones too. Online payments are not among them.',
  errors: [404],
  answers: {
    200: {
      description: 'A page.',
      data: Type.Array(PaymentView),
      isList: true,
      example: { status: 'success', data: [EXAMPLE], has_more: false },
    },
  },
}
