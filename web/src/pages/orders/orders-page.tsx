import { useInstitute, useMay } from '../../api/session.ts'
import { LinkButton } from './link-button.tsx'
import { OrdersFrame } from './orders-frame.tsx'
import { OrdersTable } from './orders-table.tsx'
import { SearchBox } from './search-box.tsx'

/** Everything that somebody was asked to pay at the checkout. */
export function OrdersPage() {
  const { code: institute } = useInstitute()
  const mayMake = useMay('owner', 'finance')
  const make = mayMake && (
    <LinkButton to="/i/$institute/orders/new" params={{ institute }} search={{}}>
      New link
    </LinkButton>
  )
  return (
    <OrdersFrame here="orders" actions={make}>
      <SearchBox label="Search by id, name, phone or identifier" />
      <OrdersTable
        name="Orders and links"
        empty={{
          title: 'Nobody has been asked to pay yet',
          say: 'Pay orders, payment links, and what parents pay on pages and of their dues stand here. Make a link to begin, or let the ERP make orders.',
          action: make,
        }}
      />
    </OrdersFrame>
  )
}
