import type { ReactNode } from 'react'
import { PageTabs } from '../../ui/page-tabs.tsx'
import { PageFrame } from '../../ui/page.tsx'
import './flex.css'

const TABS = [
  { here: 'calendar', label: 'Calendar', to: '/i/$institute/flex' },
  { here: 'coming', label: 'Coming run', to: '/i/$institute/flex/coming' },
  { here: 'returns', label: 'Bounced', to: '/i/$institute/flex/returns' },
  { here: 'plans', label: 'Plans', to: '/i/$institute/flex/plans' },
  { here: 'erp', label: 'ERP', to: '/i/$institute/flex/erp' },
  { here: 'settings', label: 'Default plan', to: '/i/$institute/flex/settings' },
] as const

export type FlexTab = (typeof TABS)[number]['here']

export function FlexTabs({ here }: { here: FlexTab | undefined }) {
  return <PageTabs label="Flex" tabs={TABS} here={here} />
}

export function FlexFrame({
  here,
  title = 'Flex',
  actions,
  children,
}: {
  here: FlexTab | undefined
  title?: string
  actions?: ReactNode
  children: ReactNode
}) {
  return (
    <PageFrame title={title} actions={actions}>
      <FlexTabs here={here} />
      {children}
    </PageFrame>
  )
}
