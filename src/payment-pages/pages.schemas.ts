import { Type } from 'typebox'
import { clearable, field, kept, shown } from '../http/fields.ts'

/** What the operations on payment pages take and answer. */
const line = Type.Object({
  component_type: field.code({
    description: 'What is paid for; once on a page.',
    examples: ['ADMISSION_FEE'],
  }),
  label: Type.Optional(
    field.text({ description: 'What payers read in its place, such as “Adult ticket”.' }, 120),
  ),
  amount: Type.Optional(
    field.positiveAmount({ description: 'Rupees. Absent: the payer chooses the amount.', examples: [1500] }),
  ),
  min_amount: Type.Optional(
    field.positiveAmount({
      description: 'The least that the payer can choose; 1 when absent. Not with `amount`.',
    }),
  ),
  max_amount: Type.Optional(
    field.positiveAmount({
      description: 'The most that the payer can choose; 1,00,00,000 when absent. Not with `amount`.',
    }),
  ),
  is_optional: Type.Optional(
    field.flag({ description: 'Whether the payer can leave it out; false when absent.' }),
  ),
  max_quantity: Type.Optional(
    field.wholeNumber(
      { description: 'How many of it one payer can take, 1 to 100; 1 when absent. Only with `amount`.' },
      [1, 100],
    ),
  ),
})

const asked = Type.Object({
  key: field.text(
    {
      description:
        '`student_name`, `identifier`, `grade`, `stream`, `date_of_birth` or `custom_identifier`, which become fields of ' +
        'the order; or one of your own (small letters, digits, underscores), which becomes a note of it.',
      examples: ['student_name'],
    },
    40,
  ),
  label: Type.Optional(
    field.text({ description: 'What payers read; required for a field of your own.' }, 120),
  ),
  is_required: Type.Optional(field.flag({ description: 'Whether it must be filled in; false when absent.' })),
  options: Type.Optional(
    Type.Array(field.code({ description: 'One of them.' }), {
      maxItems: 50,
      description: 'The payer takes one of these; typed freely when absent.',
    }),
  ),
})

const terms = {
  title: field.text({ description: 'What the page is for.', examples: ['Admission form 2027-28'] }, 120),
  slug: field.text(
    {
      description:
        'Last part of the address: 1 to 63 small letters, digits or dashes; one page of an institute has it.',
      examples: ['admission-2027'],
    },
    63,
  ),
  description: field.text({ description: 'Plain text; line breaks are kept.' }, 2_000),
  details: Type.Array(line, { minItems: 1, maxItems: 20, description: 'What can be paid, line by line.' }),
  fields: Type.Array(asked, {
    maxItems: 20,
    description: 'What is asked beyond name, phone and e-mail.',
  }),
  is_published: field.flag({ description: 'Whether the page takes payments.' }),
  closes_at: field.moment({ description: 'No payment can start from then on; in the future.' }),
  max_payments: field.wholeNumber(
    { description: 'How many can pay; those who are paying count too. At most 1,000,000.' },
    [1, 1_000_000],
  ),
  callback_url: field.url({
    description: "Where the payer's browser goes after paying; for navigation only, not proof of payment.",
  }),
  success_message: field.text({ description: 'What the payer reads after paying.' }, 500),
}

export const CreatePageBody = Type.Object({
  title: terms.title,
  details: terms.details,
  slug: Type.Optional(terms.slug),
  description: Type.Optional(terms.description),
  collector_code: Type.Optional(
    field.code({ description: 'Branch code; required when the institute has several branches.' }),
  ),
  fields: Type.Optional(terms.fields),
  is_published: Type.Optional(terms.is_published),
  closes_at: Type.Optional(terms.closes_at),
  max_payments: Type.Optional(terms.max_payments),
  callback_url: Type.Optional(terms.callback_url),
  success_message: Type.Optional(terms.success_message),
})

