import { EVENT_CODES } from '../../events/codes.ts'
import { field, ifSent, input } from '../../http/wire/input.ts'

export const triggerInput = input({
  event_code: field.oneOf(EVENT_CODES, 'The event to make up.', 'flex.instalment.bounced'),
  collector_code: ifSent(
    field.code('Branch code; required if the institute has more than one branch.', 'MAIN'),
  ),
})
