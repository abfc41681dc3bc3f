import { virtualAccountOutput } from '../../dues/virtual-accounts/virtual-account.schemas.ts'
import { counterRefundOutput } from '../../banking/refunds/counter-refund.schemas.ts'
import {
  duesOutput,
  lateFeeEntryOutput,
  studentPaymentOutput,
  withOnTheWay,
} from '../../dues/dues.schemas.ts'
import { addOwed, owedOf, type Owed } from '../../dues/dues.rules.ts'
import type { Dues } from '../../dues/dues.service.ts'
import type { OpenedOrder } from '../../dues/pay-dues.service.ts'
import type { Discount } from '../../fees/fees.rules.ts'
import type { datedPlanOutput, planHistoryOutput } from '../../flex/plans/plan.schemas.ts'
import { outputOf, type Shown } from '../../http/wire/output.ts'
import { leavingOutput } from '../../leaving/leaving.schemas.ts'
import { createdOrderOutput } from '../../orders/order.output.ts'
import { totalOf, type Order } from '../../orders/orders.rules.ts'
import type { OnTheWay } from '../../payments/student-payments.service.ts'
import type { FieldProblem } from '../../platform/errors.ts'
import { sumPaise, toRupees, type Paise } from '../../platform/money.ts'
import { receiptNumber } from '../../receipts/receipts.rules.ts'
import { depositReturnOutput } from '../../students/deposits/deposit.schemas.ts'
import { recordedPaymentFields } from '../../students/direct-payments/direct-payment.schemas.ts'
import { carriedOutput, changedField, studentFields } from '../../students/student.output.ts'
import type { Student } from '../../students/students.rules.ts'
import type { ErpFetch } from './actions.service.ts'
import type { Choices, HeldDeposit, StudentMoney, StudentPage, TimelineRow } from './students.service.ts'
import { TIMELINE_KINDS } from './students.rules.ts'
import type { FamilyUser } from './students.store.ts'

/** Students as the console's API answers them: the API's own fields, and what a page shows beside them. */
const { service_student_id, fullname, identifier, status } = studentFields
const graded = outputOf<{ gradeName: string }>()
const grade_name = graded.text('Name of the grade.', 'Class 5')

const ON_THE_WAY = 'Of that, what cannot be paid a second time: banks or a lender have yet to answer for it.'

const choice = outputOf<Choices['grades'][number]>()
const codeOutput = choice.object({ code: choice.text('Code.', '5'), name: choice.text('Name.', 'Class 5') })
const choices = outputOf<Choices & { givesAccountNumbers: boolean }>()
export const choicesOutput = choices.object({
  branches: choices.list('Branches.', codeOutput),
  years: choices.list(
    'Academic years that there are students of, newest first, by the year they start in; at most 20.',
    codeOutput,
  ),
  grades: choices.list('Grades of the catalogue.', codeOutput),
  sections: choices.list('Sections that there are students of; at most 100.', codeOutput),
  components: choices.list('Fee components of the catalogue.', codeOutput),
  discounts: choices.list('Discounts of the catalogue.', codeOutput),
  is_strict: choices.flag('Whether only codes of the catalogue are taken.', false),
  gives_account_numbers: choices.flag('Whether students can be given account numbers.', false),
})

const user = outputOf<FamilyUser>()
const userOutput = user.object({
  registration_id: user.text("The ERP's id of the user.", 'parent-77'),
  name: user.text('Name.', 'Asha Rao'),
  phone: user.text('Phone.', '+91 98765 43210'),
  email: user.text('E-mail.', 'asha@example.in'),
})

const owed = outputOf<OwedTotals>()
const owedFields = {
  total_amount: owed.amount('Owed in all years, late fees included, rupees.', 20450, one => one.totalPaise),
  overdue_amount: owed.amount('Of that, past its due day; late fees included.', 0, one => one.overduePaise),
  on_the_way_amount: owed.amount(ON_THE_WAY, 0, one => one.onTheWayPaise),
}

