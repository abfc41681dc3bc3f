import { useNavigate } from '@tanstack/react-router'
import type { PageAnswer } from '../../../../../src/payment-pages/page.schemas.ts'
import { useInstitute, useInstitutePath, useMay } from '../../../api/session.ts'
import { DataTable, type Column } from '../../../ui/table/data-table.tsx'
import { formatCount } from '../../../ui/money.tsx'
import type { Filter } from '../../../ui/table/use-filters.ts'
import { formatMoment, When } from '../../../ui/when.tsx'
import { Badge } from '../badge.tsx'
import { LinkButton } from '../../../ui/link/link-button.tsx'
import { OrdersFrame } from '../orders-frame.tsx'
import { PAGE_LABELS } from '../texts.ts'

const COLUMNS: readonly Column<PageAnswer>[] = [
  { key: 'title', title: 'Title', text: row => row.title },
  {
    key: 'status',
    title: 'Status',
    text: row => PAGE_LABELS[row.status]?.label ?? row.status,
    render: row => <Badge of={row.status} labels={PAGE_LABELS} />,
  },
  { key: 'paid', title: 'Paid', align: 'right', text: paidText },
  {
    key: 'closes',
    title: 'Closes',
    text: row => (row.closes_at === undefined ? '' : formatMoment(row.closes_at)),
    render: row => row.closes_at && <When at={row.closes_at} />,
  },
  {
    key: 'url',
    title: 'Address',
    text: row => row.url,
    render: row => <span className="mono nowrap">{row.url}</span>,
  },
  {
    key: 'created_at',
    title: 'Made',
    text: row => formatMoment(row.created_at),
    render: row => <When at={row.created_at} />,
  },
]

function paidText({ paid_count: paid, max_payments: most }: PageAnswer): string {
  return most === undefined ? formatCount(paid) : `${formatCount(paid)} of ${formatCount(most)}`
}

const FILTERS: readonly Filter[] = [
  {
    key: 'status',
    label: 'Status',
    options: [
      { value: 'published', label: 'Published' },
      { value: 'unpublished', label: 'Not published' },
    ],
  },
]

export function PagesPage() {
  const path = useInstitutePath()
  const { code: institute } = useInstitute()
  const navigate = useNavigate()
  const make = useMay('owner', 'finance') && (
    <LinkButton to="/i/$institute/orders/pages/new" params={{ institute }} search={{}}>
      New page
    </LinkButton>
  )
  return (
    <OrdersFrame here="pages" actions={make}>
      <DataTable
        name="Payment pages"
        path={`${path}/payment-pages`}
        queryKey="pages"
        columns={COLUMNS}
        rowId={row => row.page_id}
        filters={FILTERS}
        onOpen={row =>
          void navigate({
            to: '/i/$institute/orders/pages/$page',
            params: { institute, page: row.page_id },
            search: {},
          })
        }
        empty={{
          title: 'No payment page yet',
          description:
            'A payment page has a public address: for an admission form, an excursion, a fair. Anybody who fills it in can pay at once.',
          action: make,
        }}
      />
    </OrdersFrame>
  )
}
