import { useSearch } from '@tanstack/react-router'
import { PageTabs } from '../../ui/page-tabs.tsx'
import { PageFrame } from '../../ui/page.tsx'
import { BookView } from './book-view.tsx'
import { ChequesView } from './cheques-view.tsx'
import { DepositsView } from './deposits-view.tsx'
import { TakeView } from './take-view.tsx'

const VIEWS = [
  { key: 'take', label: 'Take money', View: TakeView },
  { key: 'book', label: 'Cash book and day close', View: BookView },
  { key: 'cheques', label: 'Cheques', View: ChequesView },
  { key: 'deposits', label: 'Deposits', View: DepositsView },
]

const TABS = VIEWS.map(({ key, label }) => {
  return { here: key, label, to: '/i/$institute/counter', search: { view: key } } as const
})

/** Where the office takes money itself. */
export function CounterPage() {
  const { view }: Record<string, string | undefined> = useSearch({ strict: false })
  const here = VIEWS.find(({ key }) => key === view) ?? VIEWS[0]
  return (
    <PageFrame title="Counter">
      <PageTabs label="Counter" tabs={TABS} here={here?.key ?? ''} />
      {here !== undefined && <here.View key={here.key} />}
    </PageFrame>
  )
}
