import { field, input, optional } from '../../http/wire/input.ts'
import { MAX_COMPONENTS } from '../../fees/fees.rules.ts'
import { outputOf } from '../../http/wire/output.ts'
import type { Decision, PresentationRow } from '../engine/engine.store.ts'
import {
  sumLines,
  type Line,
  planStatus,
  sumsOf,
  type Instalment,
  type LoadedPlan,
  type Mandate,
  PLAN_STATUSES,
  statesOf,
} from '../rules/plan.rules.ts'
import { meaningOf, type NpciCategory } from '../rules/returns.rules.ts'

/** What the routes of plans take. */
export const PLAN_ID = 'plan_01k9zq4m0ve8sbn6yt2hw3c5da'
const STUDENT_ID = 'student_01k9zq4m0ve8sbn6yt2hw3c5da'

export const studentParams = input({
  service_student_id: field.resourceId('The id returned by Register Student.', STUDENT_ID).as('studentId'),
})

export const planParams = input({ plan_id: field.resourceId('Id of the plan.', PLAN_ID) })

const lineInput = input({
  component_type: field.code('A fee component of the student.', 'TUITION_FEE'),
  amount: field.positiveAmount('Rupees, more than 0.', 6000),
})

const rowInput = input({
  due_date: field
    .day('When it is due, YYYY-MM-DD; today or later, and one instalment a day.', '2026-12-05')
    .as('dueOn'),
  reference_id: optional(field.identifier('Your own reference of the instalment.', 'INST-1')),
  identifier: optional(field.identifier('Your own identifier of the instalment.', 'TERM-1')),
  is_downpayment: optional(
    field.flag('Paid online at set-up; at most one. false when absent.', false),
    false,
  ),
  details: field
    .list('What it takes of which component.', lineInput, { min: 1, max: MAX_COMPONENTS })
    .as('lines'),
})

const MAX_ROWS = 60

export const planInput = input({
  payment_schedule: optional(
    field.list(
      "The instalments. Together they take exactly what is outstanding, of each component. Absent: the institute's default plan.",
      rowInput,
      { min: 1, max: MAX_ROWS },
    ),
  ).as('rows'),
})

export const rescheduleInput = input({
  due_date: field.day('The due date of the instalment to move.', '2026-12-05').as('dueOn'),
  new_due_date: field
    .day('Its new due date: today or later, and not that of another instalment.', '2026-12-20')
    .as('newDueOn'),
})

export const chargeInput = input({
  component_type: field.code(
    'The fee; the payer agreed to single charges of it when the mandate was given.',
    'PICNIC_FEE',
  ),
  amount: field.positiveAmount(
    'Rupees, more than 0; at most what one debit under the mandate may take.',
    500,
  ),
  due_date: field
    .day(
      'When it is due, YYYY-MM-DD; today or later. It is presented on the first working day from then on that leaves 24 hours for the notice.',
      '2026-12-10',
    )
    .as('dueOn'),
  reason: field.text(
    'What it is for; the family reads it in the notice.',
    'Picnic of class V on 12 December',
  ),
  reference_id: optional(
    field.identifier(
      'Your own reference of the charge; the same charge sent again is made once.',
      'PICNIC-5A',
    ),
  ),
})

export const chargeParams = input({
  ...planParams.fields,
  instalment_id: field.resourceId('Id of the charge.', 'inst_01k9zq4m0ve8sbn6yt2hw3c5da'),
})

/** Plans, instalments and mandates as the API answers them and as events carry them. */
export const SETTLEMENT = {
  settlement_id: 'stl_01k9zq4m0ve8sbn6yt2hw3c5da',
  settlement_utr: 'HDFCR52026111600042',
}
const INSTALMENT_ID = 'inst_01k9zq4m0ve8sbn6yt2hw3c5da'

const line = outputOf<Line, unknown>()
const lineOutput = line.object('InstalmentLine', {
  component_type: line.text('What it is for.', 'TUITION_FEE'),
  amount: line.amount('Rupees.', 6000),
})

