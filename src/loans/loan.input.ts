import { field, ifSent, input, optional, query } from '../http/wire/input.ts'
import { LOAN_STATES } from './loans.rules.ts'

/** What the routes of Cred take. */
export const LOAN_ID = 'loan_01k9zq4m0ve8sbn6yt2hw3c5da'

export const applicationParams = input({
  application_id: field.resourceId('Id of the application.', LOAN_ID),
})

export const lenderParams = input({ lender: field.resourceId('Code of the lender.', 'vidya-finance') })

export const applicationInput = input({
  amount: ifSent(field.positiveAmount('Rupees, within what is outstanding; all of that when absent.', 60000)),
})

const paging = { limit: field.pageSize(), cursor: field.cursor(LOAN_ID) }

export const pageQuery = query(paging)

export const listApplicationsQuery = query({
  ...paging,
  status: optional(field.oneOf(LOAN_STATES, 'Only in this state.')),
  collector_code: optional(
    field.code('Only of this branch; not compared when the institute has one branch.', 'MAIN'),
  ),
  created_from: optional(field.rangeStart('Started at or after; a bare day begins at midnight in India.')),
  created_to: optional(
    field.rangeEnd('Started before this moment, or up to the end of this day in India.'),
  ).as('createdBefore'),
})
