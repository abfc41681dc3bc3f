import { field, input } from '../../http/wire/input.ts'
import { outputOf } from '../../http/wire/output.ts'
import { ORDER_ID } from '../../orders/order.input.ts'
import { PAY_ORDER_KINDS } from '../../orders/orders.rules.ts'
import { STUDENT_ID } from '../../students/student.input.ts'
import { DISPUTE_STATUSES, statusOf, waitsForAnswer, type Dispute } from './disputes.rules.ts'
import type { DisputeRecord } from './disputes.store.ts'

export const DISPUTE_ID = 'dsp_01k9zq4m0ve8sbn6yt2hw3c5da'

export const disputeParams = input({
  dispute_id: field.resourceId("The dispute's id.", DISPUTE_ID),
})

const why = outputOf<Pick<Dispute, 'reasonCode' | 'reason'>, unknown>()
const reasonOutput = why.object({
  code: why.text("The provider's code.", 'chargeback', one => one.reasonCode),
  message: why.text("The provider's words.", 'The payer does not know the payment.', one => one.reason),
})

/** A dispute as the API answers it and as events carry it. */
const out = outputOf<Dispute, unknown>()
const fields = {
  id: out.text('Dispute id.', DISPUTE_ID),
  amount: out.amount('Rupees that are disputed, and held while it is open.', 5000),
  status: out.oneOf(
    DISPUTE_STATUSES,
    'open: not decided. won: for the institute. lost: for the payer, who has the money back.',
    statusOf,
  ),
  reason: out.one('Why the payer disputes it.', reasonOutput, one => one),
  respond_by: out.optional.moment(
    'Until when it can be answered at the provider, UTC.',
    '2026-11-24T18:30:00.000Z',
  ),
  opened_at: out.moment('When it was told, UTC.', '2026-11-17T06:00:00.000Z'),
  closed_at: out.optional.moment('When it was decided, UTC.', '2026-11-20T06:00:00.000Z'),
}
export const disputeBlock = outputOf<Dispute>().object(fields)

const record = outputOf<DisputeRecord, unknown>()
/** Adds what it is about, and where to answer it. */
export const disputeFields = {
  ...fields,
  payment_id: record.text('The payment that is disputed.', 'pay_01k9zq4m0ve8sbn6yt2hw3c5da'),
  order_id: record.text('Its order or link.', ORDER_ID),
  kind: record.oneOf(
    [...PAY_ORDER_KINDS, 'link'],
    'What that is: a link is read on the payment link routes, every other kind on the order routes.',
    one => one.orderKind,
  ),
  collector_code: record.text('Branch code.', 'MAIN'),
  service_student_id: record.optional.text(
    'Id of the student here, of a payment for a student.',
    STUDENT_ID,
    one => one.studentId,
  ),
  mode: record.text('How it was paid.', 'card'),
  provider: record.text('Who answers to the bank: it is answered there.', 'sandbox'),
  provider_reference: record.text(
    "The provider's name for it.",
    'disp_EsIAlDcoUr8CaQ',
    one => one.providerRef,
  ),
  phase: record.text('As the provider names it.', 'chargeback'),
  needs_answer: record.flag('Whether it waits for an answer at the provider.', true, waitsForAnswer),
  refund_id: record.optional.text('Of a lost one: how it is booked.', 'rfd_1k092c8gpz8wezh4es8gqprf85'),
  charged_amount: record.optional.amount(
    'Of a lost one: what had been refunded before and so went out twice; a student owes it as RETURNED_AFTER_REFUND.',
    1000,
    one => one.chargedPaise || null,
  ),
  settlement_utr: record.optional.text(
    'Of a lost one: the pay-out that is less by it.',
    'HDFCR52026111600042',
  ),
}
export const disputeOutput = outputOf<DisputeRecord>().object('Dispute', disputeFields)
