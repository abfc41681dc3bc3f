import { column, defineList, filter } from '../../http/lists/define-list.ts'
import { field } from '../../http/wire/input.ts'
import { outputOf, type Shown } from '../../http/wire/output.ts'
import type { Institute } from '../../institutes/institutes.rules.ts'
import { ORDER_ID } from '../../orders/order.input.ts'
import { listMismatches } from '../../payments/mismatches/mismatches.service.ts'
import { SETTLEMENT_ID } from '../../payments/settlements/settlement.schemas.ts'
import type { Context } from '../../platform/context.ts'
import { badCursor, toPage, type Page, type PageRange } from '../../platform/db/list.ts'
import type { Paise } from '../../platform/money.ts'
import { STATUSES, type ReconciliationStatus } from './books.service.ts'
import {
  expectedQuery,
  matchedQuery,
  mismatchedQuery,
  type ReconciliationFilter,
  type ReconciliationRow,
} from './books.store.ts'

const QUERIES = { matched: matchedQuery, mismatched: mismatchedQuery, expected: expectedQuery }

type ReconciliationItem = ReconciliationRow & {
  status: ReconciliationStatus
  canRefund: boolean
  canTake: boolean
}

const out = outputOf<{ knownPaise: Paise | null }>()

/** What the provider reported, or should have. It is not sorted: what can be done with a mismatch is looked up a page at a time. */
export const reconciliationList = defineList({
  file: (_institute: Institute, { status = 'mismatched' }) => `reconciliation-${status}`,
  title: 'Reconciliation',
  noun: ['payment, refund or report', 'payments, refunds and reports'],
  key: 'id',
  columns: {
    at: column(out.moment('When it was settled, noticed or paid, UTC.', '2026-11-16T06:00:00.000Z'), {
      title: 'When (IST)',
    }),
    kind: column(out.oneOf(['payment', 'refund', 'report'], 'What it is.'), {
      title: 'What',
      kind: 'text',
      only: 'file',
    }),
    id: column(
      out.text('Id of the payment or refund, or number of the report.', 'pay_01k9zq4m0ve8sbn6yt2hw3c5da'),
      { title: 'Id' },
    ),
    provider: column(out.text('Whose report.', 'sandbox'), { title: 'Provider', only: 'file' }),
    provider_ref: column(out.optional.text('What the provider calls it.', 'bank_42'), {
      title: "Provider's id",
    }),
    utr: column(out.optional.text("The bank's reference of the settlement.", 'HDFCR52026111600042'), {
      title: 'UTR',
    }),
    due_on: column(out.optional.day('When it should reach the bank.', '2026-11-16'), {
      title: 'Expected on',
    }),
    amount: column(
      out.optional.signedAmount(
        'As we know it, in rupees; given back is negative.',
        123456.5,
        row => row.knownPaise,
      ),
      { title: 'Our amount' },
    ),
    reported: column(out.optional.signedAmount('As the provider reported it, in rupees.', 123456.5), {
      title: 'Reported',
    }),
    problem: column(out.optional.text('Why it did not match.', 'amount differs'), { title: 'Problem' }),
    order_id: column(out.optional.text('The order that it is of.', ORDER_ID), {
      title: 'Order',
      only: 'file',
    }),
    settlement_id: out.optional.text('The settlement that it is in.', SETTLEMENT_ID),
    status: out.oneOf(STATUSES, 'As asked for.'),
    can_refund: out.flag('Money that pays nothing, which can be given back.', false),
    can_take: out.flag("It can be taken as a payment of the student's dues instead.", false),
  },
  filters: {
    status: filter(field.oneOf(STATUSES, 'Which of them; what does not match if absent.'), {
      label: 'Status',
    }),
    due_on: filter(field.day('Only what is expected on this day.', '2026-11-16'), { label: 'Expected on' }),
    from: filter(field.rangeStart('From this day on.'), { label: 'From' }),
    to: filter(field.rangeEnd('Up to the end of this day.').as('before'), { label: 'Up to' }),
  },
  rows: {
    page: readItems,
    all: (_ctx, { id }, { status = 'mismatched', ...filters }) => QUERIES[status](id, filters),
  },
})

async function readItems(
  { db }: Context,
  institute: Institute,
  { status = 'mismatched', ...filter }: ReconciliationFilter & { status?: ReconciliationStatus | undefined },
  { cursor, limit }: PageRange,
): Promise<Page<ReconciliationItem>> {
  if (status === 'mismatched' && cursor !== undefined && !/^\d{1,18}$/.test(cursor)) throw badCursor()
  const query = QUERIES[status](institute.id, filter, { cursor, limit: limit + 1 })
  const rows = await db.query<ReconciliationRow>(query.text, query.values)
  const ids = status === 'mismatched' ? rows.map(row => row.id) : []
  const open = ids.length === 0 ? [] : await listMismatches({ db }, institute.id, ids)
  const byId = new Map(open.map(one => [one.id, one]))
  const items = rows.map(row => {
    const mismatch = byId.get(row.id)
    return {
      ...row,
      orderId: row.orderId ?? mismatch?.orderId ?? null,
      status,
      canRefund: mismatch !== undefined,
      canTake: mismatch?.canTake ?? false,
    }
  })
  return toPage(items, limit, row => row.id)
}

export type ReconciliationItemAnswer = Shown<typeof reconciliationList.output>
