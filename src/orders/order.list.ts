import { defineRows, filter, ofBranch } from '../http/lists/define-rows.ts'
import { field } from '../http/wire/input.ts'
import type { Institute } from '../institutes/institutes.rules.ts'
import { assertNever } from '../platform/assert.ts'
import type { Condition } from '../platform/db/list.ts'
import { badField } from '../platform/errors.ts'
import { ORDER_ID, STUDENT_ID } from './order.input.ts'
import { PAY_ORDER_KINDS, type OrderKind, type OrderStatus } from './orders.rules.ts'
import { orderColumns, toOrder, type OrderRow } from './orders.service.ts'

/** Orders of one kind, and of one page. A cursor is one of these too. */
type OrderScope = { institute: Institute; kind: OrderKind; pageId?: string }

const rows = {
  cursor: ORDER_ID,
  select: orderColumns('$1'),
  from: 'orders o',
  scope: ({ institute, kind, pageId }: OrderScope): Condition[] => [
    ['o.institute_id = $1', institute.id],
    ['o.kind = $1', kind],
    ['o.page_id = $1', pageId],
  ],
  order: ['created_at', 'id'],
  direction: 'desc',
  toRow: (row: OrderRow) => toOrder(row),
} as const

const status = <const Status extends OrderStatus>(statuses: readonly Status[]) =>
  filter<Status, ''>(field.oneOf(statuses, 'Only in this state.'), { where: statusCondition })

const shared = {
  identifier: filter(field.identifier('Only with this identifier.', 'ADM-1042'), {
    where: 'o.identifier = $1',
  }),
  collector_code: ofBranch('o.collector_code'),
  created_from: filter(field.rangeStart('Created at or after; a bare day begins at midnight in India.'), {
    where: 'o.created_at >= $1',
  }),
  created_to: filter(
    field.rangeEnd('Created before this moment, or up to the end of this day in India.').as('createdBefore'),
    { where: 'o.created_at < $1' },
  ),
  note: filter(field.text('Only with this note, as key:value.', 'receipt_book:B-17', 1001), {
    where: note => [`o.notes <> '[]' and o.notes @> $1::jsonb`, JSON.stringify([readNote(note)])],
  }),
}

/** Pay orders, the newest first. */
export const payOrderRows = defineRows({
  ...rows,
  filters: {
    // The route makes the scope of it.
    kind: filter(
      field.oneOf(PAY_ORDER_KINDS, 'Only of this kind; those that you made yourself when absent.'),
    ),
    service_student_id: filter(field.resourceId('Only for this student.', STUDENT_ID).as('studentId'), {
      where: 'o.student_id = $1',
    }),
    status: status(['paid', 'unpaid']),
    ...shared,
  },
})

export const linkRows = defineRows({
  ...rows,
  filters: { status: status(['paid', 'unpaid', 'expired', 'cancelled']), ...shared },
})

/** What payers made on a payment page. */
export const pagePaymentRows = defineRows({ ...rows, filters: { status: status(['paid', 'unpaid']) } })

/** A link that has expired or was cancelled is not unpaid any more; a pay order that was closed is. */
function statusCondition(wanted: OrderStatus, now: Date, { kind }: OrderScope): Condition {
  switch (wanted) {
    case 'unpaid':
      return kind === 'link'
        ? [`o.state = 'unpaid' and (o.expires_at is null or o.expires_at > $1)`, now]
        : [`o.state <> 'paid'`]
    case 'expired':
      return [`o.state = 'expired' or (o.state = 'unpaid' and o.expires_at <= $1)`, now]
    case 'cancelled':
    case 'paid':
      return [`o.state = '${wanted}'`]
    default:
      return assertNever(wanted)
  }
}

function readNote(text: string): { key: string; value: string } {
  const colon = text.indexOf(':')
  if (colon < 1) throw badField('note', 'must be key:value')
  return { key: text.slice(0, colon), value: text.slice(colon + 1) }
}
