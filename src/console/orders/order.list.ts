import { column, defineList, filter, type FilterValues } from '../../http/lists/define-list.ts'
import { field } from '../../http/wire/input.ts'
import type { Shown } from '../../http/wire/output.ts'
import { classFilters } from '../../students/class-filters.list.ts'
import { lineName, type Order, readSearch, stateAt } from '../../orders/orders.rules.ts'
import {
  orderCountQuery,
  orderListQuery,
  searchOrders,
  toOrder,
  type OrderRow,
  type OrderSearchFilter,
} from '../../orders/orders.service.ts'
import { by } from '../../platform/db/sorted-list.ts'
import { toRupees } from '../../platform/money.ts'
import { orderRowFields } from './order.schemas.ts'
import { LIST_STATUSES, LISTED_KINDS } from './orders.rules.ts'

const {
  created_at,
  kind,
  status,
  name,
  phone,
  email,
  student_name,
  identifier,
  grade,
  details,
  amount,
  refunded_amount,
  paid_at,
  transaction_id,
  receipt_number,
  expires_at,
  id,
  ...others
} = orderRowFields

const KINDS: Partial<Record<Order['kind'], string>> = {
  link: 'Payment link',
  order: 'Pay order',
  page: 'Payment page',
  student: 'Student dues',
}

const filters = {
  q: filter(field.text('An id, beginnings of names, an identifier or a phone.', 'Rao', 100), {
    label: 'Search',
  }),
  kind: filter(field.oneOf(LISTED_KINDS, 'Only of this kind.'), { label: 'Kind' }),
  status: filter(field.oneOf(LIST_STATUSES, 'Only in this state.'), { label: 'Status' }),
  collector_code: filter(field.code('Only of this branch.', 'MAIN'), {
    label: 'Branch',
    choices: 'branches',
  }),
  ...classFilters('s'),
  created_from: filter(field.rangeStart('Made on this day or later.'), { label: 'Made from' }),
  created_to: filter(field.rangeEnd('Made on this day or earlier.').as('createdBefore'), {
    label: 'Made up to',
  }),
  page_id: filter(field.resourceId('Only of this payment page.', 'page_01k9zq4m0ve8sbn6yt2hw3c5da')),
  service_student_id: filter(
    field.resourceId('Only of this student.', 'student_01k9zq4m0ve8sbn6yt2hw3c5da').as('studentId'),
  ),
}

/** Orders and links, the newest first. */
export const orderList = defineList({
  file: 'orders',
  title: 'Orders',
  noun: ['order or link', 'orders and links'],
  key: 'id',
  columns: {
    created_at: column(created_at, { title: 'Made (IST)', sort: by.moment }),
    kind: column(kind, { title: 'Kind', cell: (row: Order) => KINDS[row.kind] ?? row.kind }),
    status: column(status, { title: 'Status', cell: stateAt }),
    name: column(name, { title: 'Payer', sort: by.name }),
    phone: column(phone, { title: 'Phone' }),
    email: column(email, { title: 'E-mail' }),
    student_name: column(student_name, { title: 'Student', sort: by.name }),
    identifier: column(identifier, { title: 'Admission no.' }),
    grade: column(grade, { title: 'Class' }),
    details: column(details, {
      title: 'Fees',
      cell: ({ lines }: Order) =>
        lines.map(line => `${lineName(line)} ${toRupees(line.amountPaise).toFixed(2)}`).join('; '),
    }),
    amount: column(amount, {
      title: 'Amount',
      sort: by.number(`(select sum((line ->> 'amountPaise')::bigint) from json_array_elements(lines) line)`),
    }),
    refunded_amount: column(refunded_amount, {
      title: 'Refunded',
      cell: ({ refundedPaise }: Order) => toRupees(refundedPaise),
    }),
    paid_at: column(paid_at, { title: 'Paid (IST)', sort: by.moment }),
    transaction_id: column(transaction_id, { title: 'Transaction' }),
    receipt_number: column(receipt_number, { title: 'Receipt' }),
    expires_at: column(expires_at, { title: 'Can be paid until (IST)' }),
    id: column(id, { title: 'Order' }),
    ...others,
  },
  onPage: ['amount', 'status', 'name', 'student_name', 'kind', 'created_at'],
  filters,
  beside: ({ clock }) => clock.now(),
  rows: {
    page: (ctx, institute, wanted, range) => searchOrders(ctx, institute, searchOf(wanted), range),
    all: (ctx, institute, wanted) => orderListQuery(ctx, institute, searchOf(wanted)),
    counted: (ctx, institute, wanted) => orderCountQuery(ctx, institute, searchOf(wanted)),
    toRow: (row: OrderRow) => toOrder(row),
  },
})

export type OrderRowAnswer = Shown<typeof orderList.output>

function searchOf({ q, kind: one, ...wanted }: FilterValues<typeof filters>): OrderSearchFilter {
  return {
    ...wanted,
    kinds: one === undefined ? LISTED_KINDS : [one],
    search: q === undefined ? undefined : (readSearch(q) ?? undefined),
  }
}
