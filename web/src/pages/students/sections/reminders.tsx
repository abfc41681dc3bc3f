import { useInstitutePath } from '../../../api/session.ts'
import { RemindPicked } from '../../reminders/remind-buttons.tsx'
import { RemindersTable } from '../../reminders/reminders-table.tsx'

/** Who was told what and when. */
export function RemindersSection({ id }: { id: string }) {
  const path = useInstitutePath()
  return (
    <section>
      <h2 className="section-title">Reminders</h2>
      <RemindersTable
        name="Reminders of this student"
        path={`${path}/students/${id}/reminders`}
        queryKey="student-reminders"
        files={() => <RemindPicked list="students" picked={{ ids: [id] }} />}
        empty={{ title: 'Not reminded yet', description: 'The family was sent no reminder by the office.' }}
      />
    </section>
  )
}
