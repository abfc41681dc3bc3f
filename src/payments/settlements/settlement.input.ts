import { field, input, query } from '../../http/wire/input.ts'

export const SETTLEMENT_ID = 'stl_01k9zq4m0ve8sbn6yt2hw3c5da'

export const settlementParams = input({
  settlement_id: field.resourceId("The settlement's id, or its UTR.", SETTLEMENT_ID),
})

export const settlementItemsQuery = query({
  limit: field.pageSize(),
  cursor: field.cursor('pay_01k9zq4m0ve8sbn6yt2hw3c5da'),
})
