import { countedInput, countedOutput } from '../../banking/deposits/deposit.schemas.ts'
import { DRAWER_ENTRIES } from './counter.store.ts'
import { field, input, optional, query } from '../../http/wire/input.ts'
import { outputOf, type Shown } from '../../http/wire/output.ts'
import type { Instrument } from '../../students/direct-payments/direct-payments.rules.ts'
import { receiptOf } from '../money/receipts.rules.ts'
import type {
  BookRow,
  Closing,
  CounterDay,
  DrawerCash,
  DrawerEntry,
  SpreadPayment,
} from './counter.service.ts'

export const spreadQuery = query({
  amount: field.amount('What was handed over, rupees.', 12500),
  paid_on: optional(field.day('When, as a late fee grows until then; today if absent.', '2026-11-16')),
})

export const dayQuery = query({ day: optional(field.day('Today if absent.', '2026-11-16')) })

export const drawerInput = input({
  kind: field.oneOf(DRAWER_ENTRIES, 'Change that is put in, or cash that is given to somebody else.'),
  amount: field.positiveAmount('Rupees.', 2000),
  note: field.text('Where it comes from, or whom it is given to.', 'From the safe'),
  day: optional(field.day('Of which day the cash is that is given on; today if absent.', '2026-11-16')),
})

export const closeInput = input({
  day: field.day('Which day.', '2026-11-16'),
  cashier: field.email('Whose cash.', 'counter@school.example'),
  denominations: field.list('What was counted.', countedInput, { max: 20 }),
  note: optional(field.text('Why it differs from what was taken.', 'Change of ₹10 given twice')),
})

const AT = '2026-11-16T06:30:00.000Z'

const line = outputOf<SpreadPayment['lines'][number]>()
const spread = outputOf<SpreadPayment>()
export const spreadOutput = spread.object({
  fee_components: spread.list(
    'By the institute’s rule, late fees first.',
    line.object({
      component_type: line.text('The fee.', 'TUITION_FEE'),
      amount: line.amount('Rupees.', 12000),
    }),
    one => one.lines,
  ),
  late_fee_amount: spread.amount(
    'Late fees that were due on that day, rupees.',
    450,
    one => one.lateFeePaise,
  ),
  excess: spread.amount('More than can be taken for fees now, rupees.', 0),
  left_amount: spread.amount(
    'What can be taken: all that is due less what is on the way, rupees.',
    12000,
    one => one.leftPaise,
  ),
  on_the_way_amount: spread.amount(
    'What banks or a lender are expected to bring, rupees.',
    0,
    one => one.onTheWayPaise,
  ),
  on_the_way_until: spread.optional.day('By when that has come or failed.', '2026-11-18'),
})
export type SpreadAnswer = Shown<typeof spreadOutput>

const instrument = outputOf<Instrument>()
const instrumentOutput = instrument.object({
  number: instrument.text('Of the cheque or draft.', '004512'),
  bank: instrument.optional.text('Drawn on.', 'HDFC Bank'),
  date: instrument.optional.day('The date on it.', '2026-11-16'),
})

const book = outputOf<BookRow>()
const bookOutput = book.object({
  id: book.text('Id of the payment, or of the refund.', 'pay_01k9zq4m0ve8sbn6yt2hw3c5da'),
  kind: book.oneOf(['payment', 'refund'], 'What was taken, or what was paid out again.'),
  recorded_at: book.moment('When, UTC.', AT),
  cashier: book.text('Who took it.', 'counter@school.example'),
  service_student_id: book.text('The student.', 'student_01k9zq4m0ve8sbn6yt2hw3c5da', row => row.studentId),
  student_name: book.text('The student.', 'Kabir Rao'),
  identifier: book.text("The student's identifier.", 'ADM-1042'),
  mode: book.text('How it was paid.', 'cash'),
  amount: book.signedAmount('Rupees; what was paid out is negative.', 12000),
  instrument: book.optional.one('Of a cheque or draft.', instrumentOutput),
  receipt_number: book.optional.text(
    'Of its receipt, also if that is cancelled; of what was paid out, of its voucher.',
    '2026-27/000042',
    receiptOf,
  ),
  is_cancelled: book.flag('Whether it was cancelled.', false),
  cancel_reason: book.optional.text('Why its receipt was cancelled.', 'Typed twice'),
  refunded_amount: book.optional.amount(
    'What of it was paid out again, rupees.',
    500,
    row => row.refundedPaise || null,
  ),
})

const closing = outputOf<Closing>()
export const closingOutput = closing.object({
  cashier: closing.text('Whose cash.', 'counter@school.example'),
  expected_amount: closing.signedAmount(
    'Cash that was taken since the closing before, less what was paid out, rupees.',
    12000,
    one => one.expectedPaise,
  ),
  counted_amount: closing.amount('Cash that was counted, rupees.', 12000, one => one.countedPaise),
  denominations: closing.list('As counted.', countedOutput),
  note: closing.optional.text('Why they differ.', 'Change given twice'),
  closed_by: closing.text('Who closed it.', 'counter@school.example'),
  closed_at: closing.moment('When, UTC.', AT),
})

const entry = outputOf<DrawerEntry>()
export const drawerEntryOutput = entry.object({
  id: entry.text('Id of the entry.', 'drawer_01k9zq4m0ve8sbn6yt2hw3c5da'),
  cashier: entry.text('Whose drawer.', 'counter@school.example'),
  kind: entry.oneOf(DRAWER_ENTRIES, 'Change put in, or cash given to somebody else.'),
  amount: entry.amount('Rupees.', 2000),
  note: entry.text('Where it came from, or whom it was given to.', 'From the safe'),
  recorded_at: entry.moment('When, UTC.', AT),
})

const cash = outputOf<DrawerCash>()
const cashOutput = cash.object({
  cashier: cash.text('Whose drawer.', 'counter@school.example'),
  in_drawer_amount: cash.signedAmount(
    'Cash that the book has in it: its change and what was taken, less what was paid out and handed over, rupees.',
    12000,
    one => one.inDrawerPaise,
  ),
  open_amount: cash.signedAmount(
    'Of it, what no closing has counted; negative what was paid out or cancelled since, rupees.',
    2000,
    one => one.openPaise,
  ),
})

const out = outputOf<CounterDay>()
export const counterDayOutput = out.object({
  day: out.day('The day.', '2026-11-16'),
  payments: out.list('In the order they were taken, up to 2,000.', bookOutput, one => one.rows),
  drawer: out.list('Change put in and cash given on, by cashier.', drawerEntryOutput),
  closings: out.list('By cashier, in their order.', closingOutput),
  cash: out.list('What is in each drawer by the book.', cashOutput),
})
export type CounterDayAnswer = Shown<typeof counterDayOutput>