const child = outputOf<Related>()
const childOutput = child.object({
  service_student_id,
  fullname,
  identifier,
  grade_name,
  status,
  ...owedFields,
})

const family = outputOf<Family>()
const familyOutput = family.object({
  children: family.list('Each child once, as in its newest year; this one first.', childOutput),
  ...owedFields,
})

const discount = outputOf<Discount & { componentType: string }>()
const discountOutput = discount.object({
  component_type: discount.text('Of which fee.', 'TUITION_FEE'),
  discount_type: discount.text('Kind of discount.', 'SCHOLARSHIP'),
  amount: discount.amount('Rupees taken off.', 5000, one => one.valuePaise),
})

const order = outputOf<Order & { redirectUrl: string }>()
const openOrderOutput = order.object({
  order_id: order.text('Id of the order.', createdOrderOutput.example.order_id, one => one.id),
  amount: order.amount('Rupees.', 20450, totalOf),
  redirect_url: order.text('The page on which it is paid.', createdOrderOutput.example.redirect_url),
  created_at: order.moment('Made, UTC.', '2026-11-15T04:32:10.000Z'),
})

const record = outputOf<Related>()
const yearOutput = record.object({
  service_student_id,
  academic_year_start: studentFields.academic_year_start,
  academic_year_end: studentFields.academic_year_end,
  grade_name,
  status,
  total_amount: record.amount('Owed for that year, late fees included, rupees.', 0, one => one.totalPaise),
  overdue_amount: record.amount('Of that, past its due day; late fees included.', 0, one => one.overduePaise),
  on_the_way_amount: record.amount(ON_THE_WAY, 0, one => one.onTheWayPaise),
})

const heldDeposit = outputOf<HeldDeposit>()
const heldDepositOutput = heldDeposit.object({
  service_student_id: heldDeposit.text(
    'The record of the year in which it was paid.',
    studentFields.service_student_id.example,
    one => one.studentId,
  ),
  component_type: heldDeposit.text('Which deposit.', 'CAUTION_DEPOSIT'),
  amount: heldDeposit.amount('Held, rupees.', 5000),
})

const link = outputOf<OpenedOrder>()
export const studentLinkOutput = link.object({
  order_id: link.text('Id of the order.', createdOrderOutput.example.order_id),
  redirect_url: link.text('The page on which it is paid.', createdOrderOutput.example.redirect_url),
  amount: link.amount('What it asks for, rupees.', 20450),
})

type OwedTotals = Owed & { onTheWayPaise: Paise }
type Related = Student & OwedTotals & { gradeName: string }
type Family = OwedTotals & { children: Related[] }
type ShownPage = Omit<StudentPage, 'family' | 'otherYears' | 'openOrders'> &
  Student & {
    gradeName: string
    family: Family
    otherYears: Related[]
    openOrders: (Order & { redirectUrl: string })[]
  }

const page = outputOf<ShownPage>()
export const studentPageOutput = page.object({
  ...studentFields,
  grade_name,
  users: page.list('Who pays for the student.', userOutput),
  family: page.one('The children of the same users, with what all of them owe.', familyOutput),
  other_years: page.list('Its records of other academic years, newest first.', yearOutput),
  carried: page.list('What a rollover carried to or from them; part of what is paid.', carriedOutput),
  dues: page.one('What it owes.', duesOutput, one => withOnTheWay(one.dues, one.onTheWay)),
  discounts: page.list('Concessions that are in the dues.', discountOutput, one =>
    one.dues.lines.flatMap(({ componentType, discounts }) =>
      discounts.map(each => ({ ...each, componentType })),
    ),
  ),
  deposits: page.list(
    'What is held of deposits, on this record and those of other years.',
    heldDepositOutput,
  ),
  undoable_returns: page.list(
    'Deposits of this record that were given back, as far as that can be undone.',
    depositReturnOutput,
  ),
  late_fee_entries: page.list('Late fees paid or let off, newest first.', lateFeeEntryOutput),
  open_orders: page.list('Orders for the dues that can still be paid.', openOrderOutput),
  leaving: page.optional.one('How its leaving was settled.', leavingOutput),
  virtual_account: page.optional.one('The number that its family can transfer to.', virtualAccountOutput),
  can_have_account: page.flag(
    'Whether it has no account number and its payment provider gives some.',
    false,
    one => one.canHaveAccount,
  ),
  is_locked: page.flag(
    'Whether the ERP keeps it and the office may not edit it.',
    false,
    one => one.isLocked,
  ),
  has_erp: page.flag('Whether there is an ERP to ask.', true),
})

