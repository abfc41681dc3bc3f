import { Button } from '@mantine/core'
import { useState } from 'react'
import type { InstituteAnswer } from '../../../../src/console/operator/operator.list.ts'
import { ListTable } from '../../ui/table/list-table.tsx'
import { SideDialogue } from '../../ui/dialogue/dialogue.tsx'
import { When } from '../../ui/when.tsx'
import { InstitutePanel } from './institute-panel.tsx'
import { NewInstituteDialogue } from './new-institute-dialogue.tsx'
import { OperatorFrame } from './operator-frame.tsx'

const CELLS = {
  name: (row: InstituteAnswer) => (
    <>
      <strong>{row.name}</strong>
      <div className="mono faint">{row.code}</div>
    </>
  ),
  branches: (row: InstituteAnswer) => row.branches.map(branchText).join(', '),
  created_at: (row: InstituteAnswer) => <When at={row.created_at} isReal />,
}

function branchText({
  collector_code: code,
  is_default: isDefault,
}: InstituteAnswer['branches'][number]): string {
  return isDefault ? `${code} (default)` : code
}

export function InstitutesPage() {
  const [isCreating, setIsCreating] = useState(false)
  const [open, setOpen] = useState<InstituteAnswer | null>(null)
  return (
    <OperatorFrame
      here="institutes"
      actions={<Button onClick={() => setIsCreating(true)}>Create an institute</Button>}
    >
      <ListTable<InstituteAnswer>
        name="Institutes"
        path="/operator/institutes"
        queryKey="institutes"
        cells={CELLS}
        isBare
        rowId={row => row.code}
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
