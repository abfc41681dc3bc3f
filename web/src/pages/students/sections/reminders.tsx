import { useInstitutePath } from '../../../api/session.ts'
import { RemindPicked } from '../../reminders/remind-buttons.tsx'
import { RemindersTable } from '../../reminders/reminders-table.tsx'
import { Happenings } from './timeline.tsx'

/** Who was told what and when. */
export function MessagesSection({ id }: { id: string }) {
  const path = useInstitutePath()
  return (
    <>
      <section aria-label="Reminders">
        <RemindersTable
          name="Reminders of this student"
          path={`${path}/students/${id}/reminders`}
          queryKey="student-reminders"
          files={() => <RemindPicked list="students" picked={{ ids: [id] }} />}
          empty={{ title: 'Not reminded yet', description: 'The family was sent no reminder by the office.' }}
        />
      </section>
      <section aria-labelledby="messages">
        <h2 className="section-title" id="messages">
          Everything that the family was sent
        </h2>
        <Happenings id={id} kind="message" none="No message was sent to the family." />
      </section>
    </>
  )
}
