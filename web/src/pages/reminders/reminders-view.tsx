import { useNavigate } from '@tanstack/react-router'
import type { RunAnswer } from '../../../../src/reminders/reminder.list.ts'
import { useInstitute, useInstitutePath } from '../../api/session.ts'
import { ListTable } from '../../ui/table/list-table.tsx'
import { progressOf } from './texts.ts'

/** Every time that families were reminded of dues. */
export function RemindersView() {
  const path = useInstitutePath()
  const { code: institute } = useInstitute()
  const navigate = useNavigate()
  return (
    <ListTable<RunAnswer>
      name="Reminders"
      path={`${path}/reminder-runs`}
      queryKey="reminder-runs"
      cells={{ families: progressOf }}
      rowId={row => row.id}
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
