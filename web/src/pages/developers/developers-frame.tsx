import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useInstitute, useSession } from '../../api/session.ts'
import { PageFrame } from '../../ui/page.tsx'
import './developers.css'

const TABS = [
  { here: 'keys', label: 'API keys', to: '/i/$institute/developers/keys' },
  { here: 'webhooks', label: 'Webhooks', to: '/i/$institute/developers/webhooks' },
  { here: 'deliveries', label: 'Deliveries', to: '/i/$institute/developers/deliveries' },
  { here: 'events', label: 'Events', to: '/i/$institute/developers/events' },
  { here: 'requests', label: 'Requests', to: '/i/$institute/developers/requests' },
  { here: 'erp', label: 'ERP connection', to: '/i/$institute/developers/erp' },
  { here: 'sandbox', label: 'Sandbox', to: '/i/$institute/developers/sandbox' },
] as const

type Props = { here: (typeof TABS)[number]['here']; actions?: ReactNode; children: ReactNode }

/** What is below Developers. The reference is a page of its own, outside the console. */
export function DevelopersFrame({ here, actions, children }: Props) {
  const { code: institute } = useInstitute()
  const isSandbox = useSession()?.mode === 'sandbox'
  return (
    <PageFrame title="Developers" actions={actions}>
      <nav className="page-tabs" aria-label="Developers">
        {TABS.filter(tab => isSandbox || tab.here !== 'sandbox').map(tab => (
          <Link
            key={tab.here}
            to={tab.to}
            params={{ institute }}
            search={{}}
            activeOptions={{ exact: true, includeSearch: false }}
            aria-current={tab.here === here ? 'page' : undefined}
          >
            {tab.label}
          </Link>
        ))}
        <a href="/docs" target="_blank" rel="noreferrer" aria-label="API reference, opens in a new tab">
          API reference&nbsp;↗
        </a>
      </nav>
      {children}
    </PageFrame>
  )
}
