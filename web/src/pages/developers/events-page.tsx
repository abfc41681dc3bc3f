import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { EventAnswer } from '../../../../src/webhooks/delivery-log/event.list.ts'
import { useInstitute, useInstitutePath } from '../../api/session.ts'
import { ListTable } from '../../ui/table/list-table.tsx'
import { Summary } from '../../ui/detail.tsx'
import { SideDialogue } from '../../ui/dialogue/dialogue.tsx'
import { When } from '../../ui/when.tsx'
import { DevelopersFrame } from './developers-frame.tsx'
import { EVENT_CHOICES, eventLabel } from './texts.ts'

const CELLS = {
  event: (row: EventAnswer) => (
    <>
      {eventLabel(row.event)}
      <div className="mono faint">{row.event}</div>
    </>
  ),
  resource_id: (row: EventAnswer) => <span className="mono">{row.resource_id}</span>,
}
const LABELS = {
  event_code: {
    ...Object.fromEntries(EVENT_CHOICES.map(({ value, label }) => [value, { label }])),
    'webhook.test': { label: 'webhook.test: A test' },
  },
}

export function EventsPage() {
  const path = useInstitutePath()
  const [open, setOpen] = useState<EventAnswer | null>(null)
  return (
    <DevelopersFrame here="events">
      <ListTable<EventAnswer>
        name="Events"
        path={`${path}/events`}
        queryKey="events"
        cells={CELLS}
        labels={LABELS}
        rowId={row => row.event_id}
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
