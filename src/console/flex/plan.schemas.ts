import {
  chargeInput,
  mandateFields,
  planFields,
  planParams,
  rescheduleInput,
  triedFields,
  type PublicAddress,
  type PlanHistory,
  type TriedInstalment,
} from '../../flex/plans/plan.schemas.ts'
import type { ChargeTerms } from '../../flex/rules/charge.rules.ts'
import { isOpen, isPlanOver, type Mandate, type Plan } from '../../flex/rules/plan.rules.ts'
import { field, input } from '../../http/wire/input.ts'
import { outputOf, type Shown } from '../../http/wire/output.ts'
import { OBSTACLES, OBSTACLE_TEXTS, type Obstacle } from './flex.texts.ts'
import type { PlanStudent, TimelineEntry } from './plans.store.ts'

export const instalmentParams = input({
  ...planParams.fields,
  instalment_id: field.resourceId('Id of the instalment.', 'inst_01k9zq4m0ve8sbn6yt2hw3c5da'),
})

const reason = field.text('Why; stands in the audit log.', 'The parents asked to wait')
export const reasonInput = input({ reason })
export const consoleChargeInput = input({
  component_type: chargeInput.fields.component_type,
  amount: chargeInput.fields.amount,
  due_date: chargeInput.fields.due_date,
  reason: chargeInput.fields.reason,
})
export const moveInput = input({ new_due_date: rescheduleInput.fields.new_due_date, reason })

const obstacle = outputOf<Obstacle, unknown>()
const obstacleOutput = obstacle.object({
  kind: obstacle.oneOf(OBSTACLES, 'What is in the way.', kind => kind),
  title: obstacle.text('In a few words.', 'Plan is held', kind => OBSTACLE_TEXTS[kind].title),
  text: obstacle.text(
    'What it means, and what to do.',
    'Resume it to go on.',
    kind => OBSTACLE_TEXTS[kind].text,
  ),
})

const mandate = outputOf<Mandate, unknown>()
const mandateOutput = mandate.object({
  ...mandateFields,
  provider: mandate.text('Who keeps it.', 'sandbox'),
  authorised_at: mandate.optional.moment('When the payer authorised it.', '2026-11-15T04:00:00.000Z'),
})

type PlannedInstalment = TriedInstalment & { next: string; plan: Pick<Plan, 'state'> }

/** What the page of a plan shows. */
export type PlanDetail = PlanHistory & {
  student: PlanStudent
  obstacle: Obstacle | null
  chargeTerms: ChargeTerms | null
  planned: PlannedInstalment[]
  entries: TimelineEntry[]
}

const terms = outputOf<ChargeTerms, unknown>()
const chargeTermsOutput = terms.object({
  component_types: terms.texts('Fees of which the payer agreed to single charges.', ['PICNIC_FEE']),
  most_amount: terms.amount(
    'The most that one may take, rupees: cap of the mandate and limit of its way.',
    7500,
    one => one.mostPaise,
  ),
  earliest_on: terms.day('The first day on which one can be presented.', '2026-12-05'),
  latest_on: terms.day('The end of the mandate.', '2027-04-05'),
})

const instalment = outputOf<PlannedInstalment, unknown>()
const instalmentOutput = instalment.object({
  ...triedFields,
  number: instalment.integer('Its number.', 1),
  next_step: instalment.text(
    'What happens next, in a sentence.',
    'The bank answers by 7 December 2026.',
    one => one.next,
  ),
  can_be_moved: instalment.flag(
    'Whether it can be given another day.',
    true,
    one => !isPlanOver(one.plan) && !one.isDownpayment && isOpen(one) && one.stoppedAt === null,
  ),
  can_be_called_off: instalment.flag(
    'Whether it is a single charge that can still be called off.',
    false,
    one => one.isCharge && isOpen(one),
  ),
})

const student = outputOf<PlanStudent, unknown>()
const planStudentOutput = student.object({
  id: student.text('Id of the student.', 'student_01k9zq4m0ve8sbn6yt2hw3c5da'),
  fullname: student.text('Name.', 'Kabir Nair'),
  identifier: student.text('Admission number.', 'ADM-2026-001'),
  grade: student.text('Class.', 'V'),
  status: student.oneOf(['active', 'dropped'], 'Whether the student is still here.'),
  branch: student.text('Name of the branch that the student is in.', 'South'),
  mandate_branch: student.optional.text(
    'Name of the branch that the mandate was given to, while the plan debits for it and the student is in another.',
    'Main',
  ),
  contact_name: student.text('Who is told.', 'Asha Nair'),
  contact_number: student.text('Phone.', '9876543210'),
  contact_email: student.text('E-mail.', 'asha@example.in'),
})

const entry = outputOf<TimelineEntry & { instalment: number | undefined }, unknown>()
const entryOutput = entry.object({
  id: entry.text('Of this entry.', 'decision.42', one => `${one.kind}.${one.id}`),
  kind: entry.oneOf(
    ['decision', 'event', 'message', 'act'],
    'What Bursar decided, an event for the ERP, a message to the family, or what a person did here.',
  ),
  at: entry.moment('When.', '2026-12-04T02:30:00.000Z'),
  what: entry.text('What happened.', 'confirmed'),
  why: entry.optional.text('Why.', '₹6,000.00 announced for 2026-12-05'),
  by: entry.optional.text('Who did it, if a person did.', 'asha@school.example'),
  instalment: entry.optional.integer('The number of the instalment it is about.', 1),
  data: entry.optional.json('All of it.', {}),
})

const detail = outputOf<PlanDetail, PublicAddress>()
/** The API's plan, with what a bursar decides by. */
export const planDetailOutput = detail.object({
  ...planFields,
  collector_code: detail.text('The branch.', 'MAIN', one => one.plan.collectorCode),
  created_at: detail.moment('When it was made.', '2026-11-15T04:00:00.000Z', one => one.plan.createdAt),
  set_up_at: detail.optional.moment(
    'When the family set it up.',
    '2026-11-15T04:10:00.000Z',
    one => one.plan.setUpAt,
  ),
  is_custom: detail.flag("Whether the ERP's schedule made it.", false, one => one.plan.isCustom),
  student: detail.one('Whose fees it takes, and who is told.', planStudentOutput),
  obstacle: detail.optional.one('What keeps the plan from going on.', obstacleOutput),
  mandate: detail.optional.one('How it is debited; absent before the set-up.', mandateOutput),
  charge_terms: detail.optional.one(
    'What can be charged once on the mandate now; absent when nothing can.',
    chargeTermsOutput,
  ),
  payment_schedule: detail.list('The instalments, in their order.', instalmentOutput, one => one.planned),
  timeline: detail.list(
    'Newest first; the newest 200 of each kind.',
    entryOutput,
    ({ entries, instalments }) => {
      const numbers = new Map(instalments.map(({ id, number }) => [id, number]))
      return entries.map(one => ({ ...one, instalment: numbers.get(one.instalmentId ?? '') }))
    },
  ),
})

export type PlanAnswer = Shown<typeof planDetailOutput>
