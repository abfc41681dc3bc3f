import { Button } from '@mantine/core'
import { useState } from 'react'
import type { KeyAnswer } from '../../../../../src/console/developers/developers.list.ts'
import { useInstitutePath, useMay } from '../../../api/session.ts'
import { ListTable } from '../../../ui/table/list-table.tsx'
import { Summary } from '../../../ui/detail.tsx'
import { SideDialogue } from '../../../ui/dialogue/dialogue.tsx'
import { formatCount } from '../../../ui/money.tsx'
import type { Tone } from '../../../ui/status-badge.tsx'
import { When } from '../../../ui/when.tsx'
import { DevelopersFrame } from '../developers-frame.tsx'
import { KeyActs } from './actions.tsx'
import { NewKeyDialogue } from './new-key-dialogue.tsx'

const CELLS = {
  label: (row: KeyAnswer) => (
    <>
      <strong>{row.label}</strong>
      <div className="mono faint">{row.key_id}</div>
    </>
  ),
  scopes: (row: KeyAnswer) => row.scopes.join(', '),
  rate_per_second: limitOf,
  last_used_at: (row: KeyAnswer) =>
    row.last_used_at === undefined ? 'Never' : <When at={row.last_used_at} isReal />,
}

const STATES: Record<KeyAnswer['state'], { label: string; tone: Tone }> = {
  active: { label: 'Active', tone: 'good' },
  revoked: { label: 'Revoked', tone: 'plain' },
}

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
      <ListTable<KeyAnswer>
        name="API keys"
        path={`${path}/keys`}
        queryKey="keys"
        cells={CELLS}
        labels={{ state: STATES }}
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
