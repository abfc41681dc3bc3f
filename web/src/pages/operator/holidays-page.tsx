import { Button, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { HolidayAnswer } from '../../../../src/console/operator/operator.list.ts'
import { problemOf, useCommand } from '../../api/command.ts'
import { DayInput } from '../../ui/form/day-input.tsx'
import { ConfirmWithReason } from '../../ui/dialogue/confirm-with-reason.tsx'
import { ListTable } from '../../ui/table/list-table.tsx'
import { notify } from '../../ui/toasts.tsx'
import { formatDay } from '../../ui/when.tsx'
import { OperatorFrame } from './operator-frame.tsx'

const WEEKDAY = new Intl.DateTimeFormat('en-IN', { timeZone: 'UTC', weekday: 'long' })

const CELLS = {
  day: ({ day }: HolidayAnswer) => `${WEEKDAY.format(new Date(`${day}T00:00:00Z`))}, ${formatDay(day)}`,
}

/** Days on which banks do not work, beside Sundays and the second and fourth Saturday. */
export function HolidaysPage() {
  const [isAdding, setIsAdding] = useState(false)
  const [open, setOpen] = useState<HolidayAnswer | null>(null)
  return (
    <OperatorFrame here="holidays" actions={<Button onClick={() => setIsAdding(true)}>Add a holiday</Button>}>
      <p className="faint">
        Sundays and the second and fourth Saturday of a month need not be entered. Open a day to remove it.
      </p>
      <ListTable<HolidayAnswer>
        isBare
        name="Holidays"
        path="/operator/holidays"
        queryKey="holidays"
        cells={CELLS}
        rowId={row => row.day}
        onOpen={setOpen}
        empty={{
          title: 'No holidays yet',
          description:
            'Enter the bank holidays of the year, as the RBI has them: no debit is presented and no settlement expected on them.',
        }}
      />
      {isAdding && <AddHoliday onClose={() => setIsAdding(false)} />}
      {open !== null && <RemoveHoliday holiday={open} onClose={() => setOpen(null)} />}
    </OperatorFrame>
  )
}

function AddHoliday({ onClose }: { onClose: () => void }) {
  const [day, setDay] = useState('')
  const [name, setName] = useState('')
  const add = useCommand<{ day: string; name: string; reason: string }>({
    method: 'POST',
    path: '/operator/holidays',
    refreshes: ['holidays'],
    onDone() {
      notify(`${formatDay(day)} is a holiday.`)
      onClose()
    },
  })
  return (
    <ConfirmWithReason
      isOpen
      onClose={onClose}
      title="Add a bank holiday"
      description="No debit is presented and no settlement expected on this day, in every institute. Debits planned for it move to the next working day."
      verb="Add it"
      isBusy={add.isPending}
      error={add.error}
      onConfirm={reason => add.mutate({ day, name, reason })}
    >
      <DayInput
        label="Day"
        required
        mb="sm"
        value={day}
        onChange={setDay}
        error={problemOf(add.error, 'day')}
      />
      <TextInput
        label="Holiday"
        required
        maxLength={100}
        mb="sm"
        value={name}
        onChange={event => setName(event.currentTarget.value)}
        error={problemOf(add.error, 'name')}
      />
    </ConfirmWithReason>
  )
}

function RemoveHoliday({ holiday, onClose }: { holiday: HolidayAnswer; onClose: () => void }) {
  const remove = useCommand<{ reason: string }>({
    method: 'DELETE',
    path: `/operator/holidays/${holiday.day}`,
    refreshes: ['holidays'],
    onDone() {
      notify(`${formatDay(holiday.day)} is a working day again.`)
      onClose()
    },
  })
  return (
    <ConfirmWithReason
      isOpen
      onClose={onClose}
      title={`Remove ${holiday.name}, ${formatDay(holiday.day)}?`}
      description="Debits may be presented on this day and settlements are expected. Debits that were moved because of it are not moved back."
      verb="Remove it"
      isBusy={remove.isPending}
      error={remove.error}
      onConfirm={reason => remove.mutate({ reason })}
    />
  )
}
