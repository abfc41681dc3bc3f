import { outputOf, type Shown } from '../http/wire/output.ts'
import type { Institute } from '../institutes/institutes.rules.ts'
import { PAGE_ID } from './page.input.ts'
import type { Page, PageField, PageLine, PageState } from './pages.rules.ts'
import type { CreatedPage, PageFile } from './pages.service.ts'

/** Payment pages as the API answers them. */
const URL = 'https://pay.example.in/p/demo-school/science-fair'

const created = outputOf<CreatedPage>()
export const createdPageOutput = created.object('CreatedPaymentPage', {
  page_id: created.text('The id to read it by.', PAGE_ID),
  url: created.text('The public address; share it with payers.', URL),
})

const line = outputOf<PageLine>()
const lineOutput = line.object('PaymentPageLine', {
  component_type: line.text('What is paid for.', 'EVENT_FEE'),
  label: line.optional.text('Present only if provided.', 'Ticket'),
  amount: line.optional.amount('Rupees; absent when the payer chooses.', 250, ({ price }) =>
    price.kind === 'fixed' ? price.amountPaise : null,
  ),
  max_quantity: line.optional.integer(
    'How many one payer can take; absent when the payer chooses the amount.',
    5,
    ({ price }) => (price.kind === 'fixed' ? price.maxQuantity : null),
  ),
  min_amount: line.optional.amount('Present only when the payer chooses.', 50, ({ price }) =>
    price.kind === 'chosen' ? price.minPaise : null,
  ),
  max_amount: line.optional.amount('Present only if provided.', 5000, ({ price }) =>
    price.kind === 'chosen' ? price.maxPaise : null,
  ),
  is_optional: line.flag('Whether the payer can leave it out.', false),
})

const asked = outputOf<PageField>()
const askedOutput = asked.object('PaymentPageQuestion', {
  key: asked.text('Field of the order, or key of the note.', 'house'),
  label: asked.optional.text('Present only if provided.', 'House'),
  is_required: asked.flag('Whether it must be filled in.', true),
  options: asked.optional.texts('Present only if provided.', ['Ganga', 'Kaveri'], ({ options }) =>
    options.length === 0 ? null : options,
  ),
})

type Source = Page & { url: string; paidCount: number; status: PageState }

const out = outputOf<Source>()
const pageFields = {
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
export function toShownPage({ page, url, paid, state }: PageFile): Source {
  return { ...page, url, paidCount: paid, status: state }
}

/** The same for people, with the name of the branch. */
type NamedPage = Source & { branch: string }
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
