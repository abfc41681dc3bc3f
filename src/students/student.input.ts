import { field, ifSent, input, notEmpty, nullable, optional, query } from '../http/wire/input.ts'
import { MAX_COMPONENTS } from '../fees/fees.rules.ts'

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

/** What is said of a student. */
const about = {
  fullname: field.text('Full name.', 'Kabir Rao'),
  identifier: field.identifier('Student identifier such as a student id.', 'ADM-1042'),
  grade: field.code('Grade or class.', '5'),
  new_admission: field.flag('New admission or not.', false),
  academic_year_start: field.year('Start year.', 2026),
  academic_year_end: field.year('End year.', 2027),
  date_of_birth: field.day('YYYY-MM-DD.', '2015-06-20'),
  primary_contact_name: field.text('Name of the primary contact.', 'Asha Rao').as('contactName'),
  primary_contact_number: field.phone('Phone of the primary contact.', '+91 98765 43210').as('contactNumber'),
  primary_contact_email: field.email('E-mail of the primary contact.', 'asha@example.in').as('contactEmail'),
  custom_identifier: field.identifier('A second identifier of your own.', 'ROLL-17'),
}

export const studentFields = {
  ...about,
  collector_code: ifSent(
    field.code(
      'Branch code; without it the default branch, or wherever a student registered without one was moved.',
      'MAIN',
    ),
  ),
  custom_identifier: optional(about.custom_identifier),
}

const componentType = field.code('Such as TUITION_FEE, as agreed between you and the service.', 'TUITION_FEE')

/** Of a payment taken outside. */
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

export const paidBeforeFields = {
  ...paymentFields,
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

export const profileInput = input(
  {
    fullname: notEmpty(about.fullname),
    identifier: notEmpty(about.identifier),
    collector_code: notEmpty(field.code('Branch code.', 'MAIN')),
    grade: notEmpty(about.grade),
    new_admission: notEmpty(about.new_admission),
    academic_year_start: notEmpty(about.academic_year_start),
    academic_year_end: notEmpty(about.academic_year_end),
    date_of_birth: nullable(about.date_of_birth),
    primary_contact_name: notEmpty(about.primary_contact_name),
    primary_contact_number: notEmpty(about.primary_contact_number),
    primary_contact_email: notEmpty(about.primary_contact_email),
    custom_identifier: nullable(about.custom_identifier),
  },
  SCHOOL_YEAR,
)

export const userInput = input({
  name: field.text('Full name.', 'Asha Rao'),
  phone: field.phone('Phone number.', '+91 98765 43210'),
  email: field.email('E-mail address.', 'asha@example.in'),
})

const ofBranch = optional(
  field.code('Only of this branch; not compared when the institute has one branch.', 'MAIN'),
)

export const branchQuery = query({ collector_code: ofBranch })

export const listStudentsQuery = query({
  limit: field.pageSize(),
  cursor: field.cursor(STUDENT_ID),
  identifier: optional(field.identifier('Only with this identifier.', 'ADM-1042')),
  grade: optional(field.code('Only of this grade.', '5')),
  collector_code: ofBranch,
  academic_year_start: optional(field.year('Only of this start year.', 2026)),
  academic_year_end: optional(field.year('Only of this end year.', 2027)),
  registration_id: optional(field.registrationId('Only of this user.', 'parent-77')),
  status: optional(field.oneOf(['active', 'dropped'], 'Only in this state.')),
})
