import { EVENT_CODES } from '../../events/codes.ts'
import { field, ifSent, input, optional } from '../../http/wire/input.ts'

export const triggerInput = input({
  event_code: field.oneOf(EVENT_CODES, 'The event to make up.', 'flex.instalment.bounced'),
  collector_code: ifSent(
    field.code('Branch code; required if the institute has more than one branch.', 'MAIN'),
  ),
  override: optional(
    field.list(
      'Fields of the payload that are to be other than in the example.',
      input(
        {
          path: field.text('Where it is, such as `details.0.amount`.', 'instalment.amount', 200),
          value: field.text('What it is to be, read as the type that the field has.', '1234.50'),
        },
        { name: 'EventOverrideInput' },
      ),
      { max: 50 },
    ),
    [],
  ),
})
