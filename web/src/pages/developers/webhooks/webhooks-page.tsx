import { Button, Switch } from '@mantine/core'
import { useState } from 'react'
import type { WebhookAnswer } from '../../../../../src/console/developers/webhooks.routes.ts'
import { useInstitutePath, useMay } from '../../../api/session.ts'
import { DataTable, type Column } from '../../../ui/table/data-table.tsx'
import { SideDialogue } from '../../../ui/dialogue/dialogue.tsx'
import { formatCount } from '../../../ui/money.tsx'
import { StatusBadge } from '../../../ui/status-badge.tsx'
import { formatMoment, When } from '../../../ui/when.tsx'
import { AddWebhookDialogue } from './add-dialogue.tsx'
import { DevelopersFrame } from '../developers-frame.tsx'
import { WebhookPanel } from './webhook-panel.tsx'
import { eventLabel, HEALTH_LABELS } from '../texts.ts'

const COLUMNS: readonly Column<WebhookAnswer>[] = [
  {
    key: 'event',
    title: 'Event',
    text: row => row.event_code,
    render: row => (
      <>
        <span className="mono">{row.event_code}</span>
        <div className="faint">{eventLabel(row.event_code)}</div>
      </>
    ),
  },
  {
    key: 'url',
    title: 'Goes to',
    text: row => row.url,
    render: row => <span className="mono">{row.url}</span>,
  },
  { key: 'branch', title: 'Branch', text: row => row.collector_code },
  {
    key: 'health',
    title: 'Health',
    text: row => HEALTH_LABELS[row.health].label,
    render: row => (
      <StatusBadge tone={HEALTH_LABELS[row.health].tone}>{HEALTH_LABELS[row.health].label}</StatusBadge>
    ),
  },
  { key: 'waiting', title: 'Waiting', text: row => formatCount(row.waiting), align: 'right' },
  { key: 'given_up', title: 'Given up', text: row => formatCount(row.given_up), align: 'right' },
  {
    key: 'created',
    title: 'Added',
    text: row => formatMoment(row.created_at),
    render: row => <When at={row.created_at} isReal />,
  },
]

export function WebhooksPage() {
  const path = useInstitutePath()
  const mayChange = useMay('owner', 'developer', 'operator')
  const [withDisabled, setWithDisabled] = useState(false)
  const [adding, setAdding] = useState<Partial<WebhookAnswer> | null>(null)
  const [open, setOpen] = useState<WebhookAnswer | null>(null)
  const add = mayChange && <Button onClick={() => setAdding({})}>Add a webhook</Button>
  return (
    <DevelopersFrame here="webhooks" actions={add}>
      <Switch
        mb="xs"
        label="Show disabled ones too"
        checked={withDisabled}
        onChange={event => setWithDisabled(event.currentTarget.checked)}
      />
      <DataTable
        name="Webhooks"
        path={`${path}/webhooks`}
        queryKey="webhooks"
        columns={COLUMNS}
        rowId={row => row.id}
        query={withDisabled ? { include: 'disabled' } : {}}
        onOpen={setOpen}
        empty={{
          title: 'No webhooks yet',
          description:
            'A webhook tells the ERP at once when something happens, such as a payment. Add one for each event that the ERP needs.',
        }}
      />
      {open !== null && (
        <SideDialogue onClose={() => setOpen(null)} title={open.event_code}>
          <WebhookPanel
            webhook={open}
            mayChange={mayChange}
            onAddAgain={() => {
              setAdding(open)
              setOpen(null)
            }}
            onDone={() => setOpen(null)}
          />
        </SideDialogue>
      )}
      {adding !== null && <AddWebhookDialogue like={adding} onClose={() => setAdding(null)} />}
    </DevelopersFrame>
  )
}
