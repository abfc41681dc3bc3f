import { field, ifSent, input } from '../../http/wire/input.ts'
import { outputOf, type Shown } from '../../http/wire/output.ts'
import type { ClockAdvance } from './clock.service.ts'

export const moveInput = input({
  advance: ifSent(field.text('How far to go: an ISO 8601 duration.', 'P1D')),
  to: ifSent(field.moment('Where to go: a moment in the future.', '2027-01-05T09:00:00+05:30')),
})

/** The sandbox's clock as API and console show it. */
const NOW = ["The sandbox's moment now, UTC.", '2026-11-16T04:32:10.000Z'] as const

const clock = outputOf<{ now: Date }>()
export const clockOutput = clock.object('SandboxClock', { now: clock.moment(...NOW) })

const both = outputOf<{ now: Date; realNow: Date }>()
export const bothClocksOutput = both.object('SandboxClocks', {
  now: both.moment(...NOW),
  real_now: both.moment('Real time, UTC.', '2026-11-15T04:32:10.000Z'),
})

const moved = outputOf<ClockAdvance>()
export const movedOutput = moved.object('MovedClock', {
  now: moved.moment(...NOW),
  summary: moved.counts('How many of each kind of act were done.', { orders_expired: 1 }),
  failed: moved.optional.counts(
    'Which jobs failed and how often; they are tried again later. Absent if none did.',
    { payments_checked: 1 },
    ({ failed }) => (Object.keys(failed).length === 0 ? null : failed),
  ),
})

export type ClockAnswer = Shown<typeof bothClocksOutput>
export type MovedAnswer = Shown<typeof movedOutput>