const row = outputOf<Instalment, unknown>()
const rowFields = {
  id: row.text('Id of the instalment.', INSTALMENT_ID),
  due_date: row.day('When it is due.', '2026-12-05', one => one.dueOn),
  amount: row.amount('Rupees.', 6000, one => sumLines(one.lines)),
  is_downpayment: row.flag('Whether it is paid at set-up.', false),
  status: row.oneOf(statesOf('instalment'), 'Where it stands.', one => one.state),
  reference_id: row.optional.text('Present only if provided.', 'INST-1'),
  refunded_amount: row.optional.amount(
    'What was refunded of it, rupees; absent when nothing was. As far as it is owed again, an instalment that is `due` takes it.',
    1000,
    one => (one.refundedPaise > 0 ? one.refundedPaise : null),
  ),
  settlement_id: row.optional.text(
    'The settlement that it reached the institute by; absent until then.',
    SETTLEMENT.settlement_id,
  ),
  settlement_utr: row.optional.text('Its UTR.', SETTLEMENT.settlement_utr),
  details: row.list('By component.', lineOutput, one => one.lines),
  is_charge: row.optional.flag(
    'true for a single charge on the mandate; absent for an instalment of the schedule.',
    true,
    one => one.isCharge || null,
  ),
  charge_reason: row.optional.text(
    'What a single charge is for, as the family reads it; absent for an instalment.',
    'Picnic of class V on 12 December',
  ),
  stopped_at: row.optional.moment(
    'When the family stopped a single charge: it is not debited and stays due. Absent otherwise.',
    '2026-12-08T05:00:00.000Z',
  ),
}
const instalmentFields = {
  ...rowFields,
  attempt: row.integer('How many presentations were made that count.', 1),
  presented_on: row.optional.day('When it was last presented; absent until then.', '2026-12-05'),
}

export const scheduleRowOutput = row.object('ScheduleRow', rowFields)
export const instalmentOutput = row.object('Instalment', instalmentFields)

const mandate = outputOf<Mandate, unknown>()
export const mandateFields = {
  id: mandate.text('Mandate id.', 'mdt_01k9zq4m0ve8sbn6yt2hw3c5da'),
  rail: mandate.oneOf(['enach', 'upi_autopay'], 'How it debits.'),
  status: mandate.oneOf(statesOf('mandate'), 'State of the mandate.', one => one.state, 'active'),
  umrn: mandate.optional.text('Reference of an eNACH mandate.', 'HDFC0000000012345678'),
  upi_reference: mandate.optional.text('Reference of a UPI Autopay mandate.', 'upi-autopay-2026-000042'),
  max_amount: mandate.amount('The most that one debit may take.', 7500, one => one.capPaise),
  start_date: mandate.day('Valid from.', '2026-11-15', one => one.startOn),
  end_date: mandate.day('Valid until.', '2027-04-05', one => one.endOn),
  charge_components: mandate.optional.texts(
    'Fees of which the payer agreed to single charges beside the schedule; absent without any.',
    ['PICNIC_FEE', 'EXAM_FEE'],
    one => (one.chargeComponents.length > 0 ? one.chargeComponents : null),
  ),
  npci_category_code: mandate.optional.oneOf(
    ['account_not_active', 'bank_kyc_pending', 'customer_revoked', 'mandate_error'],
    'Why it ended, as the bank says.',
    one => one.npciCategory as NpciCategory | null,
  ),
}
export const mandateOutput = mandate.object('Mandate', mandateFields)

export const scheduleRowBlock = (instalment: Instalment) => scheduleRowOutput.toJson(instalment, undefined)

/** The address at which parents reach us. */
export type PublicAddress = { publicUrl: string }

const plan = outputOf<LoadedPlan, PublicAddress>()
export const planFields = {
  plan_id: plan.text('Id of the plan.', PLAN_ID, one => one.plan.id),
  service_student_id: plan.text('Whose fees it takes.', STUDENT_ID, one => one.plan.studentId),
  status: plan.oneOf(
    PLAN_STATUSES,
    'draft until the payer has authorised it, setup until the bank confirms the mandate, then active; locked when it ' +
      'cannot go on, cancelled when it was stopped, closed when everything is paid, covered or waived. A closed plan is active ' +
      'again while something is owed in it. A plan that is stopped while a debit is at the bank is cancelling until the ' +
      'result, and its mandate stays until then; events say cancelled from the first.',
    planStatus,
  ),
  is_held: plan.flag(
    'Whether the institute holds it: nothing is debited meanwhile.',
    false,
    one => one.plan.isHeld,
  ),
  held_by: plan.optional.oneOf(
    ['institute', 'payer', 'upi_app'],
    'Who holds it: the institute, the payer on the page of the plan, or the payer in the UPI app, who alone can end that. Present only while it is held.',
    one => one.plan.heldBy,
  ),
  lock_reason: plan.optional.text(
    'Why it is locked; present only while it is.',
    'mandate_ended',
    one => one.plan.lockReason,
  ),
  product_name: plan.text('What parents know it as.', 'Fee instalments', one => one.plan.productName),
  total_amount: plan.amount('What it takes in all, rupees.', 12000, one => sumsOf(one).totalPaise),
  paid_amount: plan.amount('What has come of it, rupees.', 6000, one => sumsOf(one).paidPaise),
  outside_amount: plan.optional.amount(
    'What the student owes that no instalment takes, rupees: it is paid outside of the plan. Absent when there is none.',
    500,
    one => (one.plan.outsidePaise > 0 ? one.plan.outsidePaise : null),
  ),
  redirect_url: plan.text(
    'The page on which the payer sets it up.',
    `https://pay.example.in/flex/demo-school/${PLAN_ID}`,
    (one, { publicUrl }) => `${publicUrl}/flex/${one.plan.instituteCode}/${one.plan.id}`,
  ),
}

