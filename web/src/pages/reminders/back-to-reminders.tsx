import { useInstitute } from '../../api/session.ts'
import { BackLink } from '../../ui/link/back-link.tsx'

/** They are listed among the pages of money. */
export function BackToReminders() {
  const { code: institute } = useInstitute()
  return (
    <BackLink to="/i/$institute/money" params={{ institute }} search={{ view: 'reminders' }}>
      Reminders
    </BackLink>
  )
}