/** Where the page of an order is. */
type PageAddress = { instituteCode: string; publicUrl: string }

/** What the page of a student is answered from. */
export function toShownStudent(found: StudentPage, { publicUrl, instituteCode }: PageAddress) {
  return {
    ...found,
    ...withGrade(found.dues),
    family: toFamily(found),
    otherYears: found.otherYears.map(one => toRelated(one, found.onTheWay)),
    openOrders: found.openOrders.map(one => ({
      ...one,
      redirectUrl: `${publicUrl}/pay/${instituteCode}/${one.id}`,
    })),
  }
}

function toFamily({ family: records, onTheWay }: StudentPage): Family {
  const children = records.flatMap(own => {
    const years = own.map(one => toRelated(one, onTheWay))
    return years[0] === undefined ? [] : [{ ...years[0], ...sumOwed(years) }]
  })
  return { children, ...sumOwed(children) }
}

function sumOwed(all: readonly OwedTotals[]): OwedTotals {
  return {
    ...addOwed(all),
    onTheWayPaise: sumPaise(all.map(one => one.onTheWayPaise)),
  }
}

function toRelated(one: Dues, onTheWay: readonly OnTheWay[]): Related {
  const { onTheWayPaise } = withOnTheWay(one, onTheWay)
  return { ...withGrade(one), ...owedOf(one), onTheWayPaise }
}

function withGrade({ context: { student, gradeName } }: Dues): Student & { gradeName: string } {
  return { ...student, gradeName }
}

const cancelled = outputOf<StudentMoney['direct'][number]['cancelledReceipts'][number]>()
const cancelledReceiptOutput = cancelled.object({
  receipt_number: cancelled.text('Its number, which is never used again.', '2026-27/000042', receiptNumber),
  is_moved: cancelled.flag(
    'Whether the money counts elsewhere now, for another student or other fees.',
    false,
    one => one.cancelCause === 'payment_moved',
  ),
  reason: cancelled.text('Why it was cancelled.', 'Typed in twice', one => one.cancelReason ?? ''),
})

const taken = outputOf<StudentMoney['direct'][number]>()
const takenOutput = taken.object({
  ...recordedPaymentFields,
  is_counter: taken.flag(
    'Taken at the counter here, so it can be refunded here.',
    true,
    one => one.recordedBy !== null,
  ),
  refunds: taken.list('What of it was paid out again, the first first.', counterRefundOutput),
  cancelled_receipts: taken.list(
    'Receipts of it that do not stand any more, the last cancelled last.',
    cancelledReceiptOutput,
  ),
})

const back = outputOf<StudentMoney['refunds'][number]>()
const givenBackOutput = back.object({
  payment_id: back.text('Of which payment.', 'pay_01k9zq4m0ve8sbn6yt2hw3c5da'),
  amount: back.amount('Rupees.', 500),
  refunded_at: back.moment('When, UTC; when it was asked for, until then.', '2026-11-18T06:00:00.000Z'),
})

const money = outputOf<StudentMoney>()
export const paymentsOutput = money.object({
  online: money.list('Paid through here, newest first; at most 200.', studentPaymentOutput),
  direct: money.list('Taken by the institute, newest first; at most 200.', takenOutput),
  refunds: money.list('Given back of what was paid through here, newest first.', givenBackOutput),
})

