import { Type } from 'typebox'
import { field, shown } from '../../http/wire/fields.ts'
import { changedField } from '../../students/student.output.ts'

/** What the routes of the pull integration take and answer. */
export const FetchTestBody = Type.Object(
  {
    identifier: field.identifier({ description: 'The student to ask for.', examples: ['ADM-1042'] }),
    grade: Type.Optional(field.code({ description: 'Grade code; sent if the lookup option has it.' })),
    custom_identifier: Type.Optional(field.identifier({ description: 'Likewise.' })),
    collector_code: Type.Optional(
      field.code({ description: 'Branch code: chooses the settings, and is sent likewise.' }),
    ),
    academic_year_start: Type.Optional(field.year({ description: 'Start year; sent likewise.' })),
    academic_year_end: Type.Optional(field.year({ description: 'End year; sent likewise.' })),
  },
  { 'x-ascending': ['academic_year_start', 'academic_year_end'] },
)

export const ListFetchesQuery = Type.Object({
  limit: Type.Optional(field.pageSize()),
  cursor: Type.Optional(field.resourceId({ description: '`next_cursor` of the page before.' })),
})

const problems = Type.Array(
  Type.Object({
    key: shown.text({ description: "Dotted path in the ERP's answer." }),
    message: shown.text({ description: 'What is wrong there.' }),
  }),
  { description: "What is wrong with the ERP's answer, field by field." },
)

const httpStatus = Type.Optional(
  Type.Integer({ description: 'That the ERP answered with; absent when no answer came.' }),
)
const code = Type.Optional(
  shown.text({
    description:
      "The ERP's code when it refused; when it was unavailable the kind of trouble, such as `timeout` or `wrong_record`.",
  }),
)
const message = Type.Optional(
  shown.text({ description: "The ERP's words when it refused, otherwise what is to be mended." }),
)
const duration = Type.Integer({ description: 'How long the call took, ms.' })

const understood = Type.Object(
  {
    identifier: shown.text({ description: 'Identifier.' }),
    fullname: shown.text({ description: 'Full name.' }),
    collector_code: Type.Optional(shown.text({ description: 'Present only if sent.' })),
    grade: shown.text({ description: 'Grade code.' }),
    new_admission: shown.flag({ description: 'New admission or not.' }),
    academic_year_start: shown.year({ description: 'Start year.' }),
    academic_year_end: shown.year({ description: 'End year.' }),
    date_of_birth: Type.Optional(shown.day({ description: 'Present only if sent.' })),
    primary_contact_name: shown.text({ description: 'Name of the primary contact.' }),
    primary_contact_email: shown.text({ description: 'Its e-mail address.' }),
    primary_contact_number: shown.text({ description: 'Its mobile number.' }),
  },
  { description: 'The student as it was understood; present only when found.' },
)

const line = { component_type: shown.text({ description: 'What it is for.' }) }

export const FetchTestView = Type.Object({
  outcome: shown.oneOf(['found', 'refused', 'unavailable', 'not_configured'], {
    description: 'not_configured: no fetch URL is set, so nothing was asked.',
  }),
  url: Type.Optional(shown.text({ description: 'What was asked; credentials go in a header.' })),
  duration_ms: Type.Optional(duration),
  http_status: httpStatus,
  code,
  acts_as: Type.Optional(
    shown.text({ description: 'The code that a refusal is treated as; an unknown one is `data_error`.' }),
  ),
  message,
  problems,
  student: Type.Optional(understood),
  fee_components: Type.Optional(
    Type.Array(
      Type.Object({ ...line, fee_amount: shown.amount({ description: 'Total after discounts, rupees.' }) }),
      { description: 'Present only when found.' },
    ),
  ),
  payment_schedule: Type.Optional(
    Type.Array(
      Type.Object({
        due_date: shown.day({ description: 'Due date.' }),
        reference_id: Type.Optional(shown.text({ description: 'Present only if sent.' })),
        identifier: Type.Optional(shown.text({ description: 'Present only if sent.' })),
        is_downpayment: shown.flag({ description: 'Paid at set-up.' }),
        details: Type.Array(
          Type.Object({ ...line, amount: shown.amount({ description: 'Payable rupees.' }) }),
          { description: 'By component.' },
        ),
      }),
      { description: 'Present only if sent.' },
    ),
  ),
  user: Type.Optional(
    Type.Object(
      {
        name: shown.text({ description: 'Name.' }),
        phone: shown.text({ description: 'Phone.' }),
      },
      { description: 'Present only if sent.' },
    ),
  ),
})

export const FetchView = Type.Object({
  id: shown.text({ description: 'Id of the fetch.' }),
  reason: shown.oneOf(['flex_setup', 'presentation', 'reminder', 'init', 'test', 'console'], {
    description: 'Why the ERP was asked.',
  }),
  fetched_at: shown.moment({ description: 'When.' }),
  duration_ms: duration,
  outcome: shown.oneOf(['found', 'refused', 'unavailable'], { description: 'What came of it.' }),
  http_status: httpStatus,
  code,
  message,
  problems,
  changes: Type.Array(
    changedField(
      'Such as `grade`, or `fee_components.TUITION_FEE.fee_amount`.',
      { field: 'fee_components.TUITION_FEE.fee_amount', before: 60000, after: 55000 },
      'As the ERP has it; amounts in rupees.',
    ).schema,
    { description: 'What it changed of the student; a test changes nothing.' },
  ),
})
