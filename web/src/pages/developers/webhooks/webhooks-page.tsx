import { Button, Switch } from '@mantine/core'
import { useState } from 'react'
import type { WebhookAnswer } from '../../../../../src/console/developers/developers.list.ts'
import { useInstitutePath, useMay } from '../../../api/session.ts'
import { ListTable } from '../../../ui/table/list-table.tsx'
import { SideDialogue } from '../../../ui/dialogue/dialogue.tsx'
import { When } from '../../../ui/when.tsx'
import { AddWebhookDialogue } from './add-dialogue.tsx'
import { DevelopersFrame } from '../developers-frame.tsx'
import { WebhookPanel } from './webhook-panel.tsx'
import { eventLabel, HEALTH_LABELS } from '../texts.ts'

const CELLS = {
  event_code: (row: WebhookAnswer) => (
    <>
      <span className="mono">{row.event_code}</span>
      <div className="faint">{eventLabel(row.event_code)}</div>
    </>
  ),
  url: (row: WebhookAnswer) => <span className="mono">{row.url}</span>,
  created_at: (row: WebhookAnswer) => <When at={row.created_at} isReal />,
}

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
      <ListTable<WebhookAnswer>
        name="Webhooks"
        path={`${path}/webhooks`}
        queryKey="webhooks"
        cells={CELLS}
        labels={{ health: HEALTH_LABELS }}
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
