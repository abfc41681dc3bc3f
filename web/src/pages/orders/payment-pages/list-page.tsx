import { useNavigate } from '@tanstack/react-router'
import type { PageRowAnswer } from '../../../../../src/payment-pages/page.list.ts'
import { useInstitute, useInstitutePath, useMay } from '../../../api/session.ts'
import { ListTable } from '../../../ui/table/list-table.tsx'
import { formatCount } from '../../../ui/money.tsx'
import { LinkButton } from '../../../ui/link/link-button.tsx'
import { OrdersFrame } from '../orders-frame.tsx'
import { PAGE_LABELS } from '../texts.ts'

const CELLS = {
  paid_count: ({ paid_count: paid, max_payments: most }: PageRowAnswer) =>
    most === undefined ? formatCount(paid) : `${formatCount(paid)} of ${formatCount(most)}`,
  url: ({ url }: PageRowAnswer) => <span className="mono nowrap">{url}</span>,
}

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
      <ListTable<PageRowAnswer>
        name="Payment pages"
        path={`${path}/payment-pages`}
        queryKey="pages"
        cells={CELLS}
        labels={{ status: PAGE_LABELS }}
        rowId={row => row.page_id}
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
