import { Navigate } from '@tanstack/react-router'

/** The operator begins with the institutes. */
export function OperatorPage() {
  return <Navigate to="/operator/institutes" search={{}} replace />
}
