import { field, input, optional } from '../http/wire/input.ts'
import { outputOf, type Shown } from '../http/wire/output.ts'
import { receiptNumber } from '../receipts/receipts.rules.ts'
import type { OnTheWay } from '../payments/student-payments.service.ts'
import { REFUND_WAYS } from '../students/direct-payments/direct-payments.rules.ts'
import { CHARGES, type SettledLine, type Settlement } from './leaving.rules.ts'
import type { Leaving, LeavingPreview, RefundableTaking } from './leaving.service.ts'

const charge = input({
  component_type: field.code('A fee of the student.', 'TUITION_FEE_TERM_3'),
  charge: field.oneOf(
    CHARGES,
    'How much of it is owed: in full, an optional fee until the leaving day by its own rule, the part of the months until then, nothing.',
  ),
})

const counterRefund = input({
  transaction_id: field.identifier('The payment at the counter that it is of.', 'CASH-2026-0001'),
  amount: field.positiveAmount('Rupees.', 5000),
  way: field.oneOf(REFUND_WAYS, 'How it is paid out.'),
  reference: optional(
    field.text(
      'The number of the cheque, or the bank’s reference of the transfer; none for cash.',
      '004512',
      80,
    ),
  ),
})

const decisions = {
  left_on: field.day('The last day at school. What fell due by then is owed.', '2026-11-16'),
  charges: optional(
    field.list('Fees for which it is decided otherwise than by their due days.', charge, { max: 200 }),
    [],
  ),
  prorated_from: optional(
    field.day(
      'The first day of what prorated fees are for; the beginning of the academic year if absent.',
      '2026-06-01',
    ),
  ),
  prorated_to: optional(field.day('The last day; the end of the academic year if absent.', '2027-03-31')),
  use_earlier_deposits: optional(
    field.flag('Whether deposits of earlier years pay what stays owed.', true),
    true,
  ).as('areEarlierDepositsUsed'),
  write_off: optional(field.flag('Whether what stays owed is not collected any more.', false), false).as(
    'isWrittenOff',
  ),
  waive_late_fees: optional(field.flag('Whether late fees are let off.', false), false).as(
    'areLateFeesWaived',
  ),
}

export const leavingPreviewInput = input(decisions)

export const leavingInput = input({
  ...decisions,
  reason: field.text('Why; stands in the record and in the audit log.', 'Moves to Pune'),
  give_cheques_back: optional(
    field.flag('Whether post-dated cheques go back to the family; the office may keep them.', true),
    true,
  ).as('areChequesGivenBack'),
  online_refund_amount: optional(
    field.amount('Of what was paid too much, as much goes back to where it was paid online.', 5000),
  ).as('onlinePaise'),
  counter_refunds: optional(
    field.list('Of payments taken at the counter, as much is paid out.', counterRefund, { max: 50 }),
    [],
  ).as('counter'),
  shown_owed_amount: optional(
    field.amount(
      'Fees owed before it, as the preview showed them; refused if they are others by now.',
      24000,
    ),
  ).as('shownOwedPaise'),
  shown_advance_amount: optional(
    field.amount('What stood as an advance before it, as the preview showed it.', 0),
  ).as('shownAdvancePaise'),
})

const line = outputOf<SettledLine>()
const lineOutput = line.object({
  component_type: line.text('The fee.', 'TUITION_FEE_TERM_3'),
  charge: line.oneOf(CHARGES, 'How much of it is owed.'),
  is_deposit: line.flag('Whether it is held for the family and given back.', false),
  is_optional: line.flag('Whether it is an optional fee that ends on the leaving day.', false),
  due_on: line.optional.day('When it was due.', '2026-12-10'),
  before_amount: line.amount('To be paid of it before, rupees.', 12000, one => one.beforePaise),
  after_amount: line.amount('To be paid of it since.', 0, one => one.afterPaise),
  paid_amount: line.amount('Paid of it by then.', 12000, one =>
    one.paidPaise < 0 ? (0 as typeof one.paidPaise) : one.paidPaise,
  ),
})

