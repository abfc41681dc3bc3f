import { useSearch } from '@tanstack/react-router'
import type { ComponentType } from 'react'
import { PageTabs } from '../../ui/page-tabs.tsx'
import { PageFrame } from '../../ui/page.tsx'
import './money.css'
import { BankView } from './bank/bank-view.tsx'
import { ClassesView } from './dues/classes-view.tsx'
import { CollectionView } from './collection-view.tsx'
import { DemandView } from './dues/demand-view.tsx'
import { DepositsView } from './deposits-view.tsx'
import { DisputesView } from './disputes-view.tsx'
import { DuesView } from './dues/dues-view.tsx'
import { ExportsView } from './exports-view.tsx'
import { LedgerView } from './ledger-view.tsx'
import { PaymentsView } from './payments-view.tsx'
import { MessagesView } from '../reminders/messages-view.tsx'
import { RemindersView } from '../reminders/reminders-view.tsx'
import { ReceiptsView } from './receipts-view.tsx'
import { ReconciliationView } from './settlements/reconciliation-view.tsx'
import { ExpectedView, SettlementsView } from './settlements/settlements-view.tsx'

const VIEWS: readonly { key: string; group: string; label: string; View: ComponentType }[] = [
  { key: 'collection', group: 'Received', label: 'Collection', View: CollectionView },
  { key: 'payments', group: 'Received', label: 'Payments', View: PaymentsView },
  { key: 'receipts', group: 'Received', label: 'Receipts', View: ReceiptsView },
  { key: 'dues', group: 'Left to pay', label: 'Dues', View: DuesView },
  { key: 'classes', group: 'Left to pay', label: 'By class', View: ClassesView },
  { key: 'demand', group: 'Left to pay', label: 'Demand', View: DemandView },
  { key: 'reminders', group: 'Left to pay', label: 'Reminders', View: RemindersView },
  { key: 'messages', group: 'Left to pay', label: 'Messages', View: MessagesView },
  { key: 'expected', group: 'To the bank', label: 'Expected', View: ExpectedView },
  { key: 'settlements', group: 'To the bank', label: 'Settlements', View: SettlementsView },
  { key: 'disputes', group: 'To the bank', label: 'Disputes', View: DisputesView },
  { key: 'bank', group: 'To the bank', label: 'Bank statement', View: BankView },
  { key: 'reconciliation', group: 'Books', label: 'Reconciliation', View: ReconciliationView },
  { key: 'deposits', group: 'Books', label: 'Deposits held', View: DepositsView },
  { key: 'ledger', group: 'Books', label: 'Ledger', View: LedgerView },
  { key: 'exports', group: 'Books', label: 'Exports', View: ExportsView },
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

const TABS = VIEWS.map(({ key, group, label }) => {
  return { here: key, group, label, to: '/i/$institute/money', search: { view: key } } as const
})

export function MoneyTabs({ here }: { here: string }) {
  return <PageTabs label="Money" tabs={TABS} here={here} />
}
