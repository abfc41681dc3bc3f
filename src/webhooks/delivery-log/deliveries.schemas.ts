import { Type } from 'typebox'
import { field, shown } from '../../http/wire/fields.ts'
import { EVENT_CODES, TEST_CODE } from '../../events/codes.ts'
import { DELIVERY_STATES } from './deliveries.rules.ts'

/** What the routes of events and deliveries take and answer. */
const limit = Type.Optional(field.pageSize())
const cursor = Type.Optional(field.resourceId({ description: '`next_cursor` of the page before.' }))

export const ListEventsQuery = Type.Object({
  limit,
  cursor: Type.Optional(
    field.resourceId({
      description:
        '`next_cursor` of the page before; with `order=oldest` the `event_id` to go on after, which need not be of a last page.',
    }),
  ),
  order: Type.Optional(
    field.oneOf(['newest', 'oldest'], {
      description:
        'newest (the default) to look, oldest to follow: going on from the last one seen misses none.',
    }),
  ),
  event_code: Type.Optional(
    field.oneOf([...EVENT_CODES, TEST_CODE], { description: 'Only of this event code.' }),
  ),
  resource_id: Type.Optional(
    field.resourceId({ description: 'Only of this order, plan, application or student.' }),
  ),
  collector_code: Type.Optional(
    field.code({ description: 'Only of this branch; not compared when the institute has one branch.' }),
  ),
  created_from: Type.Optional(
    field.rangeStart({ description: 'Recorded at or after; a bare day begins at midnight in India.' }),
  ),
  created_to: Type.Optional(
    field.rangeEnd({ description: 'Recorded before this moment, or up to the end of this day in India.' }),
  ),
})

export const ListDeliveriesQuery = Type.Object({
  limit,
  cursor,
  status: Type.Optional(field.oneOf(DELIVERY_STATES, { description: 'Only in this state.' })),
  event_id: Type.Optional(field.resourceId({ description: 'Only of this event.' })),
  webhook_id: Type.Optional(field.resourceId({ description: 'Only of this subscription.' })),
})

export const DeliveryParams = Type.Object({
  delivery_id: field.resourceId({
    description: 'Delivery id.',
    examples: ['dlv_01k9zq4m0ve8sbn6yt2hw3c5da'],
  }),
})

export const RecoverBody = Type.Object({
  since: field.moment({
    description: 'What failed or was missed at this moment or later is sent again.',
    examples: ['2026-11-14T00:00:00+05:30'],
  }),
})

export const RecoveredView = Type.Object({
  deliveries: Type.Integer({ description: 'How many deliveries are due again.' }),
})

export const EventView = Type.Object({
  event_id: shown.text({ description: 'Id of the event, `webhook-id` of its deliveries.' }),
  event: shown.text({ description: 'Event code.' }),
  timestamp: Type.Integer({ description: 'When it happened, Unix seconds.' }),
  version: shown.text({ description: 'Version of the envelope.' }),
  sequence: Type.Integer({ description: 'Rises per resource; compare, do not count.' }),
  payload: Type.Unknown({ description: 'As delivered: see the webhooks of this document.' }),
})

const AttemptView = Type.Object({
  attempted_at: shown.moment({ description: 'When it began.' }),
  duration_ms: Type.Optional(
    Type.Integer({ description: 'How long it took; absent if it was interrupted.' }),
  ),
  http_status: Type.Optional(
    Type.Integer({ description: 'The status answered; absent if there was no answer.' }),
  ),
  problem: Type.Optional(shown.text({ description: 'Why it does not count as received.' })),
  response: Type.Optional(
    shown.text({ description: 'The first of the answer, at most 1,000 characters, secrets masked.' }),
  ),
})

export const DeliveryView = Type.Object({
  id: shown.text({ description: 'Delivery id.' }),
  event_id: shown.text({ description: 'The event it delivers.' }),
  event_code: shown.text({ description: 'Its code.' }),
  webhook_id: shown.text({ description: 'The subscription it goes to.' }),
  status: shown.oneOf(DELIVERY_STATES, { description: 'Where it stands.' }),
  attempts: Type.Array(AttemptView, { description: 'Every attempt, oldest first.' }),
  next_attempt_at: Type.Optional(
    shown.moment({ description: 'When it is due next; absent when it is over or an attempt is out.' }),
  ),
  created_at: shown.moment({ description: 'When it was made.' }),
})
