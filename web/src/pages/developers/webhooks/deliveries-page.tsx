import { Button, Group } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { DeliveryAnswer } from '../../../../../src/webhooks/delivery-log/delivery.list.ts'
import type { DeliveryDayAnswer } from '../../../../../src/console/developers/webhooks.routes.ts'
import type { EventAnswer } from '../../../../../src/webhooks/delivery-log/event.list.ts'
import { useCommand } from '../../../api/command.ts'
import { get } from '../../../api/client.ts'
import { useInstitutePath, useMay } from '../../../api/session.ts'
import { Chart, type Series } from '../../../ui/chart/chart.tsx'
import { Columns } from '../../../ui/chart/columns.tsx'
import { ListTable } from '../../../ui/table/list-table.tsx'
import { RawJson, Summary } from '../../../ui/detail.tsx'
import { SideDialogue } from '../../../ui/dialogue/dialogue.tsx'
import { formatCount } from '../../../ui/money.tsx'
import { Failed, Loading } from '../../../ui/states.tsx'
import { StatusBadge } from '../../../ui/status-badge.tsx'
import { notify } from '../../../ui/toasts.tsx'
import { formatDay, formatShortDay, When } from '../../../ui/when.tsx'
import { Attempts } from './attempts.tsx'
import { DevelopersFrame } from '../developers-frame.tsx'
import { Problem } from '../../../ui/problem.tsx'
import { DELIVERY_LABELS } from '../texts.ts'

const CELLS = {
  created_at: (row: DeliveryAnswer) => <When at={row.created_at} isReal />,
  event_code: (row: DeliveryAnswer) => <span className="mono nowrap">{row.event_code}</span>,
  attempts: (row: DeliveryAnswer) => (
    <>
      {formatCount(row.attempts.length)}
      <div className="faint nowrap">{lastAnswer(row)}</div>
    </>
  ),
  next_attempt_at: (row: DeliveryAnswer) =>
    row.next_attempt_at === undefined ? '' : <When at={row.next_attempt_at} isReal />,
}

function lastAnswer({ attempts }: DeliveryAnswer): string {
  const last = attempts.at(-1)
  if (last === undefined) return ''
  return last.http_status === undefined ? 'no answer' : `last ${last.http_status}`
}

export function DeliveriesPage() {
  const path = useInstitutePath()
  const [open, setOpen] = useState<string | null>(null)
  return (
    <DevelopersFrame here="deliveries">
      <Success />
      <ListTable<DeliveryAnswer>
        name="Deliveries"
        path={`${path}/deliveries`}
        queryKey="deliveries"
        cells={CELLS}
        labels={{ status: DELIVERY_LABELS }}
        rowId={row => row.id}
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

const SERIES: readonly Series[] = [
  { label: 'At the first attempt', tone: 'good' },
  { label: 'At a later attempt', tone: 'waiting' },
  { label: 'Not taken yet', tone: 'rest' },
  { label: 'Given up', tone: 'bad' },
]

/** How the receivers have fared; nothing where nothing was sent. */
function Success() {
  const path = `${useInstitutePath()}/delivery-days`
  const days = useQuery({
    queryKey: ['deliveries', path],
    queryFn: ({ signal }) => get<DeliveryDayAnswer[]>(path, {}, signal),
  })
  const columns = (days.data ?? []).map(one => ({ ...one, parts: partsOf(one) }))
  if (columns.every(({ parts }) => parts.every(part => part === 0))) return null
  return (
    <Chart title="Deliveries by day, last 30 days" series={SERIES} table={() => <DayTable days={columns} />}>
      <Columns
        columns={columns.map(({ day, parts }) => ({
          key: day,
          label: formatShortDay(day),
          text: `${formatDay(day)}: ${SERIES.map(({ label }, no) => `${label.toLowerCase()} ${parts[no]}`).join(', ')}`,
          parts,
        }))}
        series={SERIES}
        format={formatCount}
      />
    </Chart>
  )
}

/** The parts stand in the order of the chart's series. */
function partsOf({ at_once: first, later, waiting, given_up: givenUp }: DeliveryDayAnswer): number[] {
  return [first, later, waiting, givenUp]
}

function DayTable({ days }: { days: readonly { day: string; parts: readonly number[] }[] }) {
  return (
    <table className="data-table">
      <thead>
        <tr>
          <th scope="col">Day</th>
          {SERIES.map(({ label }) => (
            <th key={label} scope="col" className="right">
              {label}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {days.toReversed().map(({ day, parts }) => (
          <tr key={day}>
            <td>{formatDay(day)}</td>
            {parts.map((part, no) => (
              <td key={SERIES[no]?.label} className="right">
                {formatCount(part)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
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
