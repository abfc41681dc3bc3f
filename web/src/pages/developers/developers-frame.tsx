import type { ReactNode } from 'react'
import { useSession } from '../../api/session.ts'
import { PageTabs } from '../../ui/page-tabs.tsx'
import { PageFrame } from '../../ui/page.tsx'
import './developers.css'

const TABS = [
  { here: 'keys', label: 'API keys', to: '/i/$institute/developers/keys' },
  { here: 'webhooks', label: 'Webhooks', to: '/i/$institute/developers/webhooks' },
  { here: 'deliveries', label: 'Deliveries', to: '/i/$institute/developers/deliveries' },
  { here: 'events', label: 'Events', to: '/i/$institute/developers/events' },
  { here: 'requests', label: 'Requests', to: '/i/$institute/developers/requests' },
  { here: 'erp', label: 'ERP connection', to: '/i/$institute/developers/erp' },
  {
    here: 'integration-check',
    label: 'Integration check',
    to: '/i/$institute/developers/integration-check',
  },
  { here: 'sandbox', label: 'Sandbox', to: '/i/$institute/developers/sandbox' },
] as const

const IN_SANDBOX: readonly string[] = ['integration-check', 'sandbox']

type Props = { here: (typeof TABS)[number]['here']; actions?: ReactNode; children: ReactNode }

/** What is below Developers. The reference is a page of its own, outside the console. */
export function DevelopersFrame({ here, actions, children }: Props) {
  const isSandbox = useSession()?.mode === 'sandbox'
  return (
    <PageFrame title="Developers" actions={actions}>
      <PageTabs
        label="Developers"
        tabs={TABS.filter(tab => isSandbox || !IN_SANDBOX.includes(tab.here))}
        here={here}
      >
        <a href="/docs" target="_blank" rel="noreferrer" aria-label="API reference, opens in a new tab">
          API reference&nbsp;↗
        </a>
      </PageTabs>
      {children}
    </PageFrame>
  )
}
