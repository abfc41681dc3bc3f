import { EVENT_CODES, TEST_CODE } from '../../events/codes.ts'
import { field, input, optional, query } from '../../http/wire/input.ts'
import { WEBHOOK_ID } from '../subscriptions/subscription.input.ts'
import { DELIVERY_STATES } from './deliveries.rules.ts'

export const DELIVERY_ID = 'dlv_01k9zq4m0ve8sbn6yt2hw3c5da'
export const EVENT_ID = 'evt_01k9zq4m0ve8sbn6yt2hw3c5da'

export const listEventsQuery = query({
  limit: field.pageSize(),
  cursor: optional(
    field.resourceId(
      '`next_cursor` of the page before; with `order=oldest` the `event_id` to go on after, which need not be of a last page.',
      EVENT_ID,
    ),
  ),
  order: optional(
    field.oneOf(
      ['newest', 'oldest'],
      'newest (the default) to look, oldest to follow: going on from the last one seen misses none.',
    ),
    'newest',
  ),
  event_code: optional(
    field.oneOf([...EVENT_CODES, TEST_CODE], 'Only of this event code.', 'pay.payment.debited'),
  ),
  resource_id: optional(
    field.resourceId('Only of this order, plan, application or student.', 'order_01k9zq4m0ve8sbn6yt2hw3c5da'),
  ),
  collector_code: optional(
    field.code('Only of this branch; not compared when the institute has one branch.', 'MAIN'),
  ),
  created_from: optional(
    field.rangeStart('Recorded at or after; a bare day begins at midnight in India.').as('recordedFrom'),
  ),
  created_to: optional(
    field
      .rangeEnd('Recorded before this moment, or up to the end of this day in India.')
      .as('recordedBefore'),
  ),
})

export const eventParams = input({ event_id: field.resourceId('Id of the event.', EVENT_ID) })

export const listDeliveriesQuery = query({
  limit: field.pageSize(),
  cursor: field.cursor(DELIVERY_ID),
  status: optional(field.oneOf(DELIVERY_STATES, 'Only in this state.', 'delivered')),
  event_id: optional(field.resourceId('Only of this event.', EVENT_ID)),
  webhook_id: optional(field.resourceId('Only of this subscription.', WEBHOOK_ID)),
})

export const deliveryParams = input({ delivery_id: field.resourceId('Delivery id.', DELIVERY_ID) })

export const recoverInput = input({
  since: field.moment(
    'What was given up or missed at this moment or later is sent again, whenever the event itself happened.',
    '2026-11-14T00:00:00+05:30',
  ),
})
