import { field, ifSent, input, notEmpty, nullable, optional } from '../http/wire/input.ts'
import { ORDER_ID } from '../orders/order.input.ts'
import { outputOf, type Shown } from '../http/wire/output.ts'
import type { Institute } from '../institutes/institutes.rules.ts'
import type { Page, PageField, PageLine, PageState } from './pages.rules.ts'
import type { CreatedPage, PageFile } from './pages.service.ts'

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

const fieldIn = input({
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
  fields: field.list('What is asked beyond name, phone and e-mail.', fieldIn, { max: 20 }),
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

/** Payment pages as the API answers them. */
const URL = 'https://pay.example.in/p/demo-school/science-fair'

const created = outputOf<CreatedPage>()
export const createdPageOutput = created.object('CreatedPaymentPage', {
  page_id: created.text('The id to read it by.', PAGE_ID),
  url: created.text('The public address; share it with payers.', URL),
})

const lineOut = outputOf<PageLine>()
const lineOutput = lineOut.object('PaymentPageLine', {
  component_type: lineOut.text('What is paid for.', 'EVENT_FEE'),
  label: lineOut.optional.text('Present only if provided.', 'Ticket'),
  amount: lineOut.optional.amount('Rupees; absent when the payer chooses.', 250, ({ price }) =>
    price.kind === 'fixed' ? price.amountPaise : null,
  ),
  max_quantity: lineOut.optional.integer(
    'How many one payer can take; absent when the payer chooses the amount.',
    5,
    ({ price }) => (price.kind === 'fixed' ? price.maxQuantity : null),
  ),
  min_amount: lineOut.optional.amount('Present only when the payer chooses.', 50, ({ price }) =>
    price.kind === 'chosen' ? price.minPaise : null,
  ),
  max_amount: lineOut.optional.amount('Present only if provided.', 5000, ({ price }) =>
    price.kind === 'chosen' ? price.maxPaise : null,
  ),
  is_optional: lineOut.flag('Whether the payer can leave it out.', false),
})

const fieldOut = outputOf<PageField>()
const askedOutput = fieldOut.object('PaymentPageQuestion', {
  key: fieldOut.text('Field of the order, or key of the note.', 'house'),
  label: fieldOut.optional.text('Present only if provided.', 'House'),
  is_required: fieldOut.flag('Whether it must be filled in.', true),
  options: fieldOut.optional.texts('Present only if provided.', ['Ganga', 'Kaveri'], ({ options }) =>
    options.length === 0 ? null : options,
  ),
})

export type ShownPage = Page & { url: string; paidCount: number; status: PageState }

const out = outputOf<ShownPage>()
export const pageFields = {
  page_id: out.text('Its id.', PAGE_ID, page => page.id),
  url: out.text('The public address.', URL),
  slug: out.text('The last part of it.', 'science-fair'),
  collector_code: out.text('The branch that is paid.', 'MAIN'),
  title: out.text('What the page is for.', 'Science fair 2026'),
  description: out.optional.text(
    'Present only if provided.',
    'Saturday, 12 December, 10 am, in the assembly hall.',
  ),
  details: out.list('What can be paid.', lineOutput, page => page.lines),
  fields: out.list('What is asked beyond name, phone and e-mail.', askedOutput),
  is_published: out.flag('Whether the institute publishes it.', true),
  status: out.oneOf(
    ['open', 'full', 'closed', 'unpublished'],
    'What payers find: a form, or that all places are taken, its time is over, or it is not published.',
  ),
  closes_at: out.optional.moment('Present only if provided.', '2026-12-10T18:29:59.000Z'),
  max_payments: out.optional.integer('Present only if provided.', 300),
  paid_count: out.integer('How many have paid; refunded ones are among them.', 42),
  callback_url: out.optional.text('Present only if provided.', 'https://erp.example.in/fair/done'),
  success_message: out.optional.text('Present only if provided.', 'Show this page at the door.'),
  created_at: out.moment('When it was made.', '2026-11-15T04:32:10.000Z'),
  updated_at: out.moment('When it was last changed.', '2026-11-15T04:32:10.000Z'),
}
export const pageOutput = out.object('PaymentPage', pageFields)

export function toPageJson(file: PageFile): Shown<typeof pageOutput> {
  return pageOutput.toJson(toShownPage(file))
}

/** What a page is answered from. */
export function toShownPage({ page, url, paid, state }: PageFile): ShownPage {
  return { ...page, url, paidCount: paid, status: state }
}

/** The same for people, with the name of the branch. */
type NamedPage = ShownPage & { branch: string }
const named = outputOf<NamedPage>()
export const namedPageOutput = named.object('NamedPaymentPage', {
  ...pageFields,
  branch: named.text('Name of the branch that is paid.', 'Main branch'),
})

export type PageAnswer = Shown<typeof namedPageOutput>

export function toNamedPage(file: PageFile, branches: Institute['branches']): NamedPage {
  const { collectorCode } = file.page
  const branch = branches.find(one => one.collectorCode === collectorCode)
  return { ...toShownPage(file), branch: branch?.name ?? collectorCode }
}
