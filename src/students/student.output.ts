import { outputOf } from '../http/wire/output.ts'
import type { Branch } from '../institutes/institutes.rules.ts'
import { ZERO, type Paise } from '../platform/money.ts'
import {
  balanceOf,
  summariseFees,
  type FeeComponent,
  type FeeSummary,
  type Price,
} from '../fees/fees.rules.ts'
import { profileOutput } from './profile/profile.output.ts'
import type { ProfileChange } from './profile/profile.service.ts'
import { STUDENT_ID } from './student.input.ts'
import type { StudentChange } from './profile/profile.rules.ts'
import { ORIGINS, type Student } from './students.rules.ts'
import type { CarriedAmount, OtherYear, RecordedChange, StudentRecord } from './students.service.ts'

/** Students, their fees and the master data as the API answers them. */
const ON_THE_WAY =
  'Of that, what banks have been asked for and have not answered, and what a lender has promised: it cannot be paid a second time.'

type Summary = FeeSummary & { onTheWayPaise: Paise }
const sums = outputOf<Summary>()
const summaryOutput = sums.object('FeeSummary', {
  total_fee: sums.amount('All fees, before discounts.', 60000),
  discount: sums.amount('All discounts.', 5000),
  paid: sums.amount('All payments known here.', 20000),
  outstanding: sums.amount('What is still to be paid.', 35000),
  on_the_way_amount: sums.amount(ON_THE_WAY, 0, one => one.onTheWayPaise),
  advance: sums.amount('What was paid beyond what is due.', 0),
})

const { fullname, ...profileFields } = profileOutput
const who = outputOf<{ id: string }>()
/** Who a student is; the console's views extend it. */
export const studentFields = {
  service_student_id: who.text('Id of the student here.', STUDENT_ID, student => student.id),
  status: who.oneOf(['active', 'dropped'], 'A dropped one has left: no fees are collected any more.'),
  fullname,
  identifier: who.text('Your identifier.', 'ADM-1042'),
  collector_code: who.text('Branch code.', 'MAIN'),
  grade: who.text('Grade code.', '5'),
  academic_year_start: who.integer('Start year.', 2026),
  academic_year_end: who.integer('End year.', 2027),
  ...profileFields,
  origin: who.oneOf(
    ORIGINS,
    'Who keeps the record: the ERP, people of the office, or a file that the office sent.',
  ),
  created_at: who.moment('When it was registered.', '2026-11-15T04:32:10.000Z'),
  updated_at: who.moment('When its profile last changed.', '2026-11-15T04:32:10.000Z'),
}

const year = outputOf<OtherYear>()
const otherYearOutput = year.object({
  service_student_id: year.text('Id of that record.', STUDENT_ID, one => one.id),
  academic_year_start: studentFields.academic_year_start,
  academic_year_end: studentFields.academic_year_end,
  grade: studentFields.grade,
  status: studentFields.status,
  outstanding: year.amount('What is still to be paid of that year, rupees.', 0, one => one.owedPaise),
  on_the_way_amount: year.amount(ON_THE_WAY, 0, one => one.onTheWayPaise),
})

const carried = outputOf<CarriedAmount>()
export const carriedOutput = carried.object('CarriedFee', {
  component_type: carried.text('The component of this record.', 'TUITION_FEE'),
  amount: carried.signedAmount(
    'Rupees. Above 0 it counts as paid on this record: dues that went over, or an advance that came. Below 0 an advance that went over.',
    5000,
  ),
  taken_back: carried.flag(
    'It is a part of an advance that went back to the earlier year, because its payment was cancelled, corrected or refunded.',
    false,
    one => one.isTakenBack,
  ),
  service_student_id: carried.text('The record of the other year.', STUDENT_ID, one => one.otherStudentId),
  academic_year_start: carried.integer('Start year of that record.', 2027),
  academic_year_end: carried.integer('End year of that record.', 2028),
  carried_at: carried.moment('When.', '2027-03-20T04:32:10.000Z', one => new Date(one.transferredAt)),
})

const out = outputOf<
  Student & {
    registrationIds: readonly string[]
    feeSummary: Summary
    otherYears: readonly OtherYear[]
    carried: readonly CarriedAmount[]
  }
>()
export const studentOutput = out.object('Student', {
  ...studentFields,
  other_years: out.list(
    'The records of the same identifier and user in other academic years, newest first. Their dues are their own.',
    otherYearOutput,
  ),
  carried: out.list(
    'What a rollover carried to or from another year; it is part of `paid` in fee_summary and in no list of payments.',
    carriedOutput,
  ),
  registration_ids: out.texts('The users that this student belongs to.', ['parent-77']),
  fee_summary: out.one('Sums over all components, rupees.', summaryOutput),
})

/** What a student is answered from. */
export function toShownRecord(record: StudentRecord) {
  const { student, registrationIds, otherYears, carried: moved } = record
  return { ...student, registrationIds, feeSummary: summaryOf(record), otherYears, carried: moved }
}

function summaryOf({ fees: owed, paid, onTheWayPaise }: StudentRecord): Summary {
  return { ...summariseFees(owed, paid), onTheWayPaise }
}

