import { Type, type Static } from 'typebox'
import { field, shown } from '../../http/wire/fields.ts'
import { EVENT_CODES, TEST_CODE } from '../../events/codes.ts'

export const EventsQuery = Type.Object({
  event_code: Type.Optional(field.oneOf([...EVENT_CODES, TEST_CODE], { description: 'Only of this code.' })),
  resource_id: Type.Optional(
    field.resourceId({ description: 'Only of this order, plan, application or student.' }),
  ),
  collector_code: Type.Optional(field.code({ description: 'Only of this branch.' })),
  from: Type.Optional(field.rangeStart({ description: 'Recorded from this moment, or day, on.' })),
  to: Type.Optional(
    field.rangeEnd({ description: 'Recorded before this moment, or up to the end of this day.' }),
  ),
  limit: Type.Optional(field.pageSize()),
  cursor: Type.Optional(field.resourceId({ description: '`next_cursor` of the page before.' })),
})

export const EventParams = Type.Object({
  event_id: field.resourceId({ description: 'Id of the event.' }),
})

export const EventView = Type.Object({
  event_id: shown.text({ description: 'Id of the event, `webhook-id` of its deliveries.' }),
  event_code: shown.text({ description: 'What happened.' }),
  resource_id: shown.text({ description: 'To which order, plan, application or student.' }),
  occurred_at: shown.moment({ description: 'When it happened, by the clock, UTC.' }),
  recorded_at: shown.moment({ description: 'When it was written down, in real time, UTC.' }),
  sequence: Type.Integer({ description: 'Rises per resource.' }),
  payload: Type.Unsafe<unknown>({ description: 'As it is delivered.', examples: [{}] }),
})

export type EventAnswer = Static<typeof EventView>
