import { field, ifSent, input, notEmpty, nullable, optional, query, type Field } from '../http/wire/input.ts'
import { branchField } from '../http/lists/define-rows.ts'
import { MAX_COMPONENTS } from '../fees/fees.rules.ts'
import {
  PROFILE_FIELDS,
  PROFILE_KEYS,
  type Profile,
  type ProfileKey,
  type ProfileName,
} from './profile/profile.fields.ts'

/** What the routes of students, users and master data take. */
export const STUDENT_ID = 'student_01k9zq4m0ve8sbn6yt2hw3c5da'
export const SCHOOL_YEAR = { ascending: ['academic_year_start', 'academic_year_end'] } as const
const MAX_DISCOUNTS = 50
const MAX_PAYMENTS = 1000

export const registrationParams = input({
  registration_id: field.registrationId('Your unique id of the user, 1 to 128 characters.', 'parent-77'),
})

export const studentParams = input({
  service_student_id: field.resourceId('The id that registration answered with.', STUDENT_ID).as('studentId'),
})

const identity = {
  identifier: field.identifier('Student identifier such as a student id.', 'ADM-1042'),
  grade: field.code('Grade or class.', '5'),
  academic_year_start: field.year('Start year.', 2026),
  academic_year_end: field.year('End year.', 2027),
}

type AnyField = Field<unknown, string>

/** The profile's fields, each wrapped for where it is read. */
function profileFields(wrap: (one: AnyField, presence: string) => AnyField): object {
  const fields = PROFILE_KEYS.map(key => {
    const { name, kind, presence, description, example } = PROFILE_FIELDS[key]
    const make = field[kind] as (text: string, sample: string | boolean) => AnyField
    return [name, wrap(make(description, example).as(key), presence)]
  })
  return Object.fromEntries(fields)
}

const orNull = (one: AnyField): AnyField => optional(one, null)

type ProfileInput = { [Key in ProfileKey as ProfileName<Key>]: Field<Profile[Key], Key> }

const { fullname, ...profile } = profileFields((one, presence) =>
  presence === 'optional' ? orNull(one) : one,
) as ProfileInput

export const studentFields = {
  fullname,
  ...identity,
  ...profile,
  collector_code: ifSent(
    field.code(
      'Branch code; without it the default branch, or wherever a student registered without one was moved.',
      'MAIN',
    ),
  ),
}

/** The student of an ERP's record: what it leaves out stays as it is stored. */
export const pulledStudentFields = {
  ...identity,
  ...(profileFields((one, presence) => (presence === 'required' ? one : orNull(one))) as ProfileInput),
}

const componentType = field.code('Such as TUITION_FEE, as agreed between you and the service.', 'TUITION_FEE')

/** Fields of a payment taken outside Bursar. */
export const paymentFields = {
  amount: field.positiveAmount('Rupees; the sum of its fee_components.', 20000),
  paid_at: field.momentOrDay(
    'ISO 8601; without an offset Indian time, a bare day is midnight.',
    '2026-06-05T10:15:00+05:30',
  ),
  mode: field.code('Such as cash.', 'cash'),
  transaction_id: field.identifier('Unique for the student.', 'CASH-2026-0001'),
  settlement_utr: field.identifier('Settlement reference when applicable.', 'HDFCN26157000042'),
  notes: field.text('A remark.', 'Paid at the counter'),
  fee_components: field
    .list(
      'What it was paid for.',
      input({ component_type: componentType, amount: field.amount('Rupees.', 20000) }),
      { min: 1, max: MAX_COMPONENTS },
    )
    .as('lines'),
}

/** Our own id of a payment, for an ERP that sends back what was collected here. */
export const ownPaymentId = optional(
  field.identifier(
    'Our id of the payment, for one that was collected here: such a payment is known already and is not counted again.',
    'pay_01k9zq4m0ve8sbn6yt2hw3c5da',
  ),
)

export const paidBeforeFields = {
  ...paymentFields,
  id: ownPaymentId,
  settlement_utr: optional(paymentFields.settlement_utr),
  notes: optional(paymentFields.notes),
}

export const discountFields = {
  discount_type: field.code('Such as SCHOLARSHIP.', 'SCHOLARSHIP'),
  value: field.amount('Rupees taken off the fee.', 5000),
}

const discounts = field.list('What is taken off; together at most the fee.', input(discountFields), {
  max: MAX_DISCOUNTS,
})

export const feeFields = {
  component_type: componentType,
  fee_amount: field.amount('Rupees, before discounts; a number or a string of digits.', 60000).as('feePaise'),
}

export const registerInput = input({
  student: field.object('The student.', input(studentFields, SCHOOL_YEAR)),
  fee_components: optional(
    field.list(
      'The fees; a student has at most 200 components and 100000000000 rupees in all.',
      input({ ...feeFields, discounts: ifSent(discounts) }),
      { max: MAX_COMPONENTS },
    ),
    [],
  ).as('fees'),
  payments: optional(
    field.list(
      'Payments taken before; those known already are left alone. At most 100000000000 rupees in all.',
      input(paidBeforeFields),
      { max: MAX_PAYMENTS },
    ),
    [],
  ),
})

export const feesInput = input({
  fee_components: field
    .list(
      'The components to set; others stay. A student has at most 200 and 100000000000 rupees in all.',
      input({ ...feeFields, discounts: nullable(discounts, []) }),
      { min: 1, max: MAX_COMPONENTS },
    )
    .as('fees'),
})

type ProfileChangeInput = {
  [Key in ProfileKey as ProfileName<Key>]: Field<Profile[Key] | undefined, Key>
}

export const profileInput = input(
  {
    identifier: notEmpty(identity.identifier),
    collector_code: notEmpty(field.code('Branch code.', 'MAIN')),
    grade: notEmpty(identity.grade),
    academic_year_start: notEmpty(identity.academic_year_start),
    academic_year_end: notEmpty(identity.academic_year_end),
    ...(profileFields((one, presence) =>
      presence === 'required' ? notEmpty(one) : nullable(one),
    ) as ProfileChangeInput),
  },
  SCHOOL_YEAR,
)

export const userInput = input({
  name: field.text('Full name.', 'Asha Rao'),
  phone: field.phone('Phone number.', '+91 98765 43210'),
  email: field.email('E-mail address.', 'asha@example.in'),
})

export const branchQuery = query({ collector_code: optional(branchField) })
