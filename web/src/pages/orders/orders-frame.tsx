import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useInstitute } from '../../api/session.ts'
import { PageFrame } from '../../ui/page.tsx'

const TABS = [
  { here: 'orders', label: 'Orders & links', to: '/i/$institute/orders' },
  { here: 'pages', label: 'Payment pages', to: '/i/$institute/orders/pages' },
  { here: 'files', label: 'Links from a file', to: '/i/$institute/orders/files' },
] as const

/** What is below Orders & links. */
export function OrdersFrame({
  here,
  actions,
  children,
}: {
  here: (typeof TABS)[number]['here']
  actions?: ReactNode
  children: ReactNode
}) {
  const { code: institute } = useInstitute()
  return (
    <PageFrame title="Orders & links" actions={actions}>
      <nav className="page-tabs" aria-label="Orders & links">
        {TABS.map(tab => (
          <Link
            key={tab.here}
            to={tab.to}
            params={{ institute }}
            search={{}}
            aria-current={tab.here === here ? 'page' : undefined}
          >
            {tab.label}
          </Link>
        ))}
      </nav>
      {children}
    </PageFrame>
  )
}