const made = outputOf<Settlement['refunds'][number]>()
const cheque = outputOf<Settlement['cheques'][number]>()
const chequeOutput = cheque.object({
  id: cheque.text(
    'Id of the cheque; of one that is a payment already, of that.',
    'pdc_01k9zq4m0ve8sbn6yt2hw3c5da',
  ),
  number: cheque.text('The number on it.', '004512'),
  amount: cheque.amount('Rupees.', 12000),
  day: cheque.optional.day(
    'Of a post-dated one, when it was to go to the bank; of others, the date on it.',
    '2026-12-05',
  ),
  is_given_back: cheque.flag('Whether it goes back to the family.', false),
})
const earlier = outputOf<Settlement['earlierDeposits'][number]>()
const ended = outputOf<Settlement['ended'][number]>()
const closed = outputOf<Settlement['closedOrders'][number]>()
const settlement = outputOf<Settlement>()
const settlementFields = {
  lines: settlement.list('Each fee.', lineOutput),
  lowered_amount: settlement.amount(
    'By which less is asked, deposits aside.',
    12000,
    one => one.loweredPaise,
  ),
  deposit_amount: settlement.amount('Given back of deposits.', 5000, one => one.depositPaise),
  earlier_deposits: settlement.list(
    'Deposits that are held on records of earlier years.',
    earlier.object({
      service_student_id: earlier.text(
        'The record.',
        'student_01k9zq4m0ve8sbn6yt2hw3c5da',
        one => one.studentId,
      ),
      year: earlier.text('Its year.', '2025-26'),
      component_type: earlier.text('Which deposit.', 'CAUTION_DEPOSIT'),
      used_amount: earlier.amount(
        'Of it, what pays what this record owes, rupees.',
        3000,
        one => one.usedPaise,
      ),
      held_amount: earlier.amount('What stays held there.', 2000, one => one.heldPaise),
    }),
  ),
  used_amount: settlement.amount(
    'Of deposits and of what was paid too much, used for what is owed.',
    5000,
    one => one.usedPaise,
  ),
  waived_amount: settlement.amount('Late fees let off.', 0, one => one.waivedPaise),
  written_off_amount: settlement.amount('Not collected any more.', 0, one => one.writtenOffPaise),
  owed_amount: settlement.amount('Fees still owed after it.', 0, one => one.owedPaise),
  late_fee_amount: settlement.amount('Late fees still owed after it.', 0, one => one.lateFeePaise),
  on_the_way_amount: settlement.amount(
    'Of both, what a bank or lender is paying already.',
    0,
    one => one.onTheWayPaise,
  ),
  advance_amount: settlement.amount('What stands as an advance after it.', 12000, one => one.advancePaise),
  plan_ids: settlement.texts(
    'Instalment plans that it cancels.',
    ['plan_01k9zq4m0ve8sbn6yt2hw3c5da'],
    one => one.planIds,
  ),
  ended: settlement.list(
    'Optional fees that end on the leaving day.',
    ended.object({
      name: ended.text('The fee.', 'School bus'),
      last_day: ended.day('Its last day.', '2026-11-16'),
      before_amount: ended.amount(
        'To be paid of it in the year before, rupees.',
        18000,
        one => one.beforePaise,
      ),
      after_amount: ended.amount('Since.', 9000, one => one.afterPaise),
    }),
  ),
  closed_orders: settlement.list(
    'Orders and links that it closes.',
    closed.object({
      order_id: closed.text('Its id.', 'order_01k9zq4m0ve8sbn6yt2hw3c5da', one => one.id),
      is_link: closed.flag('Whether it is a link that was sent.', true),
      amount: closed.amount('Rupees.', 12000),
    }),
  ),
  reminders: settlement.integer('Reminders that wait to be sent and leave this child out.', 0),
  refunds: settlement.list(
    'What goes back.',
    made.object({
      refund_id: made.text('Id of the refund.', 'rfd_1k092c8gpz8wezh4es8gqprf85'),
      way: made.oneOf(['online', ...REFUND_WAYS], 'How.'),
      amount: made.amount('Rupees.', 5000),
    }),
  ),
  cheques: settlement.list(
    'Post-dated cheques of the student, of which none goes to the bank any more.',
    chequeOutput,
  ),
  cheques_at_bank: settlement.list(
    'Cheques that count as paid and that a bank has yet to decide about.',
    chequeOutput,
    one => one.chequesAtBank,
  ),
}

