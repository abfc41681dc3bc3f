import { field, ifSent, input } from '../../http/wire/input.ts'

export const moveInput = input({
  advance: ifSent(field.text('How far to go: an ISO 8601 duration.', 'P1D')),
  to: ifSent(field.moment('Where to go: a moment in the future.', '2027-01-05T09:00:00+05:30')),
})
