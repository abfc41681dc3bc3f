import { field, input, optional, query } from '../../http/wire/input.ts'

export const SETTLEMENT_ID = 'stl_01k9zq4m0ve8sbn6yt2hw3c5da'

export const settlementFilters = {
  from: optional(field.rangeStart('Settled at or after; a bare day begins at midnight in India.')),
  to: optional(field.rangeEnd('Settled before this moment, or up to the end of this day in India.')).as(
    'before',
  ),
  utr: optional(field.code('Whose UTR begins with this.', 'HDFCR5')),
  collector_code: optional(
    field.code('Only of this branch; not compared when the institute has one branch.', 'MAIN'),
  ),
}

export const listSettlementsQuery = query({
  ...settlementFilters,
  limit: field.pageSize(),
  cursor: field.cursor(SETTLEMENT_ID),
})

export const settlementParams = input({
  settlement_id: field.resourceId("The settlement's id, or its UTR.", SETTLEMENT_ID),
})

export const settlementItemsQuery = query({
  limit: field.pageSize(),
  cursor: field.cursor('pay_01k9zq4m0ve8sbn6yt2hw3c5da'),
})