const taking = outputOf<RefundableTaking>()
const takingOutput = taking.object({
  transaction_id: taking.text('Its number.', 'CASH-2026-0001', one => one.payment.transactionId),
  receipt_number: taking.optional.text(
    'Of its receipt.',
    '2026-27/000042',
    one => one.payment.receipt && receiptNumber(one.payment.receipt),
  ),
  mode: taking.text('How it was paid.', 'cash', one => one.payment.mode),
  paid_at: taking.moment('When, UTC.', '2026-06-11T04:32:10.000Z', one => one.payment.paidAt),
  refundable_amount: taking.amount('Of it, what was not paid out again.', 12000, one => one.refundablePaise),
  proposed_amount: taking.amount('What is proposed to go back of it.', 12000, one => one.proposedPaise),
  refusal: taking.optional.text(
    'Why nothing of it can be paid out here.',
    'The cheque 004512 is with the bank.',
  ),
})

const coming = outputOf<OnTheWay>()
const comingOutput = coming.object({
  order_id: coming.text('Of which order.', 'order_01k9zq4m0ve8sbn6yt2hw3c5da', one => one.orderId ?? ''),
  amount: coming.amount('Rupees.', 12000),
  until: coming.day('Expected by.', '2026-11-20'),
})

const preview = outputOf<LeavingPreview>()
export const leavingPreviewOutput = preview.object({
  settlement: preview.one('What would come of it, before refunds.', settlement.object(settlementFields)),
  prorated_months: preview.integer(
    'Months until the leaving day, this one included.',
    8,
    one => one.share.part,
  ),
  all_months: preview.integer('Months of the whole.', 12, one => one.share.whole),
  prorated_from: preview.day('The first day of what is prorated.', '2026-04-01', one => one.span.from),
  prorated_to: preview.day('The last.', '2027-03-31', one => one.span.to),
  owed_before_amount: preview.amount('Fees owed before it.', 24000, one => one.owedBeforePaise),
  advance_before_amount: preview.amount(
    'What stands as an advance before it.',
    0,
    one => one.advanceBeforePaise,
  ),
  on_the_way: preview.list('What a bank or lender is paying already.', comingOutput),
  online_refundable_amount: preview.amount(
    'Paid online and not refunded yet.',
    12000,
    one => one.refundable.onlinePaise,
  ),
  online_proposed_amount: preview.amount(
    'What is proposed to go back online.',
    12000,
    one => one.refundable.proposedOnlinePaise,
  ),
  counter: preview.list(
    'Payments of the counter, newest first.',
    takingOutput,
    one => one.refundable.counter,
  ),
  kept_amount: preview.amount('What none of them can give back.', 0, one => one.refundable.keptPaise),
})

const leaving = outputOf<Leaving>()
export const leavingOutput = leaving.object({
  id: leaving.text('Id of the record.', 'lvg_01k9zq4m0ve8sbn6yt2hw3c5da'),
  left_on: leaving.day('The last day at school.', '2026-11-16'),
  reason: leaving.text('Why.', 'Moves to Pune'),
  settled_at: leaving.moment('When it was settled, UTC.', '2026-11-17T04:32:10.000Z'),
  settled_by: leaving.text('Who settled it.', 'asha@school.example'),
  settlement: leaving.one('What was decided and what came of it.', settlement.object(settlementFields)),
})

export type LeavingAnswer = Shown<typeof leavingOutput>
export type LeavingPreviewAnswer = Shown<typeof leavingPreviewOutput>
