import { Button } from '@mantine/core'
import { useState } from 'react'
import { useChoices } from '../../../api/choices.ts'
import { useInstitutePath, useMay } from '../../../api/session.ts'
import { counted } from '../../../ui/money.tsx'
import { BulkDialogue } from '../../../ui/table/bulk-dialogue.tsx'
import type { PickedRows } from '../../../ui/table/data-table.tsx'

const REFRESHES = ['students', 'student', 'audit']

/** An account number for each student that is picked, or for all that fit; only where the payment provider gives some. */
export function NumbersForPicked({ list, picked }: { list: string; picked: PickedRows }) {
  const path = useInstitutePath()
  const { gives_account_numbers: areGiven } = useChoices()
  const [isOpen, setIsOpen] = useState(false)
  if (!useMay('owner', 'finance') || !areGiven) return null
  const count = picked.ids === undefined ? picked.count : picked.ids.length
  return (
    <>
      <Button size="xs" variant="default" onClick={() => setIsOpen(true)}>
        Account numbers
      </Button>
      {isOpen && (
        <BulkDialogue
          title={`Account numbers for ${counted(count, 'student')}?`}
          description="The payment provider is asked for an account number for each student, to which the family transfers fees. Settings → Payment accounts says how far that is. Who has one already, or has left, is left out and named."
          verb="Ask for the numbers"
          done={['account number asked for', 'account numbers asked for']}
          picked={picked}
          run={{ list, path: `${path}/students/virtual-accounts`, ids: 'student_ids', refreshes: REFRESHES }}
          body={() => ({})}
          onClose={() => setIsOpen(false)}
        />
      )}
    </>
  )
}
