import { Type } from 'typebox'
import { field, shown } from '../../http/fields.ts'
import { MandateBlock } from '../../events/blocks.ts'
import { MAX_COMPONENTS } from '../../fees/fees.rules.ts'

/** What the routes of Flex take and answer. */
const MAX_ROWS = 60

export const StudentParams = Type.Object({
  service_student_id: field.resourceId({
    description: 'The id returned by Register Student.',
    examples: ['student_01k9zq4m0ve8sbn6yt2hw3c5da'],
  }),
})

export const PlanParams = Type.Object({
  plan_id: field.resourceId({
    description: 'Id of the plan.',
    examples: ['plan_01k9zq4m0ve8sbn6yt2hw3c5da'],
  }),
})

const sentRow = Type.Object({
  due_date: field.day({
    description: 'When it is due, YYYY-MM-DD; today or later, and one instalment a day.',
    examples: ['2026-12-05'],
  }),
  reference_id: Type.Optional(field.identifier({ description: 'Your own reference of the instalment.' })),
  identifier: Type.Optional(field.identifier({ description: 'Your own identifier of the instalment.' })),
  is_downpayment: Type.Optional(
    field.flag({ description: 'Paid online at set-up; at most one. false when absent.' }),
  ),
  details: Type.Array(
    Type.Object({
      component_type: field.code({
        description: 'A fee component of the student.',
        examples: ['TUITION_FEE'],
      }),
      amount: field.positiveAmount({ description: 'Rupees, more than 0.', examples: [6000] }),
    }),
    { minItems: 1, maxItems: MAX_COMPONENTS, description: 'What it takes of which component.' },
  ),
})

export const CreatePlanBody = Type.Object({
  payment_schedule: Type.Optional(
    Type.Array(sentRow, {
      minItems: 1,
      maxItems: MAX_ROWS,
      description:
        "The instalments. Together they take exactly what is outstanding, of each component. Absent: the institute's default plan.",
    }),
  ),
})

export const RescheduleBody = Type.Object({
  due_date: field.day({ description: 'The due date of the instalment to move.', examples: ['2026-12-05'] }),
  new_due_date: field.day({
    description: 'Its new due date: today or later, and not that of another instalment.',
    examples: ['2026-12-20'],
  }),
})

export const PLAN_STATES = ['draft', 'setup', 'active', 'locked', 'cancelled', 'closed'] as const

export const INSTALMENT_STATES = [
  'scheduled',
  'confirmed',
  'presented',
  'debited',
  'settled',
  'bounced',
  'skipped',
  'reversed',
  'covered',
  'waived',
  'cancelled',
] as const

const head = {
  plan_id: shown.text({ description: 'Id of the plan.' }),
  service_student_id: shown.text({ description: 'Whose fees it takes.' }),
  status: shown.oneOf(PLAN_STATES, {
    description:
      'draft until the payer has authorised it, setup until the bank confirms the mandate, then active; locked when it ' +
      'cannot go on, cancelled when it was stopped, closed when everything is paid, covered or waived.',
  }),
  is_held: shown.flag({ description: 'Whether the institute holds it: nothing is debited meanwhile.' }),
  lock_reason: Type.Optional(shown.text({ description: 'Why it is locked; present only while it is.' })),
  product_name: shown.text({ description: 'What parents know it as.' }),
  total_amount: shown.amount({ description: 'What it takes in all, rupees.' }),
  paid_amount: shown.amount({ description: 'What has come of it, rupees.' }),
  redirect_url: shown.text({ description: 'The page on which the payer sets it up.' }),
}

const row = {
  id: shown.text({ description: 'Id of the instalment.' }),
  due_date: shown.day({ description: 'When it is due.' }),
  amount: shown.amount({ description: 'Rupees.' }),
  is_downpayment: shown.flag({ description: 'Whether it is paid at set-up.' }),
  status: shown.oneOf(INSTALMENT_STATES, { description: 'Where it stands.' }),
  reference_id: Type.Optional(shown.text({ description: 'Present only if provided.' })),
  details: Type.Array(
    Type.Object({
      component_type: shown.text({ description: 'What it is for.' }),
      amount: shown.amount({ description: 'Rupees.' }),
    }),
    { description: 'By component.' },
  ),
}

export const PlanView = Type.Object({
  ...head,
  payment_schedule: Type.Array(Type.Object(row), { description: 'The instalments, in their order.' }),
})

const attempt = Type.Object({
  presentation: Type.Integer({ description: 'Which presentation of the instalment it was, from 1 on.' }),
  amount: shown.amount({ description: 'What was asked of the bank, rupees.' }),
  presented_at: shown.moment({ description: 'When.' }),
  status: shown.oneOf(['presented', 'debited', 'bounced', 'reversed'], {
    description: 'What the bank made of it; presented until it says so.',
  }),
  return_code: Type.Optional(
    shown.text({ description: "The bank's code; present only if it was returned." }),
  ),
})

const wholeRow = Type.Object({
  ...row,
  attempt: Type.Integer({ description: 'How many presentations were made that count.' }),
  presented_on: Type.Optional(shown.day({ description: 'When it was last presented; absent until then.' })),
  identifier: Type.Optional(shown.text({ description: 'Present only if provided.' })),
  present_on: shown.day({
    description:
      'When it is, or was, to be presented: the due date, or the working day that it had to move to.',
  }),
  notified_at: Type.Optional(
    shown.moment({ description: 'When the payer was told of the debit that is next; absent until then.' }),
  ),
  return_code: Type.Optional(
    shown.text({ description: "The bank's code of the last return; absent without one." }),
  ),
  attempts: Type.Array(attempt, { description: 'Every presentation, oldest first.' }),
})

const decision = Type.Object({
  at: shown.moment({ description: 'When.' }),
  instalment_id: Type.Optional(
    shown.text({ description: 'About which instalment; absent when about the plan or its mandate.' }),
  ),
  what: shown.text({ description: 'What was decided.' }),
  why: shown.text({ description: 'Why, for a person to read.' }),
})

export const WholePlanView = Type.Object({
  ...head,
  mandate: Type.Optional(MandateBlock),
  payment_schedule: Type.Array(wholeRow, { description: 'The instalments, in their order.' }),
  decisions: Type.Array(decision, {
    description: 'What was decided and why, newest first; the newest 100.',
  }),
})
