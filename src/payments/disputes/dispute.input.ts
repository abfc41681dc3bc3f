import { field, input, optional, query } from '../../http/wire/input.ts'
import { ORDER_ID } from '../../orders/order.input.ts'
import { DISPUTE_STATUSES } from './disputes.rules.ts'

export const DISPUTE_ID = 'dsp_01k9zq4m0ve8sbn6yt2hw3c5da'

export const disputeParams = input({
  dispute_id: field.resourceId("The dispute's id.", DISPUTE_ID),
})

export const disputeFilters = {
  status: optional(field.oneOf(DISPUTE_STATUSES, 'Only those that stand so.')),
  order_id: optional(field.resourceId('Only of this order or link.', ORDER_ID)),
  from: optional(field.rangeStart('Opened at or after; a bare day begins at midnight in India.')),
  to: optional(field.rangeEnd('Opened before this moment, or up to the end of this day in India.')).as(
    'before',
  ),
  collector_code: optional(
    field.code('Only of this branch; not compared when the institute has one branch.', 'MAIN'),
  ),
  limit: field.pageSize(),
  cursor: field.cursor(DISPUTE_ID),
}

export const listDisputesQuery = query(disputeFilters)