export const planOutput = plan.object('Plan', {
  ...planFields,
  payment_schedule: plan.list('The instalments, in their order.', scheduleRowOutput, one => one.instalments),
})

const PRESENT_ON =
  'When it is, or was, to be presented: the due date, or the working day that it had to move to.'

/** A plan in the console, with the days on which its instalments go to the bank. */
export const datedPlanOutput = plan.object({
  ...planFields,
  payment_schedule: plan.list(
    'The instalments, in their order.',
    row.object({ ...rowFields, present_on: row.day(PRESENT_ON, '2026-12-10') }),
    one => one.instalments,
  ),
})

const attempt = outputOf<PresentationRow, unknown>()
const attemptOutput = attempt.object({
  presentation: attempt.integer('Which presentation of the instalment it was, from 1 on.', 1),
  amount: attempt.amount('What was asked of the bank, rupees.', 6000),
  presented_at: attempt.moment('When.', '2026-12-05T02:00:00.000Z'),
  status: attempt.oneOf(
    ['presented', 'debited', 'bounced', 'reversed'],
    'What the bank made of it; presented until it says so.',
    one => one.state,
    'bounced',
  ),
  return_code: attempt.optional.text("The bank's code; present only if it was returned.", '04'),
  reason: attempt.optional.text(
    'What that code means, in words.',
    'The account did not have enough money.',
    one => one.returnCode && meaningOf(one.returnCode).message,
  ),
})

export type TriedInstalment = Instalment & { attempts: PresentationRow[] }
const tried = outputOf<TriedInstalment, unknown>()
export const triedFields = {
  ...instalmentFields,
  identifier: tried.optional.text('Present only if provided.', 'TERM-1'),
  present_on: tried.day(PRESENT_ON, '2026-12-10'),
  notified_at: tried.optional.moment(
    'When the payer was notified of the next debit; absent until then.',
    '2026-12-08T20:31:00.000Z',
  ),
  return_code: tried.optional.text("The bank's code of the last return; absent without one.", '04'),
  attempts: tried.list('Every presentation, oldest first.', attemptOutput),
}

/** A charge as it stands, with its plan. */
const charged = outputOf<LoadedPlan & { charge: Instalment }, PublicAddress>()
export const chargedOutput = charged.object('ChargedPlan', {
  ...planFields,
  charge: charged.one('The charge.', instalmentOutput),
  present_on: charged.day(
    'The day on which it is to be presented: the due date, or the first working day after it that leaves time for the notice and has no other debit of the mandate.',
    '2026-12-10',
    one => one.charge.presentOn,
  ),
})

/** A plan with all that was tried and decided: what a bursar reads to know why. */
export type PlanHistory = LoadedPlan & { presentations: PresentationRow[]; decisions: Decision[] }

const decision = outputOf<Decision, unknown>()
const decisionOutput = decision.object({
  at: decision.moment('When.', '2026-12-07T12:30:00.000Z', one => one.decidedAt),
  instalment_id: decision.optional.text(
    'About which instalment; absent when about the plan or its mandate.',
    INSTALMENT_ID,
  ),
  what: decision.text('What was decided.', 'scheduled'),
  why: decision.text('Why, for a person to read.', 'to be presented again on 2026-12-10'),
})

const history = outputOf<PlanHistory, PublicAddress>()
export const planHistoryOutput = history.object('PlanDetail', {
  ...planFields,
  mandate: history.optional.one('How it is debited; absent before the set-up.', mandateOutput),
  payment_schedule: history.list('The instalments, in their order.', tried.object(triedFields), withAttempts),
  decisions: history.list('What was decided and why, newest first; the newest 100.', decisionOutput),
})

export function withAttempts({
  instalments,
  presentations,
}: Pick<PlanHistory, 'instalments' | 'presentations'>): TriedInstalment[] {
  const byInstalment = Map.groupBy(presentations, one => one.instalmentId)
  return instalments.map(one => ({ ...one, attempts: byInstalment.get(one.id) ?? [] }))
}
