import { column, defineList, fileColumn, filter } from '../../http/lists/define-list.ts'
import { field } from '../../http/wire/input.ts'
import type { Shown } from '../../http/wire/output.ts'
import { by } from '../../platform/db/sorted-list.ts'
import { WEBHOOK_ID } from '../subscriptions/subscription.schemas.ts'
import { DELIVERY_STATES } from './deliveries.rules.ts'
import { DELIVERIES, type Delivery } from './deliveries.store.ts'
import { deliveryFields, EVENT_ID } from './delivery.schemas.ts'

const { id, event_id, event_code, webhook_id, status, attempts, next_attempt_at, created_at } = deliveryFields

/** Deliveries of an institute, the newest first: ids sort by creation. */
export const deliveryList = defineList({
  file: 'deliveries',
  title: 'Deliveries',
  noun: ['delivery', 'deliveries'],
  columns: {
    id: column(id, { title: 'Delivery', only: 'file' }),
    created_at: column(created_at, { title: 'Made (IST)', sort: by.moment }),
    event_code: column(event_code, { title: 'Event', sort: by.text }),
    event_id: column(event_id, { title: 'Event id', only: 'file' }),
    webhook_id: column(webhook_id, { title: 'Webhook', only: 'file' }),
    status: column(status, { title: 'State', sort: by.text('state') }),
    attempts: column(attempts, {
      title: 'Attempts',
      kind: 'count',
      sort: by.number('jsonb_array_length(attempts)'),
      cell: (row: Delivery) => row.attempts.length,
    }),
    problem: fileColumn(
      'What went wrong last',
      'text',
      (row: Delivery) => row.attempts.at(-1)?.problem ?? null,
    ),
    next_attempt_at: column(next_attempt_at, { title: 'Next attempt (IST)' }),
  },
  onPage: ['created_at', 'event_code', 'status', 'attempts', 'next_attempt_at'],
  filters: {
    // Few wait and few were given up, so these are looked for among their like.
    status: filter(field.oneOf(DELIVERY_STATES, 'Only in this state.', 'delivered'), {
      label: 'State',
      where: state => [
        ['d.state = $1', state],
        state === 'exhausted' && ['d.given_up_at is not null'],
        (state === 'pending' || state === 'retrying') && ['q.delivery_id is not null'],
      ],
    }),
    event_id: filter(field.resourceId('Only of this event.', EVENT_ID), {
      label: 'Event (id)',
      where: 'd.event_id = $1',
    }),
    webhook_id: filter(field.resourceId('Only of this subscription.', WEBHOOK_ID), {
      label: 'Webhook (id)',
      where: 'd.webhook_id = $1',
    }),
  },
  rows: {
    ...DELIVERIES,
    scope: ({ id: instituteId }: { id: number }) => [['d.institute_id = $1', instituteId]],
    order: ['id'],
    direction: 'desc',
    isLog: true,
  },
})

export type DeliveryAnswer = Shown<typeof deliveryList.output>
