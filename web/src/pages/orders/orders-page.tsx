import { useInstitute, useMay } from '../../api/session.ts'
import { LinkButton } from '../../ui/link/link-button.tsx'
import { OrdersFrame } from './orders-frame.tsx'
import { OrdersTable } from './orders-table.tsx'
import { SearchBox } from './search-box.tsx'

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
      <SearchBox label="Search by name, phone, admission number or order id" />
      <OrdersTable
        name="Orders and links"
        empty={{
          title: 'No orders or links yet',
          description:
            'Pay orders, payment links, and payments on payment pages and towards dues are listed here. Create a link to begin, or let the ERP create orders.',
          action: make,
        }}
      />
    </OrdersFrame>
  )
}
