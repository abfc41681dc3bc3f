import { field, ifSent, input, notEmpty, nullable, optional, query } from '../http/wire/input.ts'
import { ORDER_ID } from '../orders/order.input.ts'

/** What the operations on payment pages take. */
export const PAGE_ID = 'page_01k9zq4m0ve8sbn6yt2hw3c5da'

const line = input({
  component_type: field.code('What is paid for; once on a page.', 'EVENT_FEE'),
  label: optional(field.text('What payers read in its place, such as “Adult ticket”.', 'Ticket', 120)),
  amount: ifSent(field.positiveAmount('Rupees. Absent: the payer chooses the amount.', 250)),
  min_amount: ifSent(
    field.positiveAmount('The least that the payer can choose; 1 when absent. Not with `amount`.', 50),
  ).as('minPaise'),
  max_amount: ifSent(
    field.positiveAmount(
      'The most that the payer can choose; 1,00,00,000 when absent. Not with `amount`.',
      5000,
    ),
  ).as('maxPaise'),
  is_optional: optional(field.flag('Whether the payer can leave it out; false when absent.', false), false),
  max_quantity: ifSent(
    field.wholeNumber(
      'How many of it one payer can take, 1 to 100; 1 when absent. Only with `amount`.',
      5,
      [1, 100],
    ),
  ),
})

const asked = input({
  key: field.text(
    '`student_name`, `identifier`, `grade`, `stream`, `date_of_birth` or `custom_identifier`, which become fields of ' +
      'the order; or one of your own (small letters, digits, underscores), which becomes a note of it.',
    'house',
    40,
  ),
  label: optional(field.text('What payers read; required for a field of your own.', 'House', 120)),
  is_required: optional(field.flag('Whether it must be filled in; false when absent.'), false),
  options: optional(
    field.list(
      'The payer takes one of these; typed freely when absent.',
      field.code('One of them.', 'Kaveri'),
      { max: 50 },
    ),
    [],
  ),
})

const terms = {
  title: field.text('What the page is for.', 'Science fair 2026', 120),
  slug: field.text(
    'Last part of the address: 1 to 63 small letters, digits or dashes; one page of an institute has it.',
    'science-fair',
    63,
  ),
  description: field.text(
    'Plain text; line breaks are kept.',
    'Saturday, 12 December, 10 am, in the assembly hall.',
    2_000,
  ),
  details: field.list('What can be paid, line by line.', line, { min: 1, max: 20 }).as('lines'),
  fields: field.list('What is asked beyond name, phone and e-mail.', asked, { max: 20 }),
  is_published: field.flag('Whether the page takes payments.'),
  closes_at: field.moment('No payment can start from then on; in the future.', '2040-12-10T23:59:59+05:30'),
  max_payments: field.wholeNumber(
    'How many can pay; those who are paying count too. At most 1,000,000.',
    300,
    [1, 1_000_000],
  ),
  callback_url: field.url(
    "Where the payer's browser goes after paying; for navigation only, not proof of payment. In live mode https, without credentials.",
    'https://erp.example.in/fair/done',
  ),
  success_message: field.text('What the payer reads after paying.', 'Show this page at the door.', 500),
}

export const newPageInput = input({
  title: terms.title,
  details: terms.details,
  slug: ifSent(terms.slug),
  description: ifSent(terms.description),
  collector_code: optional(
    field.code('Branch code; required when the institute has several branches.', 'MAIN'),
  ),
  fields: ifSent(terms.fields),
  is_published: ifSent(terms.is_published),
  closes_at: ifSent(terms.closes_at),
  max_payments: ifSent(terms.max_payments),
  callback_url: ifSent(terms.callback_url),
  success_message: ifSent(terms.success_message),
})

export const pageChangeFields = {
  title: notEmpty(terms.title),
  details: notEmpty(terms.details),
  slug: notEmpty(terms.slug),
  description: nullable(terms.description),
  fields: nullable(terms.fields, []),
  is_published: notEmpty(terms.is_published),
  closes_at: nullable(terms.closes_at),
  max_payments: nullable(terms.max_payments),
  callback_url: nullable(terms.callback_url),
  success_message: nullable(terms.success_message),
}

export const pageChangeInput = input(pageChangeFields)

export const pageParams = input({ page_id: field.resourceId('Id of the page.', PAGE_ID) })

export const pagePaymentParams = input({
  ...pageParams.fields,
  order_id: field.resourceId('Id of the order that the payer made on it.', ORDER_ID),
})

export const listPagesQuery = query({
  limit: field.pageSize(),
  cursor: field.cursor(PAGE_ID),
  status: optional(field.oneOf(['published', 'unpublished'], 'Only published ones, or only the others.')),
  collector_code: optional(
    field.code('Only of this branch; not compared when the institute has one branch.', 'MAIN'),
  ),
})

export const listPagePaymentsQuery = query({
  limit: field.pageSize(),
  cursor: field.cursor(ORDER_ID),
  status: optional(field.oneOf(['paid', 'unpaid'], 'Only in this state.')),
})
