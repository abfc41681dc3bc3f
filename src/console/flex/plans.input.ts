import { planParams, rescheduleInput } from '../../flex/plans/plan.schemas.ts'
import { PLAN_STATUSES } from '../../flex/rules/plan.rules.ts'
import { field, input, optional, query } from '../../http/wire/input.ts'
import { ofBranch } from './debits.input.ts'

/** What the console's plans take. */
const filters = {
  status: optional(field.oneOf(PLAN_STATUSES, 'Only plans that stand so.', 'active')),
  held: optional(field.oneOf(['yes', 'no'], 'Only held ones, or only others.')),
  collector_code: ofBranch,
  search: optional(
    field.identifier(
      "Words of the student's name, admission number or contact, or a whole plan id or UMRN.",
      'Kabir',
    ),
  ).as('typed'),
}
export const planFilters = query(filters)
export const plansQuery = query({
  ...filters,
  limit: field.pageSize(),
  cursor: field.cursor(planParams.fields.plan_id.example as string),
})

export const instalmentParams = input({
  ...planParams.fields,
  instalment_id: field.resourceId('Id of the instalment.', 'inst_01k9zq4m0ve8sbn6yt2hw3c5da'),
})

const reason = field.text('Why; stands in the audit log.', 'The parents asked to wait')
export const reasonInput = input({ reason })
export const moveInput = input({ new_due_date: rescheduleInput.fields.new_due_date, reason })
