import { field, optional, query } from '../../http/wire/input.ts'
import { ASKED_STATUSES } from './flex.rules.ts'

/** What the console's days of Flex take. */
export const calendarQuery = query({
  month: optional(field.day('Any day of the month; the current one if absent.', '2026-11-15')),
})

export const ofBranch = optional(field.code('Only this branch.', 'MAIN'))
const days = {
  from: optional(field.day('The first day.', '2026-11-01')),
  to: optional(field.day('The last day.', '2026-11-30')),
}

const filters = {
  ...days,
  status: optional(
    field.oneOf(ASKED_STATUSES, 'Only those that stand so; `coming` is scheduled or announced.', 'bounced'),
  ),
  return_code: optional(field.code("Only those of this bank's code.", '04')),
  collector_code: ofBranch,
}
export const debitFilters = query(filters)
export const debitsQuery = query({
  ...filters,
  limit: field.pageSize(),
  cursor: field.cursor('i.2026-12-05.inst_01k9zq4m0ve8sbn6yt2hw3c5da'),
})

export const returnsQuery = query(days)
