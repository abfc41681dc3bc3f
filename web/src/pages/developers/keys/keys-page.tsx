import { Button } from '@mantine/core'
import { useState } from 'react'
import type { KeyAnswer } from '../../../../../src/console/developers/developers.routes.ts'
import { useInstitutePath, useMay } from '../../../api/session.ts'
import { DataTable, type Column } from '../../../ui/table/data-table.tsx'
import { Summary } from '../../../ui/detail.tsx'
import { SideDialogue } from '../../../ui/dialogue/dialogue.tsx'
import { formatCount } from '../../../ui/money.tsx'
import { StatusBadge } from '../../../ui/status-badge.tsx'
import { formatMoment, When } from '../../../ui/when.tsx'
import { DevelopersFrame } from '../developers-frame.tsx'
import { KeyActs } from './actions.tsx'
import { NewKeyDialogue } from './new-key-dialogue.tsx'

const COLUMNS: readonly Column<KeyAnswer>[] = [
  {
    key: 'key',
    title: 'Key',
    text: row => row.key_id,
    render: row => (
      <>
        <strong>{row.label}</strong>
        <div className="mono faint">{row.key_id}</div>
      </>
    ),
  },
  { key: 'scopes', title: 'Scopes', text: row => row.scopes.join(', ') },
  { key: 'limit', title: 'Limit', text: limitOf },
  {
    key: 'used',
    title: 'Last used',
    text: row => (row.last_used_at === undefined ? 'Never' : formatMoment(row.last_used_at)),
    render: row => (row.last_used_at === undefined ? 'Never' : <When at={row.last_used_at} isReal />),
  },
  {
    key: 'state',
    title: 'State',
    text: row => (row.revoked_at === undefined ? 'Active' : 'Revoked'),
    render: row =>
      row.revoked_at === undefined ? (
        <StatusBadge tone="good">Active</StatusBadge>
      ) : (
        <StatusBadge tone="plain">Revoked</StatusBadge>
      ),
  },
]

function limitOf({ rate_per_second: rate, burst }: KeyAnswer): string {
  if (rate === undefined && burst === undefined) return 'Standard'
  return [
    rate === undefined ? undefined : `${formatCount(rate)} a second`,
    burst === undefined ? undefined : `${formatCount(burst)} at once`,
  ]
    .filter(part => part !== undefined)
    .join(', ')
}

export function KeysPage() {
  const path = useInstitutePath()
  const mayChange = useMay('owner', 'developer', 'operator')
  const [isMaking, setIsMaking] = useState(false)
  const [open, setOpen] = useState<KeyAnswer | null>(null)
  const make = mayChange && <Button onClick={() => setIsMaking(true)}>Create a key</Button>
  return (
    <DevelopersFrame here="keys" actions={make}>
      <DataTable
        name="API keys"
        path={`${path}/keys`}
        queryKey="keys"
        columns={COLUMNS}
        rowId={row => row.key_id}
        onOpen={setOpen}
        empty={{
          title: 'No keys yet',
          description:
            'The ERP signs in with a key. Create one and give it, with its secret, to the people who run the ERP.',
        }}
      />
      {open !== null && (
        <SideDialogue onClose={() => setOpen(null)} title={open.label}>
          <Summary
            fields={[
              { label: 'Key', value: <span className="mono">{open.key_id}</span> },
              { label: 'Scopes', value: open.scopes.join(', ') },
              { label: 'Limit', value: limitOf(open) },
              { label: 'Made', value: <When at={open.created_at} isReal /> },
              { label: 'Last used', value: open.last_used_at && <When at={open.last_used_at} isReal /> },
              { label: 'Revoked', value: open.revoked_at && <When at={open.revoked_at} isReal /> },
            ]}
          />
          {mayChange && open.revoked_at === undefined && (
            <KeyActs apiKey={open} onDone={() => setOpen(null)} />
          )}
        </SideDialogue>
      )}
      {isMaking && <NewKeyDialogue onClose={() => setIsMaking(false)} />}
    </DevelopersFrame>
  )
}
