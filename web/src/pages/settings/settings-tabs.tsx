import { Link } from '@tanstack/react-router'
import { useInstitute, useMay } from '../../api/session.ts'

/** What is below Settings. */
export function SettingsTabs() {
  const { code: institute } = useInstitute()
  const maySeeAudit = useMay('owner', 'operator')
  const active = { includeSearch: false }
  return (
    <nav className="page-tabs" aria-label="Settings">
      <Link to="/i/$institute/settings/team" params={{ institute }} activeOptions={active}>
        Team
      </Link>
      {maySeeAudit && (
        <Link to="/i/$institute/settings/audit" params={{ institute }} activeOptions={active}>
          Audit log
        </Link>
      )}
    </nav>
  )
}
