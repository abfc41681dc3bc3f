import { column, defineList, filter, type ListRow } from '../../http/lists/define-list.ts'
import { field } from '../../http/wire/input.ts'
import { outputOf, type Shown } from '../../http/wire/output.ts'
import { ORDER_ID } from '../../orders/order.input.ts'
import type { Condition } from '../../platform/db/list.ts'
import { by } from '../../platform/db/sorted-list.ts'
import { badField } from '../../platform/errors.ts'
import { receiptNumber, type ReceiptKey } from '../../receipts/receipts.rules.ts'
import { classFilters } from '../../students/class-filters.list.ts'
import { parseReceiptId, parseReceiptSearch } from './receipts.rules.ts'

export const RECEIPT_ID = '2026-27-000042'

/** Receipts with their payment: one that came by an order, or one that was taken at the counter. */
export const RECEIPTS = {
  from: 'receipts c',
  join: `left join payments p on p.institute_id = c.institute_id and p.id = c.online_payment_id
    left join orders o on o.institute_id = p.institute_id and o.id = p.order_id
    left join direct_payments d on d.institute_id = c.institute_id and d.id = c.direct_payment_id
    left join students s on s.institute_id = c.institute_id and s.id = coalesce(d.student_id, o.student_id)`,
}

const STATUSES = ['issued', 'cancelled'] as const

const out = outputOf<ReceiptKey>()

/** The last issued first. */
export const receiptList = defineList({
  file: 'receipts',
  title: 'Receipts',
  noun: ['receipt', 'receipts'],
  columns: {
    id: column(out.text('Id of the receipt.', RECEIPT_ID), {
      sql: `c.financial_year || '-' || lpad(c.number::text, greatest(6, length(c.number::text)), '0')`,
    }),
    number: column(out.text('As printed.', '2026-27/000042', receiptNumber), {
      title: 'Receipt',
      sort: by.number(`left("financialYear", 4)::bigint * 10000000000 + number`),
    }),
    issued_at: column(out.moment('When it was issued, UTC.', '2026-11-15T04:32:10.000Z'), {
      sql: 'c.issued_at',
      title: 'Issued (IST)',
      sort: by.moment,
    }),
    payer: column(out.text('Who paid.', 'Asha Rao'), {
      sql: 'coalesce(o.name, s.primary_contact_name)',
      title: 'Payer',
      sort: by.name,
    }),
    student_name: column(out.optional.text('For whom.', 'Kabir Rao'), {
      sql: 'coalesce(o.student_name, s.fullname)',
      title: 'Student',
      sort: by.name,
    }),
    identifier: column(out.optional.text("The student's identifier.", 'ADM-1042'), {
      sql: 'coalesce(o.identifier, s.identifier)',
      title: 'Admission no.',
      only: 'file',
    }),
    service_student_id: column(
      out.optional.text('The student, if registered here.', 'student_01k9zq4m0ve8sbn6yt2hw3c5da'),
      { sql: 'coalesce(o.student_id, s.id)' },
    ),
    mode: column(out.text('How it was paid.', 'upi'), { sql: 'coalesce(p.mode, d.mode)', title: 'Mode' }),
    amount: column(out.amount('In rupees.', 45000), {
      sql: 'coalesce(p.amount_paise, d.amount_paise)',
      title: 'Amount',
      sort: by.number,
    }),
    refunded_amount: column(out.optional.amount('What of it went back to the payer, in rupees.', 500), {
      sql: `nullif(
        (select coalesce(sum(r.amount_paise - r.charged_paise), 0)::bigint from refunds r
         where r.institute_id = c.institute_id and r.payment_id = c.online_payment_id and r.state = 'processed')
        + (select coalesce(sum(r.amount_paise), 0)::bigint from direct_refunds r
         where r.institute_id = c.institute_id and r.payment_id = c.direct_payment_id), 0)`,
    }),
    status: column(out.oneOf(STATUSES, 'Whether it stands.'), {
      sql: `case when c.cancelled_at is null then 'issued' else 'cancelled' end`,
      title: 'Status',
    }),
    cancelled_at: column(out.optional.moment('When it was cancelled, UTC.', '2026-11-17T06:00:00.000Z'), {
      sql: 'c.cancelled_at',
    }),
    cancel_reason: column(out.optional.text('Why it was cancelled.', 'Wrong payer'), {
      sql: 'c.cancel_reason',
      title: 'Why cancelled',
      only: 'file',
    }),
    payment_id: column(out.text('The payment.', 'pay_01k9zq4m0ve8sbn6yt2hw3c5da'), { sql: 'c.payment_id' }),
    source: column(out.oneOf(['online', 'direct'], 'Collected here, or taken at the counter.'), {
      sql: 'c.source',
    }),
    order_id: column(out.optional.text('The order; none of a payment at the counter.', ORDER_ID), {
      sql: 'o.id',
      title: 'Order',
      only: 'file',
    }),
  },
  filters: {
    number: filter(field.code('The number, with or without its year.', '2026-27/000042'), {
      label: 'Number',
      where: hasNumber,
    }),
    status: filter(field.oneOf(STATUSES, 'Only those that stand, or do not.'), {
      label: 'Status',
      where: status => [`c.cancelled_at is ${status === 'cancelled' ? 'not ' : ''}null`],
    }),
    ...classFilters('s'),
    issued_from: filter(field.rangeStart('Issued from this day on.').as('from'), {
      label: 'Issued from',
      where: 'c.issued_at >= $1',
    }),
    issued_to: filter(field.rangeEnd('Issued up to the end of this day.').as('before'), {
      label: 'Issued up to',
      where: 'c.issued_at < $1',
    }),
  },
  rows: {
    ...RECEIPTS,
    select: 'c.financial_year as "financialYear", c.number',
    scope: ({ id }) => [['c.institute_id = $1', id]],
    order: ['issued_at', 'financial_year', 'number'],
    direction: 'desc',
    rowOf(cursor) {
      const key = parseReceiptId(cursor)
      return key && ['c.financial_year = $1 and c.number = $2', key.financialYear, key.number]
    },
  },
})

function hasNumber(typed: string): Condition[] {
  const search = parseReceiptSearch(typed)
  if (search === null) throw badField('number', 'must be a receipt number such as 2026-27/000042, or 42')
  return [
    ['c.number = $1', search.number],
    ['c.financial_year = $1', search.financialYear],
  ]
}

export type ReceiptRow = ListRow<typeof receiptList>
export type ReceiptAnswer = Shown<typeof receiptList.output>
