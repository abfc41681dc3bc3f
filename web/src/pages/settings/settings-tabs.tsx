import { useMay } from '../../api/session.ts'
import { PageTabs } from '../../ui/page-tabs.tsx'

const TABS = [
  { here: 'team', label: 'Team', to: '/i/$institute/settings/team' },
  { here: 'payments', label: 'Payments', to: '/i/$institute/settings/payments' },
  { here: 'audit', label: 'Audit log', to: '/i/$institute/settings/audit' },
] as const

export function SettingsTabs({ here }: { here: (typeof TABS)[number]['here'] }) {
  const maySeeAudit = useMay('owner', 'operator')
  return (
    <PageTabs label="Settings" tabs={TABS.filter(tab => maySeeAudit || tab.here !== 'audit')} here={here} />
  )
}
