import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { EventAnswer } from '../../../../src/console/developers/webhook.output.ts'
import { useInstitute, useInstitutePath } from '../../api/session.ts'
import { DataTable, type Column } from '../../ui/table/data-table.tsx'
import { Summary } from '../../ui/detail.tsx'
import { SideDialogue } from '../../ui/dialogue/dialogue.tsx'
import type { Filter } from '../../ui/table/use-filters.ts'
import { formatMoment, When } from '../../ui/when.tsx'
import { DevelopersFrame } from './developers-frame.tsx'
import { EVENT_CHOICES, eventLabel } from './texts.ts'

const COLUMNS: readonly Column<EventAnswer>[] = [
  {
    key: 'at',
    title: 'When',
    text: row => formatMoment(row.occurred_at),
    render: row => <When at={row.occurred_at} />,
  },
  { key: 'what', title: 'What', text: row => eventLabel(row.event) },
  {
    key: 'code',
    title: 'Event code',
    text: row => row.event,
    render: row => <span className="mono">{row.event}</span>,
  },
  {
    key: 'resource',
    title: 'Of what',
    text: row => row.resource_id,
    render: row => <span className="mono">{row.resource_id}</span>,
  },
]

const FILTERS: readonly Filter[] = [
  {
    key: 'event_code',
    label: 'Event',
    options: [...EVENT_CHOICES, { value: 'webhook.test', label: 'webhook.test: A test' }],
  },
  { key: 'resource_id', label: 'Of what (id)' },
  { key: 'collector_code', label: 'Branch' },
  { key: 'created_from', label: 'From', kind: 'day' },
  { key: 'created_to', label: 'Up to', kind: 'day' },
]

export function EventsPage() {
  const path = useInstitutePath()
  const [open, setOpen] = useState<EventAnswer | null>(null)
  return (
    <DevelopersFrame here="events">
      <DataTable
        name="Events"
        path={`${path}/events`}
        queryKey="events"
        columns={COLUMNS}
        rowId={row => row.event_id}
        filters={FILTERS}
        onOpen={setOpen}
        empty={{
          title: 'No events yet',
          description:
            'Everything that happens to orders, plans, loans and students is recorded here, with or without a webhook. Take a payment to see the first one.',
        }}
      />
      {open !== null && (
        <SideDialogue onClose={() => setOpen(null)} title={eventLabel(open.event)}>
          <Event event={open} />
        </SideDialogue>
      )}
    </DevelopersFrame>
  )
}

function Event({ event }: { event: EventAnswer }) {
  const { code: institute } = useInstitute()
  return (
    <>
      <Summary
        fields={[
          { label: 'Happened', value: <When at={event.occurred_at} /> },
          { label: 'Written down', value: <When at={event.recorded_at} isReal /> },
          { label: 'Event code', value: <span className="mono">{event.event}</span> },
          { label: 'Event', value: <span className="mono">{event.event_id}</span> },
          { label: 'Of what', value: <span className="mono">{event.resource_id}</span> },
          { label: 'Sequence', value: event.sequence },
        ]}
      />
      <p>
        <Link
          to="/i/$institute/developers/deliveries"
          params={{ institute }}
          search={{ event_id: event.event_id }}
        >
          Its deliveries
        </Link>
      </p>
      <h3 className="section-title">Data of the event</h3>
      <pre className="raw-json mono" tabIndex={0} aria-label="Data of the event">
        {JSON.stringify(event.payload, null, 2)}
      </pre>
    </>
  )
}
