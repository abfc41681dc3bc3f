import { field, input, optional } from '../http/wire/input.ts'

/** What order and link routes take. */
export const ORDER_ID = 'order_01k9zq4m0ve8sbn6yt2hw3c5da'
export const STUDENT_ID = 'student_01k9zq4m0ve8sbn6yt2hw3c5da'

/** Below the installation's own address. */
export const ORDER_URLS = {
  order: '/api/v1/integrations/pay/orders',
  link: '/api/v1/integrations/pay/payment_links',
} as const

export const lineFields = {
  component_type: field.code('What is paid for, such as TUITION_FEE.', 'TUITION_FEE'),
  amount: field.positiveAmount('Rupees, more than 0.', 45000),
}
export const lineInput = input(lineFields, { name: 'OrderLineInput' })

const note = input(
  {
    key: field.text('Name of the note.', 'receipt_book'),
    value: field.text('Its value.', 'B-17'),
  },
  { name: 'OrderNoteInput' },
)

export const orderFields = {
  name: field.text('Payer name.', 'Asha Rao'),
  phone: field.phone('Payer phone, 7 to 15 digits; returned as sent.', '+91 98765 43210'),
  email: field.email('Payer e-mail.', 'asha@example.in'),
  details: field.list('What is to be paid, line by line.', lineInput, { min: 1, max: 50 }).as('lines'),
  identifier: optional(field.identifier("The institute's identifier of the student or payer.", 'ADM-1042')),
  student_name: optional(field.text('Student name.', 'Kabir Rao')),
  grade: optional(field.code('Grade identifier.', '5')),
  stream: optional(field.text('Stream name.', 'Science')),
  academic_year_start: optional(field.year('First year of the academic year.', 2026)),
  academic_year_end: optional(field.year('Last year of it, not before the first.', 2027)),
  new_admission: optional(
    field.flag('Whether this belongs to a new admission; false when absent.', false),
    false,
  ),
  date_of_birth: optional(field.day('Date of birth of the student, YYYY-MM-DD.', '2015-06-20')),
  custom_identifier: optional(field.identifier('A second identifier of your own.', 'ROLL-17')),
  notes: optional(field.list('Metadata kept with it and returned with every read.', note, { max: 50 }), []),
  callback_url: optional(
    field.url(
      "Where the payer's browser returns after paying; for navigation only, not proof of payment. In live mode https, without credentials.",
      'https://erp.example.in/fees/done',
    ),
  ),
  expires_at: optional(
    field.moment('No payment can start from then on; in the future.', '2040-03-31T23:59:59+05:30'),
  ),
  service_student_id: optional(
    field.resourceId(
      'The student whose dues it pays. Without it, and without settle_dues, no dues change.',
      STUDENT_ID,
    ),
  ).as('studentId'),
  settle_dues: optional(
    field.flag(
      'Whether it pays the dues of the student with this identifier (and grade and academic year, where sent): exactly one has to fit. ' +
        'An identifier alone changes no dues.',
      false,
    ),
    false,
  ),
  collector_code: optional(
    field.code('Branch code; required when the institute has several branches.', 'MAIN'),
  ),
}

/** Holds for whatever takes a school year. */
export const SCHOOL_YEAR = { ascending: ['academic_year_start', 'academic_year_end'] } as const

export const orderInput = input(orderFields, { ...SCHOOL_YEAR, name: 'CreateOrderRequest' })

export const orderParams = input({ order_id: field.resourceId('The id returned at creation.', ORDER_ID) })
