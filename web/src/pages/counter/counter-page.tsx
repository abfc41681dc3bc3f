import { useSearch } from '@tanstack/react-router'
import { useMay } from '../../api/session.ts'
import { PageTabs } from '../../ui/page-tabs.tsx'
import { PageFrame } from '../../ui/page.tsx'
import { BookView } from './book-view.tsx'
import { ChequesView } from './cheques-view.tsx'
import { DepositsView } from './deposits-view.tsx'
import { FamilyView } from './family-view.tsx'
import { PostDatedView } from './post-dated-view.tsx'
import { TakeView } from './take-view.tsx'

const VIEWS = [
  { key: 'family', label: 'Take money', View: FamilyView },
  { key: 'take', label: 'One student by hand', View: TakeView },
  { key: 'book', label: 'Cash book and day close', View: BookView },
  { key: 'post-dated', label: 'Post-dated cheques', View: PostDatedView },
  { key: 'cheques', label: 'Cheques', View: ChequesView },
  { key: 'deposits', label: 'Deposits', View: DepositsView },
]

/** What a cashier does here; what becomes of cheques, and deposits, are for others. */
const OF_CASHIERS = VIEWS.slice(0, 4)

/** Where the office takes money itself. */
export function CounterPage() {
  const { view }: Record<string, string | undefined> = useSearch({ strict: false })
  const views = useMay('cashier') ? OF_CASHIERS : VIEWS
  const tabs = views.map(({ key, label }) => {
    return { here: key, label, to: '/i/$institute/counter', search: { view: key } } as const
  })
  const here = views.find(({ key }) => key === view) ?? views[0]
  return (
    <PageFrame title="Counter">
      <PageTabs label="Counter" tabs={tabs} here={here?.key ?? ''} />
      {here !== undefined && <here.View key={here.key} />}
    </PageFrame>
  )
}
