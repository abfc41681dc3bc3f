import { Type, type Static } from 'typebox'
import { statesOf } from '../../flex/rules/states.rules.ts'
import { field, shown } from '../../http/wire/fields.ts'
import { OBSTACLES } from './flex.texts.ts'
import { branch, RAILS, studentBlock } from './flex.schemas.ts'

/** What the console's plans take and answer. */
const count = (description: string) => Type.Integer({ description, minimum: 0 })
const amount = (description: string) => shown.amount({ description, examples: [72000.5] })

export const PlansQuery = Type.Object({
  status: Type.Optional(field.oneOf(statesOf('plan'), { description: 'Only plans that stand so.' })),
  held: Type.Optional(
    field.oneOf(['yes', 'no'] as const, { description: 'Only held ones, or only others.' }),
  ),
  collector_code: branch,
  search: Type.Optional(
    field.identifier({
      description: "Words of the student's name, admission number or contact, or a whole plan id or UMRN.",
      examples: ['Kabir'],
    }),
  ),
  limit: Type.Optional(field.pageSize()),
  cursor: Type.Optional(field.resourceId({ description: '`next_cursor` of the page before.' })),
})

export const PlanParams = Type.Object({
  plan_id: field.resourceId({ description: 'Id of the plan.' }),
})
export const InstalmentParams = Type.Object({
  plan_id: field.resourceId({ description: 'Id of the plan.' }),
  instalment_id: field.resourceId({ description: 'Id of the instalment.' }),
})

const reason = field.text({
  description: 'Why; stands in the audit log.',
  examples: ['The parents asked to wait'],
})
export const ReasonBody = Type.Object({ reason })
export const RescheduleBody = Type.Object({
  new_due_date: field.day({
    description: 'Today or later, within the mandate, and not that of another instalment.',
    examples: ['2026-12-20'],
  }),
  reason,
})

const state = {
  status: shown.oneOf(statesOf('plan'), { description: 'Where the plan stands.' }),
  is_held: shown.flag({ description: 'Whether it is held: nothing is debited meanwhile.' }),
  lock_reason: Type.Optional(shown.text({ description: 'Why it is locked; present only while it is.' })),
}

const head = {
  id: shown.text({ description: 'Id of the plan.' }),
  ...state,
  product_name: shown.text({ description: 'What parents know it as.' }),
  collector_code: shown.text({ description: 'The branch.' }),
  total_amount: amount('What it takes in all, rupees.'),
  paid_amount: amount('What has come of it, rupees.'),
  created_at: shown.moment({ description: 'When it was made, UTC.' }),
  set_up_at: Type.Optional(shown.moment({ description: 'When the family set it up, UTC.' })),
}

export const PlanRowView = Type.Object({
  ...head,
  student: studentBlock,
  rail: Type.Optional(shown.oneOf(RAILS, { description: 'How it debits.' })),
  umrn: Type.Optional(shown.text({ description: "The mandate's number at NPCI." })),
  instalments: count('How many in all, those cancelled apart.'),
  paid_instalments: count('How many are paid by debit.'),
  bounced_instalments: count('How many came back and are still due.'),
  next_debit_on: Type.Optional(shown.day({ description: 'When the next one is to be presented.' })),
  next_debit_amount: Type.Optional(amount('How much that is, rupees.')),
})

const MandateView = Type.Object({
  id: shown.text({ description: 'Id of the mandate.' }),
  rail: shown.oneOf(RAILS, { description: 'How it debits.' }),
  status: shown.oneOf(['pending', 'active', 'cancelled', 'expired', 'rejected'] as const, {
    description: 'Where it stands.',
  }),
  umrn: Type.Optional(shown.text({ description: 'Its number at NPCI.' })),
  upi_reference: Type.Optional(shown.text({ description: 'Its reference at UPI.' })),
  max_amount: amount('The most that one debit may take, rupees.'),
  start_date: shown.day({ description: 'From when it may be debited.' }),
  end_date: shown.day({ description: 'Until when.' }),
  provider: shown.text({ description: 'Who keeps it.' }),
  authorised_at: Type.Optional(shown.moment({ description: 'When the payer authorised it, UTC.' })),
  ended_because: Type.Optional(shown.text({ description: 'Why it ended, as NPCI names it.' })),
})

