import { useSearch } from '@tanstack/react-router'
import type { ComponentType } from 'react'
import { PageTabs } from '../../ui/page-tabs.tsx'
import { PageFrame } from '../../ui/page.tsx'
import './money.css'
import { BankView } from './bank/bank-view.tsx'
import { CollectionView } from './collection-view.tsx'
import { DemandView } from './demand-view.tsx'
import { DuesView } from './dues-view.tsx'
import { LedgerView } from './ledger-view.tsx'
import { PaymentsView } from './payments-view.tsx'
import { RemindersView } from '../reminders/reminders-view.tsx'
import { ReceiptsView } from './receipts-view.tsx'
import { ReconciliationView } from './reconciliation-view.tsx'
import { ExpectedView, SettlementsView } from './settlements-view.tsx'

const VIEWS: readonly { key: string; label: string; View: ComponentType }[] = [
  { key: 'collection', label: 'Collection', View: CollectionView },
  { key: 'payments', label: 'Payments', View: PaymentsView },
  { key: 'settlements', label: 'Settlements', View: SettlementsView },
  { key: 'expected', label: 'Expected', View: ExpectedView },
  { key: 'reconciliation', label: 'Reconciliation', View: ReconciliationView },
  { key: 'bank', label: 'Bank', View: BankView },
  { key: 'dues', label: 'Dues', View: DuesView },
  { key: 'demand', label: 'Demand', View: DemandView },
  { key: 'reminders', label: 'Reminders', View: RemindersView },
  { key: 'receipts', label: 'Receipts', View: ReceiptsView },
  { key: 'ledger', label: 'Ledger', View: LedgerView },
]

/** What came in, where it is now, and what is still owed. */
export function MoneyPage() {
  const { view }: Record<string, string | undefined> = useSearch({ strict: false })
  const here = VIEWS.find(({ key }) => key === view) ?? VIEWS[0]
  return (
    <PageFrame title="Money">
      <MoneyTabs here={here?.key ?? ''} />
      {here !== undefined && <here.View key={here.key} />}
    </PageFrame>
  )
}

const TABS = VIEWS.map(({ key, label }) => {
  return { here: key, label, to: '/i/$institute/money', search: { view: key } } as const
})

export function MoneyTabs({ here }: { here: string }) {
  return <PageTabs label="Money" tabs={TABS} here={here} />
}
