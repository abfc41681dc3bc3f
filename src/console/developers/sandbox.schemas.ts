import { Type, type Static } from 'typebox'
import { field, shown } from '../../http/wire/fields.ts'
import { EVENT_CODES } from '../../events/codes.ts'

/** What only a sandbox has; its routes are in sandbox/console-clock.routes.ts. */
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

export type TriggeredAnswer = Static<typeof TriggeredView>
