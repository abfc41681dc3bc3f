import { Type } from 'typebox'
import { field, shown } from '../http/fields.ts'

/** What order and link routes take and answer, once for validation, types and reference. */
const line = Type.Object({
  component_type: field.code({
    description: 'What is paid for, such as TUITION_FEE.',
    examples: ['TUITION_FEE'],
  }),
  amount: field.positiveAmount({ description: 'Rupees, more than 0.', examples: [45000] }),
})

const note = Type.Object({
  key: field.text({ description: 'Name of the note.', examples: ['receipt_book'] }),
  value: field.text({ description: 'Its value.', examples: ['B-17'] }),
})

export const CreateOrderBody = Type.Object(
  {
    name: field.text({ description: 'Payer name.', examples: ['Asha Rao'] }),
    phone: field.phone({
      description: 'Payer phone, 7 to 15 digits; returned as sent.',
      examples: ['+91 98765 43210'],
    }),
    email: field.email({ description: 'Payer e-mail.', examples: ['asha@example.in'] }),
    details: Type.Array(line, {
      minItems: 1,
      maxItems: 50,
      description: 'What is to be paid, line by line.',
    }),
    identifier: Type.Optional(
      field.identifier({ description: "The institute's identifier of the student or payer." }),
    ),
    student_name: Type.Optional(field.text({ description: 'Student name.' })),
    grade: Type.Optional(field.code({ description: 'Grade identifier.' })),
    stream: Type.Optional(field.text({ description: 'Stream name.' })),
    academic_year_start: Type.Optional(field.year({ description: 'First year of the academic year.' })),
    academic_year_end: Type.Optional(field.year({ description: 'Last year of it, not before the first.' })),
    new_admission: Type.Optional(
      field.flag({ description: 'Whether this belongs to a new admission; false when absent.' }),
    ),
    date_of_birth: Type.Optional(field.day({ description: 'Date of birth of the student, YYYY-MM-DD.' })),
    custom_identifier: Type.Optional(field.identifier({ description: 'A second identifier of your own.' })),
    notes: Type.Optional(
      Type.Array(note, { maxItems: 50, description: 'Metadata kept with it and returned with every read.' }),
    ),
    callback_url: Type.Optional(
      field.url({
        description:
          "Where the payer's browser returns after paying; for navigation only, not proof of payment.",
      }),
    ),
    expires_at: Type.Optional(
      field.moment({ description: 'No payment can start from then on; in the future.' }),
    ),
    collector_code: Type.Optional(
      field.code({ description: 'Branch code; required when the institute has several branches.' }),
    ),
  },
  { 'x-ascending': ['academic_year_start', 'academic_year_end'] },
)

export const OrderParams = Type.Object({
  order_id: field.resourceId({
    description: 'The id returned at creation.',
    examples: ['order_01k9zq4m0ve8sbn6yt2hw3c5da'],
  }),
})

const listQuery = {
  limit: Type.Optional(field.pageSize()),
  cursor: Type.Optional(field.resourceId({ description: '`next_cursor` of the page before.' })),
  identifier: Type.Optional(field.identifier({ description: 'Only with this identifier.' })),
  collector_code: Type.Optional(
    field.code({ description: 'Only of this branch; not compared when the institute has one branch.' }),
  ),
  created_from: Type.Optional(
    field.rangeStart({ description: 'Created at or after; a bare day begins at midnight in India.' }),
  ),
  created_to: Type.Optional(
    field.rangeEnd({ description: 'Created before this moment, or up to the end of this day in India.' }),
  ),
  note: Type.Optional(field.text({ description: 'Only with this note, as key:value.' }, 1001)),
}

export const ListOrdersQuery = Type.Object({
  status: Type.Optional(field.oneOf(['paid', 'unpaid'], { description: 'Only in this state.' })),
  ...listQuery,
})

export const ListLinksQuery = Type.Object({
  status: Type.Optional(
    field.oneOf(['paid', 'unpaid', 'expired', 'cancelled'], { description: 'Only in this state.' }),
  ),
  ...listQuery,
})

export const CreatedOrderView = Type.Object({
  order_id: shown.text({ description: 'The id to read it by.' }),
  redirect_url: shown.text({ description: "Send the payer's browser here." }),
})

const commonView = {
  id: shown.text({ description: 'Its id.' }),
  name: shown.text({ description: 'Payer name.' }),
  phone: shown.text({ description: 'Payer phone, as sent.' }),
  email: shown.text({ description: 'Payer e-mail.' }),
  identifier: Type.Optional(
    shown.text({ description: 'Student or payer identifier; present only if provided.' }),
  ),
  student_name: Type.Optional(shown.text({ description: 'Present only if provided.' })),
  grade: Type.Optional(shown.text({ description: 'Grade identifier; present only if provided.' })),
  stream: Type.Optional(shown.text({ description: 'Stream name; present only if provided.' })),
  academic_year_start: Type.Optional(shown.year({ description: 'Present only if provided.' })),
  academic_year_end: Type.Optional(shown.year({ description: 'Present only if provided.' })),
  new_admission: shown.flag({ description: 'Whether it belongs to a new-admission flow.' }),
  date_of_birth: Type.Optional(shown.day({ description: 'Present only if provided.' })),
  custom_identifier: Type.Optional(shown.text({ description: 'Present only if provided.' })),
  transaction_id: Type.Optional(shown.text({ description: 'Of the payment; absent while unpaid.' })),
  paid_at: Type.Optional(
    shown.moment({ description: 'When the payment completed, UTC; absent while unpaid.' }),
  ),
  details: Type.Array(
    Type.Object({
      component_type: shown.text({ description: 'Payment detail type.' }),
      amount: shown.amount({ description: 'Rupees.' }),
      settlement_utr: Type.Optional(shown.text({ description: 'Bank reference; only if settled.' })),
      settled_at: Type.Optional(
        shown.moment({ description: 'When it reached the institute; only if settled.' }),
      ),
    }),
    { description: 'Payment line items.' },
  ),
  notes: Type.Array(
    Type.Object({ key: shown.text({ description: 'Name.' }), value: shown.text({ description: 'Value.' }) }),
    { description: 'The metadata supplied at creation; empty when there was none.' },
  ),
}

export const OrderView = Type.Object({
  ...commonView,
  status: shown.oneOf(['paid', 'unpaid'], { description: 'Whether it has been paid.' }),
  closed_at: Type.Optional(
    shown.moment({
      description: 'When an unpaid order stopped taking payments: closed by you, or past its expiry.',
    }),
  ),
})

export const LinkView = Type.Object({
  ...commonView,
  status: shown.oneOf(['paid', 'unpaid', 'expired', 'cancelled'], { description: 'State of the link.' }),
  expires_at: Type.Optional(
    shown.moment({ description: 'When the link expires, UTC; absent if it does not.' }),
  ),
})
