import { Type } from 'typebox'
import type { EndpointDocs } from '../http/openapi.ts'
import type { PublicKind } from './orders.rules.ts'
import { CreatedOrderView, LinkView, OrderView } from './orders.schemas.ts'

/** What the reference says of the order and link operations. */
export function docsFor(kind: PublicKind): Record<'create' | 'list' | 'get' | 'cancel', EndpointDocs> {
  const isLink = kind === 'link'
  const noun = isLink ? 'payment link' : 'pay order'
  const Noun = isLink ? 'PaymentLink' : 'PayOrder'
  const tag = isLink ? 'Payment links' : 'Pay orders'
  const view = isLink ? LinkView : OrderView
  const example = isLink ? EXAMPLE_LINK : EXAMPLE_ORDER
  return {
    create: {
      operationId: `create${Noun}`,
      tag,
      summary: `Create a ${noun}`,
      description: `Makes a ${noun} and answers with the address to send the payer's browser to.`,
      exampleBody: EXAMPLE_BODY,
      answers: {
        201: {
          description: 'Created.',
          data: CreatedOrderView,
          example: {
            status: 'success',
            data: {
              order_id: EXAMPLE_ID,
              redirect_url: `https://pay.example.in/pay/demo-school/${EXAMPLE_ID}`,
            },
          },
        },
      },
    },
    list: {
      operationId: `list${Noun}s`,
      tag,
      summary: `List ${noun}s`,
      description: 'Newest first. Filters add up.',
      answers: {
        200: {
          description: 'A page.',
          data: Type.Array(view),
          isList: true,
          example: { status: 'success', data: [example], has_more: false },
        },
      },
    },
    get: {
      operationId: `get${Noun}`,
      tag,
      summary: `Get a ${noun}`,
      description: 'Its current state: read it after checkout, callback or webhook.',
      errors: [404],
      answers: {
        200: { description: 'The current state.', data: view, example: { status: 'success', data: example } },
      },
    },
    cancel: {
      operationId: isLink ? 'cancelPaymentLink' : 'closePayOrder',
      tag,
      summary: isLink ? 'Cancel a payment link' : 'Close a pay order',
      description: isLink
        ? 'No payment can start on it any more. On a paid, expired or cancelled link: 409.'
        : 'No payment can start on it any more; it goes on reading `unpaid`, with `closed_at`. On a paid or closed one: 409.',
      errors: [404],
      answers: { 200: { description: 'Done.', example: { status: 'success' } } },
    },
  }
}

const EXAMPLE_ID = 'order_01k9zq4m0ve8sbn6yt2hw3c5da'

const EXAMPLE_BODY = {
  name: 'Asha Rao',
  phone: '+91 98765 43210',
  email: 'asha@example.in',
  identifier: 'ADM-1042',
  student_name: 'Kabir Rao',
  grade: '5',
  academic_year_start: 2026,
  academic_year_end: 2027,
  details: [
    { component_type: 'TUITION_FEE', amount: 45000 },
    { component_type: 'TRANSPORT_FEE', amount: 6500.5 },
  ],
  notes: [{ key: 'receipt_book', value: 'B-17' }],
  callback_url: 'https://erp.example.in/fees/done',
}

const EXAMPLE_ORDER = {
  id: EXAMPLE_ID,
  name: 'Asha Rao',
  phone: '+91 98765 43210',
  email: 'asha@example.in',
  identifier: 'ADM-1042',
  student_name: 'Kabir Rao',
  grade: '5',
  academic_year_start: 2026,
  academic_year_end: 2027,
  new_admission: false,
  transaction_id: 'T2611151002',
  paid_at: '2026-11-15T04:32:10.000Z',
  status: 'paid',
  details: [
    { component_type: 'TUITION_FEE', amount: 45000 },
    { component_type: 'TRANSPORT_FEE', amount: 6500.5 },
  ],
  notes: [{ key: 'receipt_book', value: 'B-17' }],
}

const EXAMPLE_LINK = { ...EXAMPLE_ORDER, expires_at: '2026-12-01T18:29:59.000Z' }
