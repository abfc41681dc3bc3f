import type { ReminderAnswer } from '../../../../../src/reminders/reminder.schemas.ts'
import { useInstitutePath } from '../../../api/session.ts'
import { DataTable } from '../../../ui/table/data-table.tsx'
import { REMINDER_COLUMNS } from '../../reminders/columns.tsx'
import { RemindPicked } from '../../reminders/remind-buttons.tsx'

/** Who was told what and when. */
export function RemindersSection({ id }: { id: string }) {
  const path = useInstitutePath()
  return (
    <section>
      <h2 className="section-title">Reminders</h2>
      <DataTable<ReminderAnswer>
        name="Reminders of this student"
        path={`${path}/students/${id}/reminders`}
        queryKey="student-reminders"
        columns={REMINDER_COLUMNS}
        rowId={row => row.id}
        files={() => <RemindPicked list="students" picked={{ ids: [id] }} />}
        empty={{ title: 'Not reminded yet', description: 'The family was sent no reminder by the office.' }}
      />
    </section>
  )
}
