import type { ReactNode } from 'react'
import { usePerson } from '../../api/session.ts'
import { PageTabs } from '../../ui/page-tabs.tsx'
import { PageFrame } from '../../ui/page.tsx'
import { Empty } from '../../ui/states.tsx'
import '../developers/developers.css'
import './operator.css'

const TABS = [
  { here: 'institutes', label: 'Institutes', to: '/operator/institutes' },
  { here: 'jobs', label: 'Jobs', to: '/operator/jobs' },
  { here: 'health', label: 'Health', to: '/operator/health' },
  { here: 'doctor', label: 'Going live', to: '/operator/doctor' },
  { here: 'holidays', label: 'Holidays', to: '/operator/holidays' },
  { here: 'providers', label: 'Providers', to: '/operator/providers' },
  { here: 'sign-in', label: 'Sign-in', to: '/operator/sign-in' },
  { here: 'audit', label: 'Audit log', to: '/operator/audit' },
] as const

type Props = { here: (typeof TABS)[number]['here']; actions?: ReactNode; children: ReactNode }

/** What is below Operator; for operators alone. */
export function OperatorFrame({ here, actions, children }: Props) {
  if (usePerson()?.is_operator !== true) {
    return (
      <PageFrame title="Operator">
        <Empty
          title="For operators only"
          description="These pages are for the operator of the whole installation. Ask the operator if you need something changed here."
        />
      </PageFrame>
    )
  }
  return (
    <PageFrame title="Operator" actions={actions}>
      <PageTabs label="Operator" tabs={TABS} here={here} />
      {children}
    </PageFrame>
  )
}
