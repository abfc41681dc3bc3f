import { EVENT_CODES, TEST_CODE } from '../../events/define-event.ts'
import { eventsQuery, listEvents, type RecordedEvent } from '../../events/events.service.ts'
import { column, defineList, filter, type FilterValues } from '../../http/lists/define-list.ts'
import { field } from '../../http/wire/input.ts'
import { outputOf, type Shown } from '../../http/wire/output.ts'
import { branchFilter, type Institute } from '../../institutes/institutes.rules.ts'
import { by } from '../../platform/db/sorted-list.ts'
import { eventFields } from './delivery.schemas.ts'

const filters = {
  event_code: filter(
    field.oneOf([...EVENT_CODES, TEST_CODE], 'Only of this event code.', 'pay.payment.debited'),
    { label: 'Event' },
  ),
  resource_id: filter(
    field.resourceId('Only of this order, plan, application or student.', 'order_01k9zq4m0ve8sbn6yt2hw3c5da'),
    { label: 'Of what (id)' },
  ),
  collector_code: filter(
    field.code('Only of this branch; not compared when the institute has one branch.', 'MAIN'),
    { label: 'Branch', choices: 'branches' },
  ),
  created_from: filter(
    field.rangeStart('Recorded at or after; a bare day begins at midnight in India.').as('recordedFrom'),
    { label: 'From' },
  ),
  created_to: filter(
    field
      .rangeEnd('Recorded before this moment, or up to the end of this day in India.')
      .as('recordedBefore'),
    { label: 'Up to' },
  ),
}

const { event_id, event, sequence, timestamp, version, payload } = eventFields
const out = outputOf<RecordedEvent>()

/** Everything that was recorded of an institute, the newest first. */
export const eventList = defineList({
  file: 'events',
  title: 'Events',
  noun: ['event', 'events'],
  key: 'id',
  columns: {
    event_id: column(event_id, { title: 'Event', only: 'file' }),
    occurred_at: column(out.moment('When it happened, by the clock, UTC.', '2026-11-15T04:32:10.000Z'), {
      title: 'When (IST)',
      sort: by.moment,
    }),
    recorded_at: column(
      out.moment('When it was written down, in real time, UTC.', '2026-11-15T04:32:10.000Z'),
      { title: 'Written down (IST)', only: 'file' },
    ),
    event: column(event, { title: 'Event code', sort: by.text('code') }),
    resource_id: column(
      out.text('To which order, plan, application or student.', 'order_01k9zq4m0ve8sbn6yt2hw3c5da'),
      { title: 'Of what', sort: by.text },
    ),
    sequence: column(sequence, { title: 'Sequence', only: 'file' }),
    payload: column(payload, {
      title: 'Payload',
      only: 'file',
      cell: (row: RecordedEvent) => JSON.stringify(row.payload),
    }),
    timestamp,
    version,
  },
  filters,
  rows: {
    page: (ctx, institute, wanted, range) =>
      listEvents(ctx, institute.id, filterOf(institute, wanted), { ...range, order: 'newest' }),
    all: (_ctx, institute, wanted) => eventsQuery(institute.id, filterOf(institute, wanted)),
  },
})

export type EventAnswer = Shown<typeof eventList.output>
export type EventFilters = FilterValues<typeof filters>

export function filterOf(institute: Institute, wanted: EventFilters): EventFilters {
  return { ...wanted, collectorCode: branchFilter(institute, wanted.collectorCode) }
}
