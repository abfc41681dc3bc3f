import { Navigate } from '@tanstack/react-router'
import { useInstitute } from '../../api/session.ts'

/** Settings begin with the school. */
export function SettingsPage() {
  const { code: institute } = useInstitute()
  return <Navigate to="/i/$institute/settings/school" params={{ institute }} replace />
}