const entry = outputOf<TimelineRow>()
export const timelineEntryOutput = entry.object({
  id: entry.text('Id of the entry.', 'evt_01k9zq4m0ve8sbn6yt2hw3c5da'),
  at: entry.moment('When, UTC.', '2026-11-15T04:32:10.000Z'),
  kind: entry.oneOf(
    TIMELINE_KINDS,
    'Which log it is from: events, acts of people, fetches from the ERP, the profile, fees, late fees let off, messages to the family.',
  ),
  what: entry.text(
    "The event's code, what was done, the outcome, what changed the profile, the component, the late fee or the channel.",
    'masterdata.student.registered',
  ),
  by: entry.optional.text('Who did it, if somebody did.', 'Asha Rao'),
  why: entry.optional.text('Why, if somebody said so.', 'Paid at the counter'),
  raw: entry.json('All that is known of it.', {}, ({ kind, raw }) => toRaw(kind, raw)),
})

/** Rupees, as everywhere on the wire. */
function toRaw(kind: TimelineRow['kind'], raw: unknown): unknown {
  if (kind === 'waiver') return { amount: toRupees((raw as { amount: Paise }).amount) }
  if (kind !== 'fee') return raw
  const { source, feeBefore, discountsBefore, feeAfter, discountsAfter } = raw as FeeRaw
  return {
    source,
    ...(feeBefore === null ? {} : { before: toPriceJson(feeBefore, discountsBefore ?? []) }),
    after: toPriceJson(feeAfter, discountsAfter),
  }
}

type FeeRaw = {
  source: string
  feeBefore: Paise | null
  discountsBefore: Discount[] | null
  feeAfter: Paise
  discountsAfter: Discount[]
}

function toPriceJson(feePaise: Paise, discounts: readonly Discount[]) {
  return { fee_amount: toRupees(feePaise), discounts: discounts.map(toDiscountJson) }
}

export function toDiscountJson({ discountType, valuePaise }: Discount) {
  return { discount_type: discountType, amount: toRupees(valuePaise) }
}

const problem = outputOf<FieldProblem>()
const problemOutput = problem.object({
  key: problem.text("Dotted path in the ERP's answer.", 'data.student.grade'),
  message: problem.text('What is wrong there.', 'is required'),
})

const asked = outputOf<ErpFetch>()
export const fetchedOutput = asked.object({
  outcome: asked.oneOf(['found', 'refused', 'unavailable'], 'What came of it.', one => one.kind),
  code: asked.optional.text("The ERP's code, or the kind of trouble.", 'data_error', one =>
    one.kind === 'refused' ? one.code : one.kind === 'unavailable' ? one.reason : null,
  ),
  message: asked.optional.text("The ERP's words, or what is to be mended.", 'The student has left.', one =>
    one.kind === 'found' ? null : one.message,
  ),
  problems: asked.list("What is wrong with the ERP's answer.", problemOutput, one =>
    one.kind === 'unavailable' ? one.problems : [],
  ),
  changes: asked.list(
    'What it changed of the student; none when the ERP says what was known.',
    changedField(
      'Such as `grade`, or `fee_components.TUITION_FEE.fee_amount`.',
      { field: 'grade', before: '5', after: '6' },
      'As the ERP has it.',
    ),
    one => (one.kind === 'found' ? one.changes : []),
  ),
})

export type ChoicesAnswer = Shown<typeof choicesOutput>
export type StudentPageAnswer = Shown<typeof studentPageOutput>
export type PaymentsAnswer = Shown<typeof paymentsOutput>
export type PlansAnswer = Shown<typeof datedPlanOutput>[]
export type PlanAnswer = Shown<typeof planHistoryOutput>
export type TimelineEntryAnswer = Shown<typeof timelineEntryOutput>
export type FetchedAnswer = Shown<typeof fetchedOutput>
export type StudentLinkAnswer = Shown<typeof studentLinkOutput>
