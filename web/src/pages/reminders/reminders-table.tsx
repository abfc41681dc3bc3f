import type { ComponentProps } from 'react'
import type { ReminderAnswer } from '../../../../src/reminders/reminder.list.ts'
import { StatusBadge } from '../../ui/status-badge.tsx'
import { ListTable } from '../../ui/table/list-table.tsx'
import { REASON_TEXTS, STATE_LABELS } from './texts.ts'

const CELLS = {
  students: (row: ReminderAnswer) => row.students.join(', '),
  state: ({ state, reason }: ReminderAnswer) => (
    <>
      <StatusBadge tone={STATE_LABELS[state].tone}>{STATE_LABELS[state].label}</StatusBadge>
      {reason !== undefined && <div className="faint">{REASON_TEXTS[reason]}</div>}
    </>
  ),
  recipients: (row: ReminderAnswer) => row.recipients.map(one => one.slice(one.indexOf(' ') + 1)).join(', '),
}

type Props = Pick<
  ComponentProps<typeof ListTable<ReminderAnswer>>,
  'name' | 'path' | 'queryKey' | 'keepsRows' | 'files' | 'empty'
>

/** Reminders of a run or about a student, and what became of them. */
export function RemindersTable(props: Props) {
  return (
    <ListTable<ReminderAnswer>
      {...props}
      cells={CELLS}
      labels={{ state: STATE_LABELS }}
      rowId={row => row.id}
    />
  )
}
