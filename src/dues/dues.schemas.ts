import { field, ifSent, input, optional } from '../http/wire/input.ts'
import { outputOf, type Shown } from '../http/wire/output.ts'
import { ORDER_ID } from '../orders/order.input.ts'
import { productOf } from '../payments/payment.events.ts'
import type { AdvanceUse } from '../fees/advances/advances.service.ts'
import type { OnTheWay, StudentPayment } from '../payments/student-payments.service.ts'
import { sumPaise, type Paise } from '../platform/money.ts'
import { STUDENT_ID } from '../students/student.input.ts'
import { ALLOCATIONS, SURPLUSES, TRANSFERS, timingOf, type LateFee, type LateFeeRule } from './dues.rules.ts'
import type { DueLine, Dues } from './dues.service.ts'
import type { LateFeeEntry, PaymentRules } from './payment-rules.service.ts'
import { receiptNumber } from '../receipts/receipts.rules.ts'

const LATE_FEE_ID = 'late_01k9zq4m0ve8sbn6yt2hw3c5da'

export const payDuesInput = input({
  amount: optional(field.positiveAmount('Rupees; all that is due when absent.', 5000)),
  take_over: optional(
    field.flag(
      'Starts even though somebody is at the bank to pay overlapping lines; not while such a payment is pending there (409). False when absent.',
    ),
    false,
  ),
  callback_url: optional(
    field.url(
      'Where the payer returns to. In live mode https, without credentials.',
      'https://erp.example.in/fees',
    ),
  ),
})

export const waiverInput = input({
  late_fee_id: ifSent(field.resourceId('Which late fee; all that are due when absent.', LATE_FEE_ID)).as(
    'ruleId',
  ),
  amount: ifSent(field.positiveAmount('Rupees; all of it when absent.', 450)),
  reason: field.text('Why; kept for good.', 'The bank was closed for three days.'),
})

/** Dues, rules and payments as the API answers them. */
const line = outputOf<DueLine>()
const lineOutput = line.object('DuesLine', {
  component_type: line.text('What it is for.', 'TUITION_FEE'),
  fee_amount: line.amount('Before discounts.', 60000, one => one.feePaise),
  discount_amount: line.amount('Taken off.', 5000, one =>
    sumPaise(one.discounts.map(discount => discount.valuePaise)),
  ),
  paid_amount: line.amount('Paid of it.', 35000, one => one.paidPaise),
  outstanding_amount: line.amount('Left to pay.', 20000, one => one.owedPaise),
  due_date: line.optional.day('Absent when the institute set none.', '2026-12-10', one => one.dueOn),
  instalments_amount: line.amount('Of that, what an instalment plan will take.', 0, one => one.plannedPaise),
  is_late: line.flag('Whether a part that no plan will take is past its due day.', true),
})

const lateFee = outputOf<LateFee>()
const lateFeeOutput = lateFee.object({
  late_fee_id: lateFee.text('Id of the rule behind it.', LATE_FEE_ID, fee => fee.ruleId),
  component_type: lateFee.optional.text('What was late; absent: all the rest.', 'TUITION_FEE'),
  due_date: lateFee.day('When it was due.', '2026-12-10', fee => fee.dueOn),
  days_late: lateFee.integer('Days since then.', 9),
  waived_amount: lateFee.amount('Let off of it.', 0, fee => fee.waivedPaise),
  amount: lateFee.amount('Rupees.', 450),
})

const dues = outputOf<Dues & { onTheWayPaise: Paise }>()
export const duesOutput = dues.object('Dues', {
  service_student_id: dues.text('Whose dues they are.', STUDENT_ID, one => one.context.student.id),
  total_amount: dues.amount('What is due in all, late fees included, rupees.', 20450, one => one.totalPaise),
  overdue_amount: dues.amount(
    'Of that, what is past its due day, late fees included; never what an instalment plan will take.',
    20450,
    one => timingOf(one).overduePaise,
  ),
  next_due_date: dues.optional.day(
    'The next day on which something is due by hand, today included.',
    '2027-01-10',
    one => timingOf(one).nextDue?.on ?? null,
  ),
  next_due_amount: dues.optional.amount(
    'What is due on it.',
    5000,
    one => timingOf(one).nextDue?.amountPaise ?? null,
  ),
  instalments_amount: dues.amount('What an instalment plan will take.', 0, one => timingOf(one).plannedPaise),
  outstanding_amount: dues.amount('Of that, fees.', 20000, one => one.owedPaise),
  late_fee_amount: dues.amount('Of that, late fees.', 450, one => one.lateFeePaise),
  advance_amount: dues.amount('What was paid beyond the fees.', 0, one => one.advancePaise),
  on_the_way_amount: dues.amount(
    'What banks have been asked for and have not answered, and what a lender has promised: it cannot be paid a second time.',
    0,
    one => one.onTheWayPaise,
  ),
  components: dues.list('In the order registered.', lineOutput, one => one.lines),
  late_fees: dues.list('Only while what they are for is due.', lateFeeOutput),
})

/** Adds the payments on the way to this student. */
export function withOnTheWay(found: Dues, onTheWay: readonly OnTheWay[]) {
  const own = onTheWay.filter(one => one.studentId === found.context.student.id)
  return { ...found, onTheWayPaise: sumPaise(own.map(payment => payment.amountPaise)) }
}

const slab = outputOf<{ fromDay: number; amountPaise: Paise }>()
const slabOutput = slab.object({
  from_day: slab.integer('From this day late on.', 1),
  amount: slab.amount('Rupees.', 200),
})

