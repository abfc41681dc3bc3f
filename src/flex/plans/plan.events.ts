import { defineEvent, newEvent, type NewEvent, type SourceOf } from '../../events/define-event.ts'
import {
  paymentBlock,
  SETTLED_AT,
  UNSETTLED,
  type PaymentInEvent,
} from '../../events/payment-block.output.ts'
import { outputOf } from '../../http/wire/output.ts'
import type { StudentContext } from '../../students/student-contexts.service.ts'
import { ofStudent, type StudentInEvent } from '../../students/student.events.ts'
import { sumsOf, type Instalment, type LoadedPlan, type Mandate } from '../rules/plan.rules.ts'
import type { ReturnMeaning } from '../rules/returns.rules.ts'
import { ORDER_ID } from '../../orders/order.input.ts'
import { PLAN_ID, instalmentOutput, mandateOutput, scheduleRowOutput, SETTLEMENT } from './plan.schemas.ts'

export type Reason = { code: string; category: ReturnMeaning['category'] | 'erp'; message: string }
type Change = { field: string; before: unknown; after: unknown }

type PlanInEvent = StudentInEvent & { subscription: LoadedPlan }
type WithReason = { reason?: Reason | undefined }

const plan = outputOf<LoadedPlan>()
const subscriptionBlock = plan.object('SubscriptionBlock', {
  id: plan.text('Plan id.', PLAN_ID, one => one.plan.id),
  status: plan.oneOf(
    ['setup', 'active', 'locked', 'cancelled', 'closed'],
    'State of the plan.',
    // A down payment is taken while the set-up is under way.
    one => (one.plan.state === 'draft' ? 'setup' : one.plan.state),
    'active',
  ),
  product_name: plan.text('Name of the plan.', 'Fee instalments', one => one.plan.productName),
  total_amount: plan.amount('Rupees in all.', 12000, one => sumsOf(one).totalPaise),
  paid_amount: plan.amount('Rupees paid so far.', 6000, one => sumsOf(one).paidPaise),
  outside_amount: plan.optional.amount(
    'What the student owes that no instalment takes; absent when there is none.',
    500,
    one => (one.plan.outsidePaise > 0 ? one.plan.outsidePaise : null),
  ),
})

const why = outputOf<Reason>()
const reasonBlock = why.object('ReasonBlock', {
  code: why.text("The bank's or the ERP's code.", '04'),
  category: why.oneOf(
    ['funds', 'bank', 'limit', 'mandate', 'account', 'payer', 'duplicate', 'erp'],
    'What kind of reason it is.',
  ),
  message: why.text('Can be shown to people.', 'The account did not have enough money.'),
})

const change = outputOf<Change>()
const changeBlock = change.object('ChangeBlock', {
  field: change.text('What changed.', 'payment_schedule.inst_01k9zq4m0ve8sbn6yt2hw3c5da.due_date'),
  before: change.optional.json('As it was; absent when it is new.', '2026-11-25'),
  after: change.json('As it is.', '2026-12-05'),
})

const out = outputOf<PlanInEvent>()
const ofPlan = { ...ofStudent, subscription: out.one('The Flex plan.', subscriptionBlock) }
const payment_schedule = out.list(
  'All instalments.',
  scheduleRowOutput,
  ({ subscription }) => subscription.instalments,
)
const withReason = outputOf<WithReason>()
const reason = withReason.optional.one('Why.', reasonBlock, source => source.reason)

type PlanPaymentInEvent = PlanInEvent & { payment: PaymentInEvent; orderId: string }
const debit = outputOf<PlanPaymentInEvent & { instalment: Instalment }>()
const ofInstalment = { ...ofPlan, instalment: debit.one('The instalment.', instalmentOutput) }
const payment = {
  order_id: outputOf<PlanPaymentInEvent>().text(
    'The order that it paid: read, refunded and receipted there.',
    ORDER_ID,
  ),
  payment: outputOf<PlanPaymentInEvent>().one('The payment.', paymentBlock),
}

const ended = outputOf<PlanInEvent & { mandate: Mandate } & WithReason>()
const ofMandate = { ...ofPlan, mandate: ended.one('The mandate.', mandateOutput) }

