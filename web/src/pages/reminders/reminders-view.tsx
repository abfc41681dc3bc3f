import { useNavigate } from '@tanstack/react-router'
import type { RunAnswer } from '../../../../src/reminders/reminder.schemas.ts'
import { useInstitute, useInstitutePath } from '../../api/session.ts'
import { DataTable, type Column } from '../../ui/table/data-table.tsx'
import { formatMoment, When } from '../../ui/when.tsx'
import { progressOf } from './texts.ts'

const COLUMNS: readonly Column<RunAnswer>[] = [
  {
    key: 'at',
    title: 'When',
    sort: 'at',
    isLargestFirst: true,
    text: row => formatMoment(row.created_at),
    render: row => <When at={row.created_at} />,
  },
  { key: 'subject', title: 'Subject', sort: 'subject', text: row => row.subject },
  { key: 'families', title: 'Families', sort: 'families', isLargestFirst: true, text: progressOf },
  { key: 'by', title: 'Sent by', sort: 'by', text: row => row.made_by },
]

/** Every time that families were reminded of dues. */
export function RemindersView() {
  const path = useInstitutePath()
  const { code: institute } = useInstitute()
  const navigate = useNavigate()
  return (
    <DataTable
      name="Reminders"
      path={`${path}/reminder-runs`}
      queryKey="reminder-runs"
      columns={COLUMNS}
      rowId={row => row.id}
      counted={['run', 'runs']}
      onOpen={row =>
        void navigate({
          to: '/i/$institute/reminders/$run',
          params: { institute, run: row.id },
          search: {},
        })
      }
      empty={{
        title: 'Nobody was reminded yet',
        description:
          'Open Dues or Students, choose a class or select students, and press “Remind families”. Instalments are reminded of by themselves.',
      }}
    />
  )
}
