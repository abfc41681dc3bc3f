import { Button } from '@mantine/core'
import { useState } from 'react'
import type { InstituteAnswer } from '../../../../src/console/operator/institute.output.ts'
import { DataTable, type Column } from '../../ui/table/data-table.tsx'
import { SideDialogue } from '../../ui/dialogue/dialogue.tsx'
import { formatCount } from '../../ui/money.tsx'
import type { Filter } from '../../ui/table/use-filters.ts'
import { formatMoment, When } from '../../ui/when.tsx'
import { InstitutePanel } from './institute-panel.tsx'
import { NewInstituteDialogue } from './new-institute-dialogue.tsx'
import { OperatorFrame } from './operator-frame.tsx'

const COLUMNS: readonly Column<InstituteAnswer>[] = [
  {
    key: 'name',
    title: 'Institute',
    text: row => row.name,
    render: row => (
      <>
        <strong>{row.name}</strong>
        <div className="mono faint">{row.code}</div>
      </>
    ),
  },
  { key: 'branches', title: 'Branches', text: row => row.branches.map(branchText).join(', ') },
  { key: 'people', title: 'People', text: row => formatCount(row.people), align: 'right' },
  { key: 'keys', title: 'API keys', text: row => formatCount(row.active_keys), align: 'right' },
  {
    key: 'created',
    title: 'Since',
    text: row => formatMoment(row.created_at),
    render: row => <When at={row.created_at} isReal />,
  },
]

function branchText({
  collector_code: code,
  is_default: isDefault,
}: InstituteAnswer['branches'][number]): string {
  return isDefault ? `${code} (default)` : code
}

const FILTERS: readonly Filter[] = [{ key: 'search', label: 'Name or code' }]

export function InstitutesPage() {
  const [isCreating, setIsCreating] = useState(false)
  const [open, setOpen] = useState<InstituteAnswer | null>(null)
  return (
    <OperatorFrame
      here="institutes"
      actions={<Button onClick={() => setIsCreating(true)}>Create an institute</Button>}
    >
      <DataTable
        name="Institutes"
        path="/operator/institutes"
        queryKey="institutes"
        columns={COLUMNS}
        rowId={row => row.code}
        filters={FILTERS}
        onOpen={setOpen}
        empty={{
          title: 'No institutes yet',
          description:
            'An institute is a school or a college that collects fees here. Create the first one, then invite its staff.',
        }}
      />
      {open !== null && (
        <SideDialogue onClose={() => setOpen(null)} title={open.name}>
          <InstitutePanel institute={open} onDone={() => setOpen(null)} />
        </SideDialogue>
      )}
      {isCreating && <NewInstituteDialogue onClose={() => setIsCreating(false)} />}
    </OperatorFrame>
  )
}