const setupPayload = outputOf<PlanInEvent & { mandate: Mandate }>().object({
  ...ofMandate,
  payment_schedule,
})
const activePayload = outputOf<PlanInEvent & { mandate: Mandate }>().object(ofMandate)
const mandatePayload = ended.object({ ...ofMandate, reason })
const updated = outputOf<PlanInEvent & { changes: readonly Change[] }>()
const updatedPayload = updated.object({
  ...ofPlan,
  payment_schedule,
  changes: updated.list('What changed.', changeBlock),
})
const stoppedPayload = outputOf<PlanInEvent & WithReason>().object({ ...ofPlan, reason })
const downPaymentPayload = outputOf<PlanPaymentInEvent>().object({ ...ofPlan, ...payment })
const instalmentPayload = debit.object({ ...ofInstalment, ...payment })
const bounced = outputOf<
  PlanInEvent & { instalment: Instalment; reason: Reason; nextPresentationOn: string | undefined }
>()
const bouncedPayload = bounced.object({
  ...ofInstalment,
  reason: bounced.one('Why.', reasonBlock),
  next_presentation_on: bounced.optional.day('When it is presented again.', '2026-11-18'),
})
const skipped = outputOf<
  PlanInEvent & { instalment: Instalment; reason: Reason; nextTryOn: string | undefined }
>()
const skippedPayload = skipped.object({
  ...ofInstalment,
  reason: skipped.one('Why.', reasonBlock),
  next_try_on: skipped.optional.day(
    'When it is tried again; absent of an amount that is to be paid online.',
    '2026-11-16',
  ),
})

// The examples show a plan of a down payment and one instalment.
const DOWN_PAYMENT = {
  id: 'inst_01k9zq4m0ve8sbn6yt2hw3c5d9',
  due_date: '2026-11-15',
  amount: 6000,
  is_downpayment: true,
  status: 'debited' as const,
  reference_id: 'PART-1',
  details: [{ component_type: 'TUITION_FEE', amount: 6000 }],
}
const SETTLED_DOWN_PAYMENT = { ...DOWN_PAYMENT, ...SETTLEMENT, status: 'settled' as const }
const INSTALMENT = {
  ...DOWN_PAYMENT,
  id: scheduleRowOutput.example.id,
  due_date: scheduleRowOutput.example.due_date,
  is_downpayment: false,
  status: 'scheduled' as const,
  reference_id: 'PART-2',
}
const UNPAID = {
  is_charge: undefined,
  charge_reason: undefined,
  stopped_at: undefined,
  refunded_amount: undefined,
  settlement_id: undefined,
  settlement_utr: undefined,
}
const TODAY = { ...UNPAID, due_date: '2026-11-15', presented_on: '2026-11-15', reference_id: 'PART-2' }
const SETTLED_LINE = { ...paymentBlock.example.details[0], component_type: 'TUITION_FEE', amount: 6000 }
const unsettled = {
  ...UNSETTLED,
  amount: 6000,
  product: 'flex',
  notes: undefined,
  details: DOWN_PAYMENT.details,
} as const
const settled = { amount: 6000, product: 'flex' as const, notes: undefined, details: [SETTLED_LINE] }
const byMandate = { mode: 'enach', transaction_id: 'NACH2611151002' }
const live = { upi_reference: undefined, npci_category_code: undefined }