const rule = outputOf<LateFeeRule>()
const ruleOutput = rule.object({
  id: rule.text('Id of the rule.', LATE_FEE_ID),
  component_type: rule.optional.text('Absent: all that no other rule names.', 'TUITION_FEE'),
  due_date: rule.day('When it is due.', '2026-12-10', one => one.dueOn),
  grace_days: rule.integer('Days after it that cost nothing.', 3),
  kind: rule.oneOf(['none', 'per_day', 'slab'], 'How it is counted.', ({ charge }) => charge.kind, 'per_day'),
  amount_per_day: rule.optional.amount('With per_day, rupees.', 50, ({ charge }) =>
    charge.kind === 'per_day' ? charge.amountPaise : null,
  ),
  slabs: rule.optional.list('With slab.', slabOutput, ({ charge }) =>
    charge.kind === 'slab' ? charge.slabs : null,
  ),
  max_amount: rule.optional.amount('Never more than this, rupees.', 2000, one => one.capPaise),
})

const rules = outputOf<PaymentRules>()
export const paymentRulesOutput = rules.object('PaymentRules', {
  part_payments: rules.flag('Whether parents may pay a part.', true, one => one.partPayment.isAllowed),
  min_amount: rules.amount(
    'The least that can be paid at once, rupees.',
    500,
    one => one.partPayment.leastPaise,
  ),
  allocation: rules.oneOf(ALLOCATIONS, 'How a part is spread.'),
  surplus: rules.oneOf(
    SURPLUSES,
    'What becomes of money beyond what was owed when it came in; an advance only while something of the family will still fall due.',
  ),
  transfers: rules.oneOf(TRANSFERS, 'What a transfer to a student’s account number pays.'),
  hold_unknown_remitters: rules.flag(
    'Whether a transfer of somebody who never sent money for the student waits for the office.',
    false,
    one => one.holdsUnknown,
  ),
  late_fees: rules.list('Due days and late fees.', ruleOutput),
})
export type PaymentRulesAnswer = Shown<typeof paymentRulesOutput>

const entry = outputOf<LateFeeEntry>()
export const lateFeeEntryOutput = entry.object('LateFee', {
  id: entry.text('Id of the entry.', 'late_01k9zq4m0ve8sbn6yt2hw3c5db'),
  late_fee_id: entry.text('Id of the rule behind it.', LATE_FEE_ID, one => one.ruleId),
  kind: entry.oneOf(['charged', 'waived'], 'Paid, or let off.'),
  order_id: entry.optional.text('The order that paid it.', ORDER_ID),
  reason: entry.optional.text('Why it was let off.', 'The bank was closed for three days.'),
  actor: entry.optional.text('Who let it off.', 'key_test_demo'),
  at: entry.moment('When.', '2026-12-19T05:30:00.000Z'),
  amount: entry.amount('Rupees.', 450),
})

const use = outputOf<AdvanceUse>()
export const advanceUseOutput = use.object({
  id: use.text('Id of the entry.', 'adv_01k9zq4m0ve8sbn6yt2hw3c5db'),
  from_component: use.text('The fee that too much was paid for.', 'TUITION_FEE'),
  to_component: use.text('The fee that it pays now.', 'TRANSPORT_FEE'),
  amount: use.amount('Rupees.', 500),
  reason: use.text('Why.', 'The family asked for it.'),
  actor: use.text('Who did it; `Bursar` for what came back by itself.', 'accounts@school.example.in'),
  at: use.moment('When.', '2026-12-19T05:30:00.000Z'),
})

const part = outputOf<StudentPayment['lines'][number]>()
const partOutput = part.object({
  component_type: part.text('What for.', 'TUITION_FEE'),
  amount: part.amount('Rupees.', 5000),
})

/** A payment that the bank took back afterwards has left nothing at the institute, settled or not. */
function settledBy<Value>(read: (settlement: NonNullable<StudentPayment['settlement']>) => Value) {
  return ({ isReversed, settlement }: StudentPayment): Value | null =>
    isReversed || settlement === null ? null : read(settlement)
}

const paid = outputOf<StudentPayment>()
export const studentPaymentOutput = paid.object('StudentPayment', {
  order_id: paid.text('Id of the order.', ORDER_ID),
  payment_id: paid.text('Id of the payment.', 'pay_01k9zq4m0ve8sbn6yt2hw3c5da'),
  product: paid.oneOf(['pay', 'flex', 'cred'], 'What it was paid through.', payment => {
    const product = productOf(payment.orderKind)
    return product === 'direct' ? 'pay' : product
  }),
  status: paid.oneOf(
    ['pending', 'captured', 'settled', 'reversed'],
    'How far it is.',
    ({ state, isReversed, settlement }) => {
      if (state === 'pending') return 'pending'
      if (isReversed) return 'reversed'
      return settlement === null ? 'captured' : 'settled'
    },
    'settled',
  ),
  settlement_utr: paid.optional.text(
    'The bank reference of the pay-out that it reached the institute with; with every `settled`.',
    'HDFCR52026111600042',
    settledBy(({ utr }) => utr),
  ),
  settled_at: paid.optional.moment(
    'When it reached the institute, UTC; with every `settled`.',
    '2026-12-21T06:00:00.000Z',
    settledBy(({ settledAt }) => settledAt),
  ),
  refunded_amount: paid.amount('Given back of it.', 0, payment => payment.refundedPaise),
  mode: paid.text('How it was paid.', 'upi'),
  transaction_id: paid.optional.text("The bank's reference.", 'SBX0123456789'),
  paid_at: paid.optional.moment(
    'When the money left the payer.',
    '2026-12-19T05:30:00.000Z',
    payment => payment.capturedAt,
  ),
  receipt_number: paid.optional.text('Number of the receipt.', '2026-27/000042', ({ receipt }) =>
    receipt === null ? null : receiptNumber(receipt),
  ),
  details: paid.list('By component.', partOutput, payment => payment.lines),
  amount: paid.amount('Rupees.', 5000),
})
