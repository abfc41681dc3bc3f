import { Button, Checkbox, Radio, Stack } from '@mantine/core'
import { useState } from 'react'
import { useInstitutePath, useMay } from '../../../api/session.ts'
import { DayInput } from '../../../ui/form/day-input.tsx'
import { counted } from '../../../ui/money.tsx'
import { BulkDialogue } from '../../../ui/table/bulk-dialogue.tsx'
import type { PickedRows } from '../../../ui/table/data-table.tsx'

const REFRESHES = ['students', 'student', 'orders', 'audit']

/** A payment link for each student that is picked, or for all that fit. */
export function LinksForPicked({ list, picked }: { list: string; picked: PickedRows }) {
  const [isOpen, setIsOpen] = useState(false)
  if (!useMay('owner', 'finance')) return null
  return (
    <>
      <Button size="xs" variant="default" onClick={() => setIsOpen(true)}>
        Payment links
      </Button>
      {isOpen && <LinksDialogue list={list} picked={picked} onClose={() => setIsOpen(false)} />}
    </>
  )
}

function LinksDialogue({ list, picked, onClose }: { list: string; picked: PickedRows; onClose: () => void }) {
  const path = useInstitutePath()
  const [scope, setScope] = useState('overdue')
  const [until, setUntil] = useState('')
  const [channels, setChannels] = useState<string[]>([])
  const [isAsked, setIsAsked] = useState(false)
  const isDayMissing = scope === 'due_by' && until === ''
  const count = picked.ids === undefined ? picked.count : picked.ids.length
  const isSent = channels.length > 0
  return (
    <BulkDialogue
      title={`Payment links for ${counted(count, 'student')}?`}
      description="One link a student, set off against its dues. Who owes nothing of it, or pays it by instalments, is left out and named. A link that is open for the same dues is not made twice; one for another amount is replaced."
      verb={isSent ? 'Make and send the links' : 'Make the links'}
      done={
        isSent
          ? ['link is ready and being sent', 'links are ready and being sent']
          : ['link made', 'links made']
      }
      picked={picked}
      run={{ list, path: `${path}/students/payment-links`, ids: 'student_ids', refreshes: REFRESHES }}
      body={() => {
        setIsAsked(true)
        if (isDayMissing) return null
        return scope === 'due_by' ? { scope, until, channels } : { scope, channels }
      }}
      onClose={onClose}
    >
      <Stack gap="sm" mt="sm">
        <Radio.Group label="For what" value={scope} onChange={setScope}>
          <Stack gap="xs" mt={4}>
            <Radio value="overdue" label="What is overdue" />
            <Radio value="due_by" label="What is due by a day" />
            <Radio value="year" label="All that is owed of the year" />
          </Stack>
        </Radio.Group>
        {scope === 'due_by' && (
          <DayInput
            label="Due by"
            maw={200}
            value={until}
            onChange={setUntil}
            error={isAsked && isDayMissing ? 'Choose a day' : undefined}
          />
        )}
        <Checkbox.Group
          label="Send them to the families"
          description="Tick none to make the links only; they stand under Orders & links. Messages to phones wait for the school’s hours."
          value={channels}
          onChange={setChannels}
        >
          <Stack gap="xs" mt={4}>
            <Checkbox value="email" label="E-mail" />
            <Checkbox value="sms" label="SMS or WhatsApp" />
          </Stack>
        </Checkbox.Group>
      </Stack>
    </BulkDialogue>
  )
}
