import { AuditTable } from '../settings/audit-page.tsx'
import { OperatorFrame } from './operator-frame.tsx'

/** What was done to the installation itself; each institute has a log of its own. */
export function OperatorAuditPage() {
  return (
    <OperatorFrame here="audit">
      <AuditTable
        path="/operator/audit"
        isBare
        description="Changes to institutes, branches and holidays, and changes people make to their own accounts, are listed here."
      />
    </OperatorFrame>
  )
}