const registered = outputOf<{ studentId: string }>()
export const registeredOutput = registered.object('RegisteredStudent', {
  service_student_id: registered.text(
    'The id of the student here; keep it.',
    STUDENT_ID,
    one => one.studentId,
  ),
})

const discount = outputOf<Price['discounts'][number]>()
const discountOutput = discount.object('FeeDiscount', {
  discount_type: discount.text('Such as SCHOLARSHIP.', 'SCHOLARSHIP'),
  value: discount.amount('Rupees.', 5000),
})

const price = outputOf<Price>()
const priceFields = {
  fee_amount: price.amount('Rupees, before discounts.', 60000, one => one.feePaise),
  discounts: price.list('What is taken off.', discountOutput),
}
const priceOutput = price.object('FeePrice', priceFields)

const change = outputOf<RecordedChange>()
const feeChangeOutput = change.object('FeeChange', {
  changed_at: change.moment('When.', '2026-11-15T04:32:10.000Z'),
  source: change.text(
    'What changed it: registration, update, pull, import, rollover, structure, charge or late_fee.',
    'update',
  ),
  note: change.optional.text(
    'What was adjusted beyond what was asked for.',
    'The discounts were capped at the new fee.',
  ),
  before: change.optional.one('Absent for the first entry.', priceOutput, one =>
    one.feeBeforePaise === null
      ? null
      : { feePaise: one.feeBeforePaise, discounts: one.discountsBefore ?? [] },
  ),
  after: change.one('As it was from then on.', priceOutput, one => ({
    feePaise: one.feeAfterPaise,
    discounts: one.discountsAfter,
  })),
})

const component = outputOf<
  FeeComponent &
    Pick<FeeSummary, 'paidPaise' | 'outstandingPaise' | 'advancePaise'> & { history: RecordedChange[] }
>()
const componentOutput = component.object('FeeComponent', {
  component_type: component.text('What the fee is for.', 'TUITION_FEE'),
  ...priceFields,
  paid: component.amount('Paid for this component.', 20000),
  outstanding: component.amount('Still to be paid for it.', 35000),
  advance: component.amount('Paid beyond its price.', 0),
  history: component.list('The 100 newest changes of this component, newest first.', feeChangeOutput),
})

const fees = outputOf<{ record: StudentRecord; history: readonly RecordedChange[] }>()
export const feesOutput = fees.object('StudentFees', {
  service_student_id: fees.text('Id of the student here.', STUDENT_ID, ({ record }) => record.student.id),
  fee_summary: fees.one('Sums over all components, rupees.', summaryOutput, ({ record }) =>
    summaryOf(record),
  ),
  fee_components: fees.list('In the order registered.', componentOutput, ({ record, history }) =>
    record.fees.map(fee => {
      const paidPaise = record.paid.get(fee.componentType) ?? ZERO
      const own = history.filter(change => change.componentType === fee.componentType)
      return { ...fee, paidPaise, ...balanceOf(fee, paidPaise), history: own }
    }),
  ),
})

const changed = outputOf<StudentChange>()
export const changedField = (
  name: string,
  example: { field: string; before: string | number; after: string | number },
  after: string,
) =>
  changed.object({
    field: changed.text(name, example.field),
    before: changed.optional.value('Absent when there was nothing.', example.before),
    after: changed.optional.value(after, example.after),
  })

const profile = outputOf<ProfileChange>()
export const profileChangeOutput = profile.object('StudentChange', {
  changed_at: profile.moment('When.', '2026-11-15T04:32:10.000Z'),
  source: profile.oneOf(['registration', 'update', 'import'], 'What changed it.'),
  changes: profile.list(
    'Field by field.',
    changedField(
      'Such as `grade`.',
      { field: 'grade', before: '5', after: '6' },
      'Absent when it was cleared.',
    ),
  ),
})

const user = outputOf<{ registrationId: string }>()
export const userOutput = user.object('User', {
  registration_id: user.text(
    'The id of the user; register students under it.',
    'user_01k9zq4m0ve8sbn6yt2hw3c5da',
  ),
})

const branch = outputOf<Branch>()
export const branchOutput = branch.object('Branch', {
  collector_code: branch.text('Branch code.', 'MAIN'),
  name: branch.text('Name of the branch.', 'Main branch'),
  is_default: branch.flag('Where students go that are registered without a branch.', true),
})

const entry = outputOf<{ code: string; name: string }>()
const nameOf = (example: string) =>
  entry.text('Its name; the code itself until it is given one.', example, one => one.name)
const codeOf = (description: string, example: string) => entry.text(description, example, one => one.code)

export const gradeOutput = entry.object('Grade', {
  code: codeOf('Grade code.', '5'),
  name: nameOf('Class 5'),
})
export const componentTypeOutput = entry.object('FeeComponentType', {
  component_type: codeOf('What a fee is for.', 'TUITION_FEE'),
  name: nameOf('Tuition fee'),
})
export const discountTypeOutput = entry.object('DiscountType', {
  discount_type: codeOf('What a discount is given for.', 'SCHOLARSHIP'),
  name: nameOf('Scholarship'),
})
