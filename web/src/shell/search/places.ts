import { useNavigate } from '@tanstack/react-router'
import { useInstitute, useMay } from '../../api/session.ts'
import type { Hit, HitGroup } from './hit.ts'

/** Pages and acts by the words that people look for; `makers` alone are offered what only they may do. */
const PLACES = [
  { title: 'Home', to: '/i/$institute', words: 'start overview' },
  { title: 'Students', to: '/i/$institute/students', words: 'children pupils' },
  {
    title: 'Add a student',
    to: '/i/$institute/students/new',
    words: 'new admission register',
    isMakers: true,
  },
  {
    title: 'Import students',
    to: '/i/$institute/students/import',
    words: 'list file excel csv',
    isMakers: true,
  },
  { title: 'Fee structure', to: '/i/$institute/students/fees', words: 'fees classes terms' },
  {
    title: 'New academic year',
    to: '/i/$institute/students/rollover',
    words: 'promote rollover',
    isMakers: true,
  },
  { title: 'Leavers', to: '/i/$institute/students/leavers', words: 'left dropped leaving settle no dues' },
  {
    title: 'Take money at the counter',
    to: '/i/$institute/counter',
    words: 'cash cheque payment receipt',
    isMakers: true,
  },
  { title: 'Cash book', to: '/i/$institute/counter', view: 'book', words: 'counter day drawer' },
  { title: 'Orders and links', to: '/i/$institute/orders', words: 'payments' },
  { title: 'New payment link', to: '/i/$institute/orders/new', words: 'send ask create', isMakers: true },
  { title: 'Payment pages', to: '/i/$institute/orders/pages', words: 'form event' },
  { title: 'Instalment calendar', to: '/i/$institute/flex', words: 'flex debits plans mandates' },
  { title: 'Instalment plans', to: '/i/$institute/flex/plans', words: 'flex mandates' },
  { title: 'Bounced debits', to: '/i/$institute/flex/returns', words: 'flex returns failed' },
  { title: 'Loans', to: '/i/$institute/loans', words: 'cred lender' },
  { title: 'Collection', to: '/i/$institute/money', view: 'collection', words: 'money received report' },
  { title: 'Payments', to: '/i/$institute/money', view: 'payments', words: 'money register' },
  { title: 'Receipts', to: '/i/$institute/money', view: 'receipts', words: 'money' },
  {
    title: 'Dues and defaulters',
    to: '/i/$institute/money',
    view: 'dues',
    words: 'owed overdue late outstanding',
  },
  { title: 'Collected of demanded', to: '/i/$institute/money', view: 'demand', words: 'classes months' },
  {
    title: 'Reminders',
    to: '/i/$institute/money',
    view: 'reminders',
    words: 'messages families sms whatsapp',
  },
  { title: 'Settlements', to: '/i/$institute/money', view: 'settlements', words: 'bank utr' },
  { title: 'Bank statement', to: '/i/$institute/money', view: 'bank', words: 'match reconcile' },
  { title: 'Reconciliation', to: '/i/$institute/money', view: 'reconciliation', words: 'books differences' },
  { title: 'Approvals', to: '/i/$institute/approvals', words: 'requests waiting second person' },
  { title: 'School', to: '/i/$institute/settings/school', words: 'settings logo address colour' },
  { title: 'Team', to: '/i/$institute/settings/team', words: 'settings colleague invite roles' },
  { title: 'Payment accounts', to: '/i/$institute/settings/accounts', words: 'settings gateway provider' },
  { title: 'Audit log', to: '/i/$institute/settings/audit', words: 'settings who did what' },
  { title: 'Your assistants', to: '/i/$institute/assistants', words: 'tokens mcp account' },
  { title: 'API keys', to: '/i/$institute/developers/keys', words: 'developers' },
  { title: 'Webhooks', to: '/i/$institute/developers/webhooks', words: 'developers deliveries' },
] as const

const MOST = 5

/** Pages and acts whose name or words begin with what was typed. */
export function usePlaces(): (text: string) => HitGroup[] {
  const navigate = useNavigate()
  const { code: institute } = useInstitute()
  const isMaker = useMay('owner', 'finance')
  return text => {
    const asked = text.trim().toLowerCase().split(/\s+/)
    const hits: Hit[] = PLACES.filter(place => {
      const words = `${place.title} ${place.words}`.toLowerCase().split(/\s+/)
      const isOffered = isMaker || !('isMakers' in place)
      return isOffered && asked.every(part => words.some(word => word.startsWith(part)))
    })
      .slice(0, MOST)
      .map(place => ({
        id: place.title,
        title: place.title,
        note: 'Go there',
        go: () =>
          void navigate({
            to: place.to,
            params: { institute },
            search: 'view' in place ? { view: place.view } : {},
          }),
      }))
    return hits.length === 0 ? [] : [{ name: 'Pages', hits }]
  }
}