export const flexEvents = {
  'flex.subscription.setup': defineEvent('The payer has authorised the plan.', setupPayload, {
    subscription: { status: 'setup' },
    payment_schedule: [DOWN_PAYMENT, INSTALMENT],
    mandate: { ...live, status: 'pending', umrn: undefined },
  }),
  'flex.subscription.active': defineEvent(
    'The bank confirms that the mandate can be debited.',
    activePayload,
    { mandate: live },
  ),
  'flex.subscription.updated': defineEvent(
    'Schedule, amounts, dates or hold change; or a closed plan goes on, because something is owed again.',
    updatedPayload,
    {
      payment_schedule: [SETTLED_DOWN_PAYMENT, INSTALMENT],
    },
  ),
  'flex.subscription.locked': defineEvent(
    'The plan cannot go on by itself: its mandate has ended, or the ERP says that the student was transferred.',
    stoppedPayload,
    {
      subscription: { status: 'locked' },
      reason: { code: '29', category: 'mandate', message: 'The bank no longer has a valid mandate.' },
    },
  ),
  'flex.subscription.unlocked': defineEvent(
    'A locked plan goes on: by a new mandate, a later answer of the ERP or the institute.',
    stoppedPayload,
    { reason: undefined },
  ),
  'flex.subscription.cancelled': defineEvent('The plan is stopped.', stoppedPayload, {
    subscription: { status: 'cancelled' },
    reason: { code: 'student_discontinued', category: 'erp', message: 'The student has left the school.' },
  }),
  'flex.subscription.closed': defineEvent('All of the plan is paid or waived.', stoppedPayload, {
    subscription: { status: 'closed', paid_amount: 12000 },
    reason: undefined,
  }),
  'flex.mandate.cancelled': defineEvent(
    'The mandate is revoked at the bank or by the payer, or ended because its plan was cancelled or has closed for good.',
    mandatePayload,
    {
      subscription: { status: 'locked' },
      mandate: { ...live, status: 'cancelled', npci_category_code: 'customer_revoked' },
      reason: { code: '29', category: 'mandate', message: 'The bank no longer has a valid mandate.' },
    },
  ),
  'flex.mandate.expired': defineEvent('The mandate is past its end date.', mandatePayload, {
    subscription: { status: 'locked' },
    mandate: { ...live, status: 'expired', start_date: '2026-06-15', end_date: '2026-11-14' },
    reason: undefined,
  }),
  'flex.downpayment.debited': defineEvent('The down payment is taken at set-up.', downPaymentPayload, {
    subscription: { status: 'setup' },
    payment: { ...unsettled, reference_id: 'PART-1' },
  }),
  'flex.downpayment.settled': defineEvent(
    'The down payment reached the institute.',
    downPaymentPayload,
    { payment: { ...settled, reference_id: 'PART-1' } },
    SETTLED_AT,
  ),
  'flex.instalment.debited': defineEvent('An instalment left the payer.', instalmentPayload, {
    subscription: { total_amount: 18000, paid_amount: 12000 },
    instalment: { ...TODAY, status: 'debited' },
    payment: { ...unsettled, ...byMandate },
  }),
  'flex.instalment.settled': defineEvent(
    'An instalment reached the institute.',
    instalmentPayload,
    {
      subscription: { total_amount: 18000, paid_amount: 12000 },
      instalment: { ...TODAY, ...SETTLEMENT, status: 'settled' },
      payment: { ...settled, ...byMandate },
    },
    SETTLED_AT,
  ),
  'flex.instalment.bounced': defineEvent(
    'The bank returned an instalment, at once or late.',
    bouncedPayload,
    { instalment: { ...TODAY, status: 'bounced' } },
  ),
  'flex.instalment.skipped': defineEvent(
    "An instalment is not presented because of the ERP's answer or silence; or an amount is above what the mandate may " +
      'take (`above_mandate`) and is to be paid online.',
    skippedPayload,
    {
      instalment: {
        ...TODAY,
        due_date: '2026-11-16',
        presented_on: undefined,
        attempt: 0,
        status: 'skipped',
      },
      reason: { code: 'unavailable', category: 'erp', message: 'The ERP did not answer.' },
    },
  ),
}

export type FlexEventCode = keyof typeof flexEvents

/** What an event adds to what every event of a plan carries. */
export type EventExtras<Code extends FlexEventCode> = Omit<
  SourceOf<(typeof flexEvents)[Code]>,
  keyof PlanInEvent
>

export function flexEvent<Code extends FlexEventCode>(
  code: Code,
  loaded: LoadedPlan & { student: StudentContext; now: Date },
  extras: EventExtras<Code>,
): NewEvent {
  const { instituteId, collectorCode, id: resourceId } = loaded.plan
  const about = { instituteId, collectorCode, resourceId, occurredAt: loaded.now }
  const source = { ...loaded.student, subscription: loaded, ...extras }
  return newEvent(flexEvents, code, about, source as unknown as SourceOf<(typeof flexEvents)[Code]>)
}
