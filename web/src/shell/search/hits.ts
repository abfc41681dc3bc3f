import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { SearchAnswer } from '../../../../src/console/search/search.routes.ts'
import { get } from '../../api/client.ts'
import { useInstitute, useInstitutePath } from '../../api/session.ts'
import { formatRupees } from '../../ui/money.tsx'
import { formatMoment, yearName } from '../../ui/when.tsx'
import { className } from '../../ui/words.ts'
import type { Hit, HitGroup } from './hit.ts'
import { usePlaces } from './places.ts'
import { useRecent } from './recent.ts'

const SHORTEST = 2

/** What fits a text, in groups; undefined until something is known. */
export function useHits(text: string): { groups: readonly HitGroup[] | undefined; isFailed: boolean } {
  const path = useInstitutePath()
  const go = useGo()
  const placesFor = usePlaces()
  const recent = useRecent()
  const q = text.trim()
  const found = useQuery({
    queryKey: ['search', path, q],
    queryFn: ({ signal }) => get<SearchAnswer>(`${path}/search`, { q }, signal),
    enabled: q.length >= SHORTEST,
    // Hits for the letters before stay until the answer to these comes.
    placeholderData: (before, query) => (query?.queryKey[1] === path ? before : undefined),
  })
  if (q === '') return { groups: someOf(recent()), isFailed: false }
  const places = placesFor(q)
  if (q.length < SHORTEST) return { groups: someOf(places), isFailed: false }
  // Pages stand last, so that who types a name and Enter comes to the child.
  const groups = found.data === undefined ? someOf(places) : [...groupsOf(found.data, go), ...places]
  return { groups, isFailed: found.isError && places.length === 0 }
}

/** What is known at once is shown only if it is something: nothing has been looked for yet. */
function someOf(groups: readonly HitGroup[]): readonly HitGroup[] | undefined {
  return groups.length === 0 ? undefined : groups
}

type Go = ReturnType<typeof useGo>

function useGo() {
  const navigate = useNavigate()
  const { code: institute } = useInstitute()
  return {
    student: (student: string) => (): void =>
      void navigate({ to: '/i/$institute/students/$student', params: { institute, student } }),
    order: (order: string) => (): void =>
      void navigate({ to: '/i/$institute/orders/$order', params: { institute, order } }),
    plan: (plan: string) => (): void =>
      void navigate({ to: '/i/$institute/flex/plans/$plan', params: { institute, plan } }),
    settlement: (settlement: string) => (): void =>
      void navigate({ to: '/i/$institute/money/settlements/$settlement', params: { institute, settlement } }),
    request: (request: string) => (): void =>
      void navigate({ to: '/i/$institute/developers/requests', params: { institute }, search: { request } }),
    audit: (about: string) => (): void =>
      void navigate({ to: '/i/$institute/settings/audit', params: { institute }, search: { about } }),
  }
}

const ORDER_LABELS: Record<string, string> = {
  order: 'Pay order',
  link: 'Payment link',
  page: 'Payment page',
  student: 'Student dues',
  downpayment: 'Down payment',
  instalment: 'Instalment',
  loan: 'Loan',
}
const UTR_LABELS = {
  settlement: 'Settled to bank',
  refund: 'Refund',
  direct: 'Paid at the school',
} as const

function groupsOf(found: SearchAnswer, go: Go): HitGroup[] {
  const groups: HitGroup[] = [
    {
      name: 'Students',
      hits: found.students.map(one => ({
        id: one.service_student_id,
        title: one.fullname,
        note: `${one.identifier} · ${className(one.grade)}, ${yearName(one.academic_year_start, one.academic_year_end)}${one.status === 'dropped' ? ' · dropped' : ''}`,
        go: go.student(one.service_student_id),
      })),
    },
    {
      name: 'Orders and links',
      hits: found.orders.map(one => ({
        id: one.order_id,
        title: `${ORDER_LABELS[one.kind] ?? one.kind} of ${formatRupees(one.amount)}, ${one.status}`,
        note: `${one.name} · ${formatMoment(one.created_at)}`,
        go: go.order(one.order_id),
      })),
    },
    {
      name: 'Instalment plans',
      hits: found.plans.map(one => ({
        id: one.plan_id,
        title: `Plan of ${one.fullname}`,
        note: one.status,
        go: go.plan(one.plan_id),
      })),
    },
    { name: 'Payments', hits: found.payments.map(one => paymentHit(one, go)) },
    { name: 'Bank references (UTR)', hits: found.utrs.map(one => utrHit(one, go)) },
    {
      name: 'Requests of the ERP',
      hits: found.erp_requests.map(one => ({
        id: one.request_id,
        title: `${one.method} ${one.route}`,
        note: `Answered ${one.status} · ${formatMoment(one.at)}`,
        go: go.request(one.request_id),
      })),
    },
    {
      name: 'Requests',
      hits: found.requests.map(one => ({
        id: one.request_id,
        title: `${one.what} by ${one.by}`,
        note: formatMoment(one.at),
        go: go.audit(one.about),
      })),
    },
  ]
  return groups.filter(({ hits }) => hits.length > 0)
}

function paymentHit(one: SearchAnswer['payments'][number], go: Go): Hit {
  return {
    id: one.payment_id,
    title: `${formatRupees(one.amount)}, ${one.kind === 'direct' ? 'paid at the school' : 'online'}, ${one.status}`,
    note: `${one.transaction_id ?? one.payment_id} · ${formatMoment(one.at)}`,
    go: whereTo(one, go),
  }
}

function utrHit(one: SearchAnswer['utrs'][number], go: Go): Hit {
  return {
    id: one.id,
    title: `${UTR_LABELS[one.kind]}: ${formatRupees(one.amount)}`,
    note: one.at === undefined ? one.utr : `${one.utr} · ${formatMoment(one.at)}`,
    go: one.kind === 'settlement' ? go.settlement(one.id) : whereTo(one, go),
  }
}

function whereTo(one: { order_id?: string; service_student_id?: string }, go: Go): () => void {
  return one.order_id === undefined ? go.student(one.service_student_id ?? '') : go.order(one.order_id)
}
