import type { ReactNode } from 'react'
import { PageTabs } from '../../ui/page-tabs.tsx'
import { PageFrame } from '../../ui/page.tsx'

const TABS = [
  { here: 'orders', label: 'Orders & links', to: '/i/$institute/orders' },
  { here: 'pages', label: 'Payment pages', to: '/i/$institute/orders/pages' },
  { here: 'files', label: 'Links from a file', to: '/i/$institute/orders/files' },
] as const

type Props = { here: (typeof TABS)[number]['here']; actions?: ReactNode; children: ReactNode }

export function OrdersFrame({ here, actions, children }: Props) {
  return (
    <PageFrame title="Orders & links" actions={actions}>
      <PageTabs label="Orders & links" tabs={TABS} here={here} />
      {children}
    </PageFrame>
  )
}
