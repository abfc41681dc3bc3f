import { useMay } from '../../api/session.ts'
import { PageTabs } from '../../ui/page-tabs.tsx'

const TABS = [
  { here: 'school', label: 'School', to: '/i/$institute/settings/school' },
  { here: 'families', label: 'Families', to: '/i/$institute/settings/families' },
  { here: 'team', label: 'Team', to: '/i/$institute/settings/team' },
  { here: 'payments', label: 'Payments', to: '/i/$institute/settings/payments' },
  { here: 'accounts', label: 'Payment accounts', to: '/i/$institute/settings/accounts' },
  { here: 'bharat-connect', label: 'Bharat Connect', to: '/i/$institute/settings/bharat-connect' },
  { here: 'loans', label: 'Loans', to: '/i/$institute/settings/loans' },
  { here: 'approvals', label: 'Approvals', to: '/i/$institute/approvals' },
  { here: 'audit', label: 'Audit log', to: '/i/$institute/settings/audit' },
] as const

export function SettingsTabs({ here }: { here: (typeof TABS)[number]['here'] }) {
  const maySee = {
    school: true,
    families: true,
    team: true,
    payments: true,
    accounts: useMay('owner', 'finance', 'operator'),
    'bharat-connect': true,
    loans: true,
    approvals: true,
    audit: useMay('owner', 'operator'),
  }
  return <PageTabs label="Settings" tabs={TABS.filter(tab => maySee[tab.here])} here={here} />
}
