import { Type } from 'typebox'
import { clearable, field, shown } from '../http/fields.ts'
import { MAX_COMPONENTS } from '../fees/fees.rules.ts'

/** What student routes take and answer. */
export const RegistrationParams = Type.Object({
  registration_id: field.registrationId({
    description: 'Your unique id of the user, 1 to 128 characters.',
    examples: ['parent-77'],
  }),
})

export const StudentParams = Type.Object({
  service_student_id: field.resourceId({
    description: 'The id that registration answered with.',
    examples: ['student_01k9zq4m0ve8sbn6yt2hw3c5da'],
  }),
})

const discount = Type.Object({
  discount_type: field.code({ description: 'Such as SCHOLARSHIP.', examples: ['SCHOLARSHIP'] }),
  value: field.amount({ description: 'Rupees taken off the fee.', examples: [5000] }),
})

const MAX_DISCOUNTS = 50
const MAX_PAYMENTS = 1000

const componentType = field.code({
  description: 'Such as TUITION_FEE, as agreed between you and the service.',
  examples: ['TUITION_FEE'],
})
const feeAmount = field.amount({
  description: 'Rupees, before discounts; a number or a string of digits.',
  examples: [60000],
})
const discountsDocs = { maxItems: MAX_DISCOUNTS, description: 'What is taken off; together at most the fee.' }

/** What is said of a student. */
export const studentFields = {
  fullname: field.text({ description: 'Full name.', examples: ['Kabir Rao'] }),
  identifier: field.identifier({
    description: 'Student identifier such as a student id.',
    examples: ['ADM-1042'],
  }),
  grade: field.code({ description: 'Grade or class.', examples: ['5'] }),
  new_admission: field.flag({ description: 'New admission or not.' }),
  academic_year_start: field.year({ description: 'Start year.', examples: ['2026'] }),
  academic_year_end: field.year({ description: 'End year.', examples: ['2027'] }),
  date_of_birth: field.day({ description: 'YYYY-MM-DD.', examples: ['2015-06-20'] }),
  primary_contact_name: field.text({ description: 'Name of the primary contact.' }),
  primary_contact_number: field.phone({ description: 'Phone of the primary contact.' }),
  primary_contact_email: field.email({ description: 'E-mail of the primary contact.' }),
  custom_identifier: field.identifier({ description: 'A second identifier of your own.' }),
}

const student = Type.Object(
  {
    ...studentFields,
    collector_code: Type.Optional(
      field.code({
        description:
          'Branch code; without it the default branch, or wherever a student registered without one was moved.',
      }),
    ),
    custom_identifier: Type.Optional(studentFields.custom_identifier),
  },
  { 'x-ascending': ['academic_year_start', 'academic_year_end'] },
)

/** Of a payment taken outside. */
export const paymentFields = {
  amount: field.positiveAmount({ description: 'Rupees; the sum of its fee_components.' }),
  paid_at: field.momentOrDay({
    description: 'ISO 8601; without an offset Indian time, a bare day is midnight.',
  }),
  mode: field.code({ description: 'Such as cash.', examples: ['cash'] }),
  transaction_id: field.identifier({ description: 'Unique for the student.', examples: ['CASH-2026-0001'] }),
  settlement_utr: field.identifier({ description: 'Settlement reference when applicable.' }),
  notes: field.text({ description: 'A remark.' }),
  fee_components: Type.Array(
    Type.Object({ component_type: componentType, amount: field.amount({ description: 'Rupees.' }) }),
    {
      minItems: 1,
      maxItems: MAX_COMPONENTS,
      description: 'What it was paid for.',
    },
  ),
}

const payment = Type.Object({
  ...paymentFields,
  settlement_utr: Type.Optional(paymentFields.settlement_utr),
  notes: Type.Optional(paymentFields.notes),
})

export const RegisterBody = Type.Object({
  student,
  fee_components: Type.Optional(
    Type.Array(
      Type.Object({
        component_type: componentType,
        fee_amount: feeAmount,
        discounts: Type.Optional(Type.Array(discount, discountsDocs)),
      }),
      {
        maxItems: MAX_COMPONENTS,
        description: 'The fees; a student has at most 200 components and 100000000000 rupees in all.',
      },
    ),
  ),
  payments: Type.Optional(
    Type.Array(payment, {
      maxItems: MAX_PAYMENTS,
      description:
        'Payments taken before; those known already are left alone. At most 100000000000 rupees in all.',
    }),
  ),
})

export const UpdateFeeBody = Type.Object({
  fee_components: Type.Array(
    Type.Object({
      component_type: componentType,
      fee_amount: feeAmount,
      discounts: Type.Optional(clearable(Type.Array(discount, discountsDocs))),
    }),
    {
      minItems: 1,
      maxItems: MAX_COMPONENTS,
      description:
        'The components to set; others stay. A student has at most 200 and 100000000000 rupees in all.',
    },
  ),
})

