import type { ReminderAnswer } from '../../../../src/reminders/reminder.schemas.ts'
import { formatRupees } from '../../ui/money.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'
import type { Column } from '../../ui/table/data-table.tsx'
import { formatMoment, When } from '../../ui/when.tsx'
import { REASON_TEXTS, STATE_LABELS } from './texts.ts'

export const REMINDER_COLUMNS: readonly Column<ReminderAnswer>[] = [
  { key: 'name', title: 'Parent', text: row => row.name },
  { key: 'students', title: 'Children', text: row => row.students.join(', ') },
  {
    key: 'state',
    title: 'Status',
    text: row => (row.reason === undefined ? STATE_LABELS[row.state].label : REASON_TEXTS[row.reason]),
    render: row => (
      <>
        <StatusBadge tone={STATE_LABELS[row.state].tone}>{STATE_LABELS[row.state].label}</StatusBadge>
        {row.reason !== undefined && <div className="faint">{REASON_TEXTS[row.reason]}</div>}
      </>
    ),
  },
  {
    key: 'recipients',
    title: 'Sent to',
    text: row => row.recipients.map(one => one.slice(one.indexOf(' ') + 1)).join(', '),
  },
  {
    key: 'at',
    title: 'When',
    text: row => (row.decided_at === undefined ? '' : formatMoment(row.decided_at)),
    render: row => row.decided_at !== undefined && <When at={row.decided_at} />,
  },
  {
    key: 'amount',
    title: 'Amount',
    align: 'right',
    text: row => (row.amount === undefined ? '' : formatRupees(row.amount)),
  },
]
