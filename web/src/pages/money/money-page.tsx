import { Link, useSearch } from '@tanstack/react-router'
import { useEffect, useRef, type ComponentType } from 'react'
import { useInstitute } from '../../api/session.ts'
import { PageFrame } from '../../ui/page.tsx'
import './money.css'
import { CollectionView } from './collection-view.tsx'
import { DuesView } from './dues-view.tsx'
import { LedgerView } from './ledger-view.tsx'
import { PaymentsView } from './payments-view.tsx'
import { ReceiptsView } from './receipts-view.tsx'
import { ReconciliationView } from './reconciliation-view.tsx'
import { ExpectedView, SettlementsView } from './settlements-view.tsx'

const VIEWS: readonly { key: string; label: string; View: ComponentType }[] = [
  { key: 'collection', label: 'Collection', View: CollectionView },
  { key: 'payments', label: 'Payments', View: PaymentsView },
  { key: 'settlements', label: 'Settlements', View: SettlementsView },
  { key: 'expected', label: 'Expected', View: ExpectedView },
  { key: 'reconciliation', label: 'Reconciliation', View: ReconciliationView },
  { key: 'dues', label: 'Dues', View: DuesView },
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

/** Filters belong to a view, so that going to another begins afresh. */
export function MoneyTabs({ here }: { here: string }) {
  const { code: institute } = useInstitute()
  const tabs = useRef<HTMLElement>(null)
  // On a phone they do not all fit: the one that is open is brought into sight.
  useEffect(() => {
    const nav = tabs.current
    const open = nav?.querySelector<HTMLElement>('[aria-current]')
    if (nav && open) nav.scrollLeft = open.offsetLeft - (nav.clientWidth - open.offsetWidth) / 2
  }, [here])
  return (
    <nav className="page-tabs" aria-label="Money" ref={tabs}>
      {VIEWS.map(({ key, label }) => (
        <Link
          key={key}
          to="/i/$institute/money"
          params={{ institute }}
          search={{ view: key }}
          aria-current={key === here ? 'page' : undefined}
        >
          {label}
        </Link>
      ))}
    </nav>
  )
}
