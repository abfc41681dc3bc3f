import { Type } from 'typebox'
import type { EndpointDocs } from '../http/openapi.ts'
import { orderOutput } from '../orders/order.output.ts'
import { CreatedPageView, PageView } from './pages.schemas.ts'

/** What the reference says of payment pages. */
const tag = 'Payment pages'
const PAGE_ID = 'page_01k9zq4m0ve8sbn6yt2hw3c5da'

const CREATED = { page_id: PAGE_ID, url: 'https://pay.example.in/p/demo-school/science-fair' }

const TERMS = {
  title: 'Science fair 2026',
  slug: 'science-fair',
  description: 'Saturday, 12 December, 10 am, in the assembly hall.',
  details: [
    { component_type: 'EVENT_FEE', label: 'Ticket', amount: 250, max_quantity: 5 },
    { component_type: 'DONATION', label: 'For the laboratory', min_amount: 50, is_optional: true },
  ],
  fields: [
    { key: 'student_name', is_required: true },
    { key: 'house', label: 'House', options: ['Ganga', 'Kaveri'] },
  ],
  max_payments: 300,
  success_message: 'Show this page at the door.',
}

const EXAMPLE_PAGE = {
  ...CREATED,
  ...TERMS,
  collector_code: 'MAIN',
  details: [
    { component_type: 'EVENT_FEE', label: 'Ticket', amount: 250, max_quantity: 5, is_optional: false },
    { component_type: 'DONATION', label: 'For the laboratory', min_amount: 50, is_optional: true },
  ],
  fields: [
    { key: 'student_name', is_required: true },
    { key: 'house', label: 'House', is_required: false, options: ['Ganga', 'Kaveri'] },
  ],
  is_published: true,
  status: 'open',
  closes_at: '2026-12-10T18:29:59.000Z',
  paid_count: 42,
  created_at: '2026-11-15T04:32:10.000Z',
  updated_at: '2026-11-15T04:32:10.000Z',
}

const EXAMPLE_PAYMENT = {
  id: 'order_01k9zq4m0ve8sbn6yt2hw3c5da',
  name: 'Asha Rao',
  phone: '+91 98765 43210',
  email: 'asha@example.in',
  student_name: 'Kabir Rao',
  new_admission: false,
  transaction_id: 'T2611151002',
  paid_at: '2026-11-15T04:32:10.000Z',
  status: 'paid',
  details: [{ component_type: 'EVENT_FEE', amount: 750 }],
  notes: [
    { key: 'house', value: 'Kaveri' },
    { key: 'quantity.EVENT_FEE', value: '3' },
  ],
}

const onePage = {
  200: { description: 'As it is now.', data: PageView, example: { status: 'success', data: EXAMPLE_PAGE } },
}

export const createDocs: EndpointDocs = {
  operationId: 'createPaymentPage',
  tag,
  summary: 'Create a payment page',
  description:
    'Makes a public page that anybody can pay on, any number of times: an admission form, an event, a donation. Each ' +
    'payment is an order of its own; `page.payment.debited` and `page.payment.settled` tell of it. 409 when another page has the slug.',
  exampleBody: TERMS,
  answers: {
    201: { description: 'Created.', data: CreatedPageView, example: { status: 'success', data: CREATED } },
  },
}

export const listDocs: EndpointDocs = {
  operationId: 'listPaymentPages',
  tag,
  summary: 'List payment pages',
  description: 'Newest first. Filters add up.',
  answers: {
    200: {
      description: 'A page of them.',
      data: Type.Array(PageView),
      isList: true,
      example: { status: 'success', data: [EXAMPLE_PAGE], has_more: false },
    },
  },
}

export const getDocs: EndpointDocs = {
  operationId: 'getPaymentPage',
  tag,
  summary: 'Get a payment page',
  description: 'What it asks for, whether it takes payments, and how many have paid.',
  errors: [404],
  answers: onePage,
}

export const updateDocs: EndpointDocs = {
  operationId: 'updatePaymentPage',
  tag,
  summary: 'Change, publish or unpublish a payment page',
  description:
    'Changes what is sent; `details` and `fields` are replaced whole; null or "" empties what can be empty. Who has ' +
    'filled the form in already pays what it said then. `is_published: false` stops new payments at once, also of those ' +
    'who are at the checkout; money that is on its way still arrives.',
  errors: [404],
  exampleBody: { is_published: false },
  answers: onePage,
}

export const listPaymentsDocs: EndpointDocs = {
  operationId: 'listPagePayments',
  tag,
  summary: 'List the payments of a page',
  description:
    'The orders that payers made on it, paid and unpaid, newest first. They are not among your pay orders and links.',
  errors: [404],
  answers: {
    200: {
      description: 'A page of them.',
      data: Type.Array(orderOutput.schema),
      isList: true,
      example: { status: 'success', data: [EXAMPLE_PAYMENT], has_more: false },
    },
  },
}

export const getPaymentDocs: EndpointDocs = {
  operationId: 'getPagePayment',
  tag,
  summary: 'Get a payment of a page',
  description: 'The order as it is now.',
  errors: [404],
  answers: {
    200: {
      description: 'The current state.',
      data: orderOutput.schema,
      example: { status: 'success', data: EXAMPLE_PAYMENT },
    },
  },
}