const AttemptView = Type.Object({
  presentation: count('Which presentation it was.'),
  amount: amount('What was asked of the bank, rupees.'),
  presented_at: shown.moment({ description: 'When, UTC.' }),
  status: shown.oneOf(['presented', 'debited', 'bounced', 'reversed'] as const, {
    description: 'What the bank made of it.',
  }),
  return_code: Type.Optional(shown.text({ description: "The bank's code." })),
  reason: Type.Optional(shown.text({ description: 'What the code means.' })),
})

const InstalmentView = Type.Object({
  id: shown.text({ description: 'Id of the instalment.' }),
  number: count('Its number.'),
  is_downpayment: shown.flag({ description: 'Whether it is paid at set-up.' }),
  due_date: shown.day({ description: 'When it is due.' }),
  present_on: shown.day({ description: 'When it is, or was, to be presented.' }),
  amount: amount('Rupees.'),
  details: Type.Array(
    Type.Object({ component_type: shown.text({ description: 'For what.' }), amount: amount('Rupees.') }),
  ),
  status: shown.oneOf(statesOf('instalment'), { description: 'Where it stands.' }),
  notified_at: Type.Optional(shown.moment({ description: 'When the family was told of the debit, UTC.' })),
  next_step: shown.text({ description: 'What happens next, in a sentence.' }),
  can_be_moved: shown.flag({ description: 'Whether it can be given another day.' }),
  attempts: Type.Array(AttemptView, { description: 'Oldest first.' }),
})

const EntryView = Type.Object({
  id: shown.text({ description: 'Of this entry.' }),
  kind: shown.oneOf(['decision', 'event', 'message', 'act'] as const, {
    description:
      'What Bursar decided, an event for the ERP, a message to the family, or what a person did here.',
  }),
  at: shown.moment({ description: 'When, UTC.' }),
  what: shown.text({ description: 'What happened.' }),
  why: Type.Optional(shown.text({ description: 'Why.' })),
  by: Type.Optional(shown.text({ description: 'Who did it, if a person did.' })),
  instalment: Type.Optional(count('The number of the instalment it is about.')),
  data: Type.Optional(Type.Unsafe<unknown>({ description: 'All of it.', examples: [{}] })),
})

export const PlanView = Type.Object({
  ...head,
  is_custom: shown.flag({ description: "Whether the ERP's schedule made it." }),
  page_url: shown.text({ description: 'Where the family sets it up.' }),
  student: Type.Object({
    ...studentBlock.properties,
    status: shown.oneOf(['active', 'dropped'] as const, {
      description: 'Whether the student is still here.',
    }),
    branch: shown.text({ description: 'Name of the branch.' }),
    contact_name: shown.text({ description: 'Who is told.' }),
    contact_number: shown.text({ description: 'Phone.' }),
    contact_email: shown.text({ description: 'E-mail.' }),
  }),
  obstacle: Type.Optional(
    Type.Object({
      kind: shown.oneOf(OBSTACLES, { description: 'What stands in the way.' }),
      title: shown.text({ description: 'In a few words.' }),
      text: shown.text({ description: 'What it means, and what to do.' }),
    }),
  ),
  mandate: Type.Optional(MandateView),
  instalments: Type.Array(InstalmentView),
  story: Type.Array(EntryView, { description: 'Newest first; the newest 200 of each kind.' }),
})

export const PlanStateView = Type.Object({ id: shown.text({ description: 'Id of the plan.' }), ...state })
export const MovedView = Type.Object({
  id: shown.text({ description: 'Id of the instalment.' }),
  due_date: shown.day({ description: 'Its new due date.' }),
  present_on: shown.day({ description: 'When it is to be presented.' }),
})

export type PlanRowAnswer = Static<typeof PlanRowView>
export type PlanAnswer = Static<typeof PlanView>
export type MovedAnswer = Static<typeof MovedView>
export type PlanStateAnswer = Static<typeof PlanStateView>