export const ListStudentsQuery = Type.Object({
  limit: Type.Optional(field.pageSize()),
  cursor: Type.Optional(field.resourceId({ description: '`next_cursor` of the page before.' })),
  identifier: Type.Optional(field.identifier({ description: 'Only with this identifier.' })),
  grade: Type.Optional(field.code({ description: 'Only of this grade.' })),
  collector_code: Type.Optional(
    field.code({ description: 'Only of this branch; not compared when the institute has one branch.' }),
  ),
  academic_year_start: Type.Optional(field.year({ description: 'Only of this start year.' })),
  academic_year_end: Type.Optional(field.year({ description: 'Only of this end year.' })),
  registration_id: Type.Optional(field.registrationId({ description: 'Only of this user.' })),
  status: Type.Optional(field.oneOf(['active', 'dropped'], { description: 'Only in this state.' })),
})

export const RegisteredView = Type.Object({
  service_student_id: shown.text({ description: 'The id of the student here; keep it.' }),
})

/** Of a field that changed, before or after. */
export const changedValue = (description: string) =>
  Type.Optional(
    Type.Unsafe<string | number | boolean>({ type: ['string', 'number', 'boolean'], description }),
  )

const shownPrice = {
  fee_amount: shown.amount({ description: 'Rupees, before discounts.' }),
  discounts: Type.Array(
    Type.Object({
      discount_type: shown.text({ description: 'Such as SCHOLARSHIP.' }),
      value: shown.amount({ description: 'Rupees.' }),
    }),
    { description: 'What is taken off.' },
  ),
}

const summary = Type.Object(
  {
    total_fee: shown.amount({ description: 'All fees, before discounts.' }),
    discount: shown.amount({ description: 'All discounts.' }),
    paid: shown.amount({ description: 'All payments known here.' }),
    outstanding: shown.amount({ description: 'What is still to be paid.' }),
    advance: shown.amount({ description: 'What was paid beyond what is due.' }),
  },
  { description: 'Sums over all components, rupees.' },
)

export const StudentView = Type.Object({
  service_student_id: shown.text({ description: 'Id of the student here.' }),
  registration_ids: Type.Array(Type.String(), { description: 'The users that this student belongs to.' }),
  status: shown.oneOf(['active', 'dropped'], { description: 'Whether fees are still collected.' }),
  fullname: shown.text({ description: 'Full name.' }),
  identifier: shown.text({ description: 'Your identifier.' }),
  custom_identifier: Type.Optional(shown.text({ description: 'Present only if provided.' })),
  collector_code: shown.text({ description: 'Branch code.' }),
  grade: shown.text({ description: 'Grade code.' }),
  new_admission: shown.flag({ description: 'New admission or not.' }),
  academic_year_start: shown.year({ description: 'Start year.' }),
  academic_year_end: shown.year({ description: 'End year.' }),
  date_of_birth: Type.Optional(shown.day({ description: 'Present only if known.' })),
  primary_contact_name: shown.text({ description: 'Name of the primary contact.' }),
  primary_contact_number: shown.text({ description: 'Phone of the primary contact.' }),
  primary_contact_email: shown.text({ description: 'E-mail of the primary contact.' }),
  fee_summary: summary,
  created_at: shown.moment({ description: 'When it was registered.' }),
  updated_at: shown.moment({ description: 'When its profile last changed.' }),
})

export const FeeView = Type.Object({
  service_student_id: shown.text({ description: 'Id of the student here.' }),
  fee_summary: summary,
  fee_components: Type.Array(
    Type.Object({
      component_type: shown.text({ description: 'What the fee is for.' }),
      ...shownPrice,
      paid: shown.amount({ description: 'Paid for this component.' }),
      outstanding: shown.amount({ description: 'Still to be paid for it.' }),
      advance: shown.amount({ description: 'Paid beyond its price.' }),
      history: Type.Array(
        Type.Object({
          changed_at: shown.moment({ description: 'When.' }),
          source: shown.text({
            description: 'What changed it: registration, update, pull, import or late_fee.',
          }),
          note: Type.Optional(shown.text({ description: 'What was adjusted beyond what was asked for.' })),
          before: Type.Optional(Type.Object(shownPrice, { description: 'Absent for the first entry.' })),
          after: Type.Object(shownPrice, { description: 'As it was from then on.' }),
        }),
        { description: 'The 100 newest changes of this component, newest first.' },
      ),
    }),
    { description: 'In the order registered.' },
  ),
})