export const UpdatePageBody = Type.Object({
  title: Type.Optional(kept(terms.title)),
  details: Type.Optional(kept(terms.details)),
  slug: Type.Optional(kept(terms.slug)),
  description: Type.Optional(clearable(terms.description)),
  fields: Type.Optional(clearable(terms.fields)),
  is_published: Type.Optional(kept(terms.is_published)),
  closes_at: Type.Optional(clearable(terms.closes_at)),
  max_payments: Type.Optional(clearable(terms.max_payments)),
  callback_url: Type.Optional(clearable(terms.callback_url)),
  success_message: Type.Optional(clearable(terms.success_message)),
})

const pageId = field.resourceId({
  description: 'Id of the page.',
  examples: ['page_01k9zq4m0ve8sbn6yt2hw3c5da'],
})

export const PageParams = Type.Object({ page_id: pageId })

const list = {
  limit: Type.Optional(field.pageSize()),
  cursor: Type.Optional(field.resourceId({ description: '`next_cursor` of the page before.' })),
}

export const ListPagesQuery = Type.Object({
  ...list,
  status: Type.Optional(
    field.oneOf(['published', 'unpublished'], { description: 'Only published ones, or only the others.' }),
  ),
  collector_code: Type.Optional(
    field.code({ description: 'Only of this branch; not compared when the institute has one branch.' }),
  ),
})

export const ListPaymentsQuery = Type.Object({
  ...list,
  status: Type.Optional(field.oneOf(['paid', 'unpaid'], { description: 'Only in this state.' })),
})

export const CreatedPageView = Type.Object({
  page_id: shown.text({ description: 'The id to read it by.' }),
  url: shown.text({ description: 'The public address; share it with payers.' }),
})

export const PageView = Type.Object({
  page_id: shown.text({ description: 'Its id.' }),
  url: shown.text({ description: 'The public address.' }),
  slug: shown.text({ description: 'The last part of it.' }),
  collector_code: shown.text({ description: 'The branch that is paid.' }),
  title: shown.text({ description: 'What the page is for.' }),
  description: Type.Optional(shown.text({ description: 'Present only if provided.' })),
  details: Type.Array(
    Type.Object({
      component_type: shown.text({ description: 'What is paid for.' }),
      label: Type.Optional(shown.text({ description: 'Present only if provided.' })),
      amount: Type.Optional(shown.amount({ description: 'Rupees; absent when the payer chooses.' })),
      max_quantity: Type.Optional(
        Type.Integer({
          description: 'How many one payer can take; absent when the payer chooses the amount.',
        }),
      ),
      min_amount: Type.Optional(shown.amount({ description: 'Present only when the payer chooses.' })),
      max_amount: Type.Optional(shown.amount({ description: 'Present only if provided.' })),
      is_optional: shown.flag({ description: 'Whether the payer can leave it out.' }),
    }),
    { description: 'What can be paid.' },
  ),
  fields: Type.Array(
    Type.Object({
      key: shown.text({ description: 'Field of the order, or key of the note.' }),
      label: Type.Optional(shown.text({ description: 'Present only if provided.' })),
      is_required: shown.flag({ description: 'Whether it must be filled in.' }),
      options: Type.Optional(
        Type.Array(shown.text({ description: 'One of them.' }), { description: 'Present only if provided.' }),
      ),
    }),
    { description: 'What is asked beyond name, phone and e-mail.' },
  ),
  is_published: shown.flag({ description: 'Whether the institute publishes it.' }),
  status: shown.oneOf(['open', 'full', 'closed', 'unpublished'], {
    description:
      'What payers find: a form, or that all places are taken, its time is over, or it is not published.',
  }),
  closes_at: Type.Optional(shown.moment({ description: 'Present only if provided.' })),
  max_payments: Type.Optional(Type.Integer({ description: 'Present only if provided.' })),
  paid_count: Type.Integer({ description: 'How many have paid; refunded ones are among them.' }),
  callback_url: Type.Optional(shown.text({ description: 'Present only if provided.' })),
  success_message: Type.Optional(shown.text({ description: 'Present only if provided.' })),
  created_at: shown.moment({ description: 'When it was made.' }),
  updated_at: shown.moment({ description: 'When it was last changed.' }),
})
