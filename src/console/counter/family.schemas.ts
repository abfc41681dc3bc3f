import { field, input, query } from '../../http/wire/input.ts'
import { outputOf, type Shown } from '../../http/wire/output.ts'
import type { CounterFee } from '../../dues/takings/takings.rules.ts'
import { studentParams } from '../../students/student.input.ts'
import { receiptNumber } from '../../receipts/receipts.rules.ts'
import { COUNTER_QR_STATES, type CounterQr } from './counter-qr.service.ts'
import type { CounterChild, CounterFamily, FoundFamily } from './family.service.ts'

const STUDENT_ID = 'student_01k9zq4m0ve8sbn6yt2hw3c5da'

export const familyQuery = query({
  q: field
    .text(
      'A receipt, an admission number, a phone, a name from its beginning on, or what a card’s code says.',
      'ADM-1042',
      300,
    )
    .as('typed'),
})

export const familyParams = input({ ...studentParams.fields })

const named = outputOf<FoundFamily['children'][number]>()
const found = outputOf<FoundFamily>()
export const foundFamilyOutput = found.object({
  service_student_id: found.text(
    'One of its children, by which the family is opened.',
    STUDENT_ID,
    one => one.studentId,
  ),
  children: found.list(
    'The children that fit.',
    named.object({
      fullname: named.text('Name.', 'Kabir Rao'),
      identifier: named.text('Admission number.', 'ADM-1042'),
      grade: named.text('Class.', '5'),
      section: named.optional.text('Section.', 'B'),
    }),
  ),
})
export type FoundFamilyAnswer = Shown<typeof foundFamilyOutput>

const fee = outputOf<CounterFee>()
const feeOutput = fee.object({
  component_type: fee.text('The fee.', 'TUITION_FEE'),
  left_amount: fee.amount('What can be taken of it, rupees.', 12000, one => one.leftPaise),
  due_on: fee.optional.day('When it falls due.', '2026-12-10'),
  overdue_amount: fee.amount('What “all overdue” takes of it.', 0, one => one.overduePaise),
  term_amount: fee.amount('What “this term” takes of it.', 12000, one => one.termPaise),
  everything_amount: fee.amount('What “everything” takes of it.', 12000, one => one.everythingPaise),
})

const ON_THE_WAY = 'Of that, what banks or a lender are expected to bring.'

const child = outputOf<CounterChild>()
const childOutput = child.object({
  service_student_id: child.text('The child.', STUDENT_ID, one => one.studentId),
  fullname: child.text('Name.', 'Kabir Rao'),
  identifier: child.text('Admission number.', 'ADM-1042'),
  grade_name: child.text('Class.', 'Class 5'),
  section: child.optional.text('Section.', 'B'),
  academic_year_start: child.integer('The year of these fees.', 2026),
  academic_year_end: child.integer('Its end.', 2027),
  total_amount: child.amount('Owed for that year, late fees included.', 24500, one => one.totalPaise),
  overdue_amount: child.amount(
    'Of that, past its due day; late fees included.',
    12500,
    one => one.overduePaise,
  ),
  outstanding_amount: child.amount(
    'Fees owed, without late fees, rupees.',
    24000,
    one => one.outstandingPaise,
  ),
  on_the_way_amount: child.amount(ON_THE_WAY, 0, one => one.onTheWayPaise),
  on_the_way_until: child.optional.day('By when that has come or failed.', '2026-11-18'),
  fees: child.list('What can be taken, late fees first.', feeOutput),
})

const family = outputOf<CounterFamily>()
export const familyOutput = family.object({
  payer_name: family.text('Whom the family answers to.', 'Asha Rao'),
  payer_phone: family.text('Phone.', '+91 98765 43210'),
  total_amount: family.amount('Owed in all, late fees included, rupees.', 48500, one => one.totalPaise),
  overdue_amount: family.amount(
    'Of that, past its due day; late fees included.',
    12500,
    one => one.overduePaise,
  ),
  on_the_way_amount: family.amount(ON_THE_WAY, 0, one => one.onTheWayPaise),
  term_due_on: family.optional.day('The day that “this term” ends with.', '2026-12-10'),
  children: family.list('Brothers and sisters, one for each year that is owed.', childOutput),
})
export type FamilyAnswer = Shown<typeof familyOutput>

const QR_ID = 'family_01k9zq4m0ve8sbn6yt2hw3c5da'
export const counterQrParams = input({
  checkout_id: field.resourceId('By which the family pays: of one order or of several.', QR_ID),
})

const qr = outputOf<CounterQr>()
export const counterQrOutput = qr.object({
  checkout_id: qr.text('By which the family pays.', QR_ID),
  url: qr.text('What the code leads to.', `https://fees.example.in/pay/demo-school/${QR_ID}`),
  amount: qr.amount('Rupees, exactly.', 12000),
  state: qr.oneOf(COUNTER_QR_STATES, 'Whether it is paid; `closed`: taken back or no longer owed.'),
  receipt_numbers: qr.texts('Once it is paid.', ['2026-27/000042'], one => one.receipts.map(receiptNumber)),
})
export type CounterQrAnswer = Shown<typeof counterQrOutput>
