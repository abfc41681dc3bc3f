import { field, input } from '../../http/wire/input.ts'
import { WEBHOOK_ID } from '../subscriptions/subscription.schemas.ts'
import { DELIVERY_STATES } from './deliveries.rules.ts'
import type { RecordedEvent } from '../../events/events.service.ts'
import { outputOf } from '../../http/wire/output.ts'
import { CATALOGUE } from '../events.docs.ts'
import type { AttemptRecord } from '../engine/queue.store.ts'
import type { Delivery } from './deliveries.service.ts'

const DELIVERY_ID = 'dlv_01k9zq4m0ve8sbn6yt2hw3c5da'
export const EVENT_ID = 'evt_01k9zq4m0ve8sbn6yt2hw3c5da'

export const eventParams = input({ event_id: field.resourceId('Id of the event.', EVENT_ID) })

export const deliveryParams = input({ delivery_id: field.resourceId('Delivery id.', DELIVERY_ID) })

export const recoverInput = input({
  since: field.moment(
    'What was given up or missed at this moment or later is sent again, whenever the event itself happened.',
    '2026-11-14T00:00:00+05:30',
  ),
})

/** Events and deliveries as API and console answer them. */
const event = outputOf<RecordedEvent>()
export const eventFields = {
  event_id: event.text('Id of the event, `webhook-id` of its deliveries.', EVENT_ID, one => one.id),
  event: event.text('Event code.', 'pay.payment.debited', one => one.code),
  timestamp: event.unixSeconds('When it happened, Unix seconds.', 1794717130, one =>
    Math.floor(one.occurredAt.getTime() / 1_000),
  ),
  version: event.text('Version of the envelope.', '1.0', () => '1.0'),
  sequence: event.integer('Rises per resource; compare, do not count.', 4711),
  payload: event.json(
    'As delivered: see the webhooks of this document.',
    CATALOGUE['pay.payment.debited'].example,
  ),
}
export const eventOutput = event.object('Event', eventFields)

const attempt = outputOf<AttemptRecord>()
const attemptOutput = attempt.object({
  attempted_at: attempt.moment(
    'When it began.',
    '2026-11-15T04:32:10.012Z',
    one => new Date(one.attempted_at),
  ),
  duration_ms: attempt.optional.integer(
    'How long it took; absent if it was interrupted.',
    84,
    one => one.duration_ms,
  ),
  http_status: attempt.optional.integer(
    'The status answered; absent if there was no answer.',
    500,
    one => one.http_status,
  ),
  problem: attempt.optional.text(
    'Why it does not count as received.',
    'The endpoint answered with status 500.',
    one => one.problem,
  ),
  response: attempt.optional.text(
    'The first of the answer, at most 1,000 characters, secrets masked.',
    'database is restarting',
    one => one.response,
  ),
})

const out = outputOf<Delivery>()
export const deliveryFields = {
  id: out.text('Delivery id.', DELIVERY_ID),
  event_id: out.text('The event it delivers.', EVENT_ID),
  event_code: out.text('Its code.', 'pay.payment.debited'),
  webhook_id: out.text('The subscription it goes to.', WEBHOOK_ID),
  status: out.oneOf(DELIVERY_STATES, 'Where it stands.', one => one.state, 'retrying'),
  attempts: out.list('Every attempt, oldest first.', attemptOutput),
  next_attempt_at: out.optional.moment(
    'When it is due next; absent when it is over or an attempt is out.',
    '2026-11-15T04:32:15.000Z',
  ),
  created_at: out.moment('When it was made.', '2026-11-15T04:32:10.000Z'),
}
export const deliveryOutput = out.object('Delivery', deliveryFields)

const recovered = outputOf<{ deliveries: number }>()
export const recoveredOutput = recovered.object('Recovery', {
  deliveries: recovered.integer('How many deliveries are due again.', 12),
})
