import { Navigate } from '@tanstack/react-router'
import { useInstitute } from '../../api/session.ts'

/** Settings begin with the people. */
export function SettingsPage() {
  const { code: institute } = useInstitute()
  return <Navigate to="/i/$institute/settings/team" params={{ institute }} replace />
}
