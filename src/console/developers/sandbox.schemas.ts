import { Type, type Static } from 'typebox'
import { field, shown } from '../../http/wire/fields.ts'
import { EVENT_CODES } from '../../events/codes.ts'

/** What only a sandbox has; its routes are in sandbox/console-clock.routes.ts. */
const now = shown.moment({ description: "The sandbox's moment now, UTC." })

export const ClockView = Type.Object({ now, real_now: shown.moment({ description: 'Real time, UTC.' }) })

export const MoveBody = Type.Object({
  advance: Type.Optional(
    field.text({ description: 'How far to go: an ISO 8601 duration.', examples: ['P1D'] }),
  ),
  to: Type.Optional(field.moment({ description: 'Where to go: a moment in the future.' })),
})

export const MovedView = Type.Object({
  now,
  summary: Type.Unsafe<Record<string, number>>({
    type: 'object',
    additionalProperties: { type: 'integer' },
    description: 'How many of each kind of act were done.',
    examples: [{ orders_expired: 1 }],
  }),
  failed: Type.Optional(
    Type.Unsafe<Record<string, number>>({
      type: 'object',
      additionalProperties: { type: 'integer' },
      description: 'Which jobs failed and how often; they are tried again later. Absent if none did.',
      examples: [{ payments_checked: 1 }],
    }),
  ),
})

export const TriggerBody = Type.Object({
  event_code: field.oneOf(EVENT_CODES, {
    description: 'The event to make up.',
    examples: ['flex.instalment.bounced'],
  }),
  collector_code: Type.Optional(
    field.code({ description: 'Branch code; required if there are several.', examples: ['MAIN'] }),
  ),
})

export const TriggeredView = Type.Object({
  event_id: shown.text({ description: 'Id of the event.' }),
  event_code: shown.text({ description: 'As asked for.' }),
  resource_id: shown.text({ description: 'The made-up thing that it tells of.' }),
  subscriptions: Type.Integer({ description: 'How many subscriptions it is delivered to.' }),
})

export type ClockAnswer = Static<typeof ClockView>
export type MovedAnswer = Static<typeof MovedView>
export type TriggeredAnswer = Static<typeof TriggeredView>
