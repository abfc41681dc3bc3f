import { AuditTable } from '../settings/audit-page.tsx'
import { OperatorFrame } from './operator-frame.tsx'

/** What was done to the installation itself; each institute has a log of its own. */
export function OperatorAuditPage() {
  return (
    <OperatorFrame here="audit">
      <AuditTable
        path="/operator/audit"
        say="What operators do to institutes, branches and holidays stands here, and what people do to their own accounts."
      />
    </OperatorFrame>
  )
}
