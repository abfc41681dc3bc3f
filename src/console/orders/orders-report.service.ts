import type { Institute } from '../../institutes/institutes.rules.ts'
import { lineName, stateAt, totalOf, type Order } from '../../orders/orders.rules.ts'
import { orderCountQuery, orderListQuery, type OrderSearchFilter } from '../../orders/orders.service.ts'
import type { Context } from '../../platform/context.ts'
import { toRupees } from '../../platform/money.ts'
import { receiptNumber } from '../../receipts/receipts.rules.ts'
import { by, type Sorting } from '../../platform/db/sorted-list.ts'
import type { Report } from '../reports/export.service.ts'
import { moment, money, text } from '../reports/reports.rules.ts'

export const ORDER_SORTING: Sorting = {
  key: 'id',
  columns: {
    amount: by.number(`(select sum((line ->> 'amountPaise')::bigint) from json_array_elements(lines) line)`),
    payer: by.name('name'),
    student: by.name('"studentName"'),
    made: by.moment('"createdAt"'),
    paid: by.moment('"paidAt"'),
  },
}

const KINDS: Partial<Record<Order['kind'], string>> = {
  link: 'Payment link',
  order: 'Pay order',
  page: 'Payment page',
  student: 'Student dues',
}

/** All that fit, not only those that are shown. */
export function ordersReport(ctx: Context, institute: Institute, filter: OrderSearchFilter): Report<Order> {
  const now = ctx.clock.now()
  return {
    name: 'orders',
    title: 'Orders',
    query: orderListQuery(ctx, institute, filter),
    counted: orderCountQuery(ctx, institute, filter),
    columns: [
      moment('Made (IST)', order => order.createdAt),
      text('Kind', order => KINDS[order.kind] ?? order.kind),
      text('Status', order => stateAt(order, now)),
      text('Payer', order => order.name),
      text('Phone', order => order.phone),
      text('E-mail', order => order.email),
      text('Student', order => order.studentName),
      text('Admission no.', order => order.identifier),
      text('Grade', order => order.grade),
      text('Fees', ({ lines }) =>
        lines.map(line => `${lineName(line)} ${toRupees(line.amountPaise).toFixed(2)}`).join('; '),
      ),
      money('Amount', totalOf),
      money('Refunded', order => order.refundedPaise),
      moment('Paid (IST)', order => order.paidAt),
      text('Transaction', order => order.transactionId),
      text('Receipt', ({ receipt }) => receipt && receiptNumber(receipt)),
      moment('Can be paid until (IST)', order => order.expiresAt),
      text('Order', order => order.id),
    ],
  }
}
