import { Button, Group } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { EventAnswer } from '../../../../../src/console/developers/webhook.output.ts'
import type { DeliveryAnswer } from '../../../../../src/console/developers/webhook.output.ts'
import { useCommand } from '../../../api/command.ts'
import { get } from '../../../api/client.ts'
import { useInstitutePath, useMay } from '../../../api/session.ts'
import { DataTable, type Column } from '../../../ui/table/data-table.tsx'
import { RawJson, Summary } from '../../../ui/detail.tsx'
import { SideDialogue } from '../../../ui/dialogue/dialogue.tsx'
import { formatCount } from '../../../ui/money.tsx'
import { Failed, Loading } from '../../../ui/states.tsx'
import { StatusBadge } from '../../../ui/status-badge.tsx'
import { notify } from '../../../ui/toasts.tsx'
import type { Filter } from '../../../ui/table/use-filters.ts'
import { formatMoment, When } from '../../../ui/when.tsx'
import { Attempts } from './attempts.tsx'
import { DevelopersFrame } from '../developers-frame.tsx'
import { Problem } from '../../../ui/problem.tsx'
import { DELIVERY_LABELS } from '../texts.ts'

const COLUMNS: readonly Column<DeliveryAnswer>[] = [
  {
    key: 'at',
    title: 'Made',
    text: row => formatMoment(row.created_at),
    render: row => <When at={row.created_at} isReal />,
  },
  {
    key: 'event',
    title: 'Event',
    text: row => row.event_code,
    render: row => <span className="mono nowrap">{row.event_code}</span>,
  },
  {
    key: 'status',
    title: 'State',
    text: row => DELIVERY_LABELS[row.status].label,
    render: row => (
      <StatusBadge tone={DELIVERY_LABELS[row.status].tone}>{DELIVERY_LABELS[row.status].label}</StatusBadge>
    ),
  },
  { key: 'attempts', title: 'Attempts', text: row => formatCount(row.attempts.length), align: 'right' },
  { key: 'answer', title: 'Last answer', text: row => lastAnswer(row) },
  {
    key: 'next',
    title: 'Next attempt',
    text: row => (row.next_attempt_at === undefined ? '' : formatMoment(row.next_attempt_at)),
    render: row => (row.next_attempt_at === undefined ? '' : <When at={row.next_attempt_at} isReal />),
  },
]

function lastAnswer({ attempts }: DeliveryAnswer): string {
  const last = attempts.at(-1)
  if (last === undefined) return ''
  return last.http_status === undefined ? 'None' : String(last.http_status)
}

const FILTERS: readonly Filter[] = [
  {
    key: 'status',
    label: 'State',
    options: Object.entries(DELIVERY_LABELS).map(([value, { label }]) => ({ value, label })),
  },
  { key: 'webhook_id', label: 'Webhook (id)' },
  { key: 'event_id', label: 'Event (id)' },
]

export function DeliveriesPage() {
  const path = useInstitutePath()
  const [open, setOpen] = useState<string | null>(null)
  return (
    <DevelopersFrame here="deliveries">
      <DataTable
        name="Deliveries"
        path={`${path}/deliveries`}
        queryKey="deliveries"
        columns={COLUMNS}
        rowId={row => row.id}
        filters={FILTERS}
        onOpen={row => setOpen(row.id)}
        empty={{
          title: 'No deliveries yet',
          description:
            'Each event that a webhook subscribes to becomes a delivery here, with every attempt and its response. Add a webhook and send a test.',
        }}
      />
      {open !== null && (
        <SideDialogue onClose={() => setOpen(null)} title="Delivery">
          <Delivery id={open} />
        </SideDialogue>
      )}
    </DevelopersFrame>
  )
}

const LOOK_AGAIN_MS = 1_000

/** Not derived from the next attempt: while one is in flight there is none. */
function isUnderWay(delivery: DeliveryAnswer | undefined): boolean {
  return delivery?.status === 'pending' || delivery?.status === 'retrying'
}

function Delivery({ id }: { id: string }) {
  const path = useInstitutePath()
  const mayChange = useMay('owner', 'developer', 'operator')
  const delivery = useQuery({
    queryKey: ['deliveries', path, id],
    queryFn: ({ signal }) => get<DeliveryAnswer>(`${path}/deliveries/${id}`, {}, signal),
    refetchInterval: ({ state }) => (isUnderWay(state.data) ? LOOK_AGAIN_MS : false),
  })
  const again = useCommand<object>({
    method: 'POST',
    path: `${path}/deliveries/${id}/redeliver`,
    refreshes: ['deliveries', 'webhooks', 'audit'],
    onDone: () => notify('Sent again.'),
  })
  if (delivery.isPending) return <Loading />
  if (delivery.isError) return <Failed error={delivery.error} retry={() => void delivery.refetch()} />
  const { data } = delivery
  const { label, tone } = DELIVERY_LABELS[data.status]
  return (
    <>
      <Summary
        fields={[
          { label: 'State', value: <StatusBadge tone={tone}>{label}</StatusBadge> },
          { label: 'Event', value: <span className="mono">{data.event_code}</span> },
          { label: 'Made', value: <When at={data.created_at} isReal /> },
          { label: 'Next attempt', value: data.next_attempt_at && <When at={data.next_attempt_at} isReal /> },
          { label: 'Delivery', value: <span className="mono">{data.id}</span> },
          { label: 'Webhook', value: <span className="mono">{data.webhook_id}</span> },
        ]}
      />
      {mayChange && (
        <Group my="md">
          <Button variant="default" loading={again.isPending} onClick={() => again.mutate({})}>
            Send again
          </Button>
        </Group>
      )}
      <Problem error={again.error} />
      <h3 className="section-title">Attempts</h3>
      <Attempts delivery={data} />
      <EventData id={data.event_id} />
    </>
  )
}

function EventData({ id }: { id: string }) {
  const path = useInstitutePath()
  const event = useQuery({
    queryKey: ['events', path, id],
    queryFn: ({ signal }) => get<EventAnswer>(`${path}/events/${id}`, {}, signal),
  })
  return event.isSuccess ? <RawJson value={event.data} label="What is sent" /> : null
}
