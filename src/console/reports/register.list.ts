import { column, defineList, filter, type ListRow } from '../../http/lists/define-list.ts'
import { field } from '../../http/wire/input.ts'
import { outputOf, type Shown } from '../../http/wire/output.ts'
import { lineName } from '../../orders/orders.rules.ts'
import { toPage } from '../../platform/db/list.ts'
import { by } from '../../platform/db/sorted-list.ts'
import type { Paise } from '../../platform/money.ts'
import { classFilters } from '../../students/class-filters.list.ts'
import { receiptOf, type MaybeReceipt } from '../money/receipts.rules.ts'
import { KINDS, SOURCES } from './reports.rules.ts'
import { countedRegister, registerQuery } from './register.store.ts'

type PaidLine = { componentType: string; label: string | null; amountPaise: Paise }
const line = outputOf<PaidLine>()
const lineOutput = line.object({
  component_type: line.text('The component.', 'TUITION_FEE'),
  label: line.text('What was paid for, for people.', 'Tuition fee', lineName),
  amount: line.amount('Rupees.', 45000),
})

const out = outputOf<MaybeReceipt>()

/** What came in and went back, whatever way, the newest first. */
export const registerList = defineList({
  file: 'payments',
  title: 'Payments',
  noun: ['payment or refund', 'payments and refunds'],
  key: 'id',
  columns: {
    at: column(out.moment('When, UTC.', '2026-11-15T04:32:10.000Z'), {
      title: 'When (IST)',
      sort: by.moment,
    }),
    kind: column(out.oneOf(KINDS, 'What came, or what went back.'), {
      title: 'What',
      kind: 'text',
      only: 'file',
    }),
    source: column(out.oneOf(SOURCES, 'How it came.'), { title: 'Source', kind: 'text' }),
    mode: column(out.text('How it was paid.', 'upi'), { title: 'Mode', only: 'file' }),
    payer: column(out.text('Who paid.', 'Asha Rao'), { title: 'Payer', only: 'file' }),
    student_name: column(out.optional.text('For whom.', 'Kabir Rao'), {
      title: 'Student',
      sort: by.name('coalesce("studentName", payer)'),
    }),
    identifier: column(out.optional.text("The student's identifier.", 'ADM-1042'), {
      title: 'Admission no.',
      only: 'file',
    }),
    components: column(out.list('What it was for.', lineOutput), {
      title: 'Fees',
      cell: (row: { components: readonly PaidLine[] }) =>
        row.components.map(one => `${lineName(one)} ${(one.amountPaise / 100).toFixed(2)}`).join('; '),
    }),
    amount: column(out.signedAmount('Rupees; what went back is negative.', 123456.5), {
      title: 'Amount',
      sort: by.number,
    }),
    receipt_number: column(out.optional.text('Its receipt, unless cancelled.', '2026-27/000042', receiptOf), {
      title: 'Receipt',
      sort: by.number(`left("financialYear", 4)::bigint * 10000000000 + number`),
    }),
    reference: column(
      out.optional.text("The bank's reference, or the one given at the counter.", '412345678901'),
      { title: 'Reference', only: 'file' },
    ),
    utr: column(out.optional.text("The bank's reference of the settlement.", 'HDFCR52026111500042'), {
      title: 'UTR of settlement',
      only: 'file',
    }),
    id: column(out.text('Id of the payment or refund.', 'pay_01k9zq4m0ve8sbn6yt2hw3c5da'), {
      title: 'Id',
      only: 'file',
    }),
    service_student_id: out.optional.text(
      'The student, if registered here.',
      'student_01k9zq4m0ve8sbn6yt2hw3c5da',
    ),
    order_id: out.optional.text('The order that it paid.', 'order_01k9zq4m0ve8sbn6yt2hw3c5da'),
    settlement_id: out.optional.text('The settlement that it is in.', 'setl_01k9zq4m0ve8sbn6yt2hw3c5da'),
  },
  filters: {
    captured_from: filter(field.rangeStart('Paid from this day on.').as('from'), { label: 'From' }),
    captured_to: filter(field.rangeEnd('Paid up to the end of this day.').as('before'), { label: 'Up to' }),
    source: filter(field.oneOf(SOURCES, 'How it came.'), { label: 'How it came' }),
    kind: filter(field.oneOf(KINDS, 'What came, or what went back.'), { label: 'What' }),
    component_type: filter(field.code('Only with this component in it.', 'TUITION_FEE').as('component'), {
      label: 'Fee',
      choices: 'components',
    }),
    ...classFilters('s'),
    settled: filter(field.oneOf(['yes', 'no'], 'Whether it has reached the bank.'), {
      label: 'Settled to bank',
    }),
  },
  rows: {
    async page({ db }, { id }, filters, { cursor, limit }) {
      const query = registerQuery(id, filters, { cursor, limit: limit + 1 })
      if (query === null) return { rows: [], nextCursor: undefined }
      return toPage(await db.query(query.text, query.values), limit, row => row.id)
    },
    all: (_ctx, { id }, filters) => registerQuery(id, filters),
    counted: (_ctx, { id }, filters) => countedRegister(id, filters),
  },
})

export type RegisterRow = ListRow<typeof registerList>
export type RegisterAnswer = Shown<typeof registerList.output>
