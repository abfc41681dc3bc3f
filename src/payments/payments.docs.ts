import { Type, type TObject, type TSchema } from 'typebox'
import { documentFile, type EndpointDocs } from '../http/openapi.ts'
import type { PublicKind } from '../orders/orders.rules.ts'

/** What the reference says of refunds and receipts. */
const EXAMPLE = {
  id: 'rfd_1k092c8gpz8wezh4es8gqprf85',
  amount: 5000,
  status: 'pending',
  reason: 'left the school',
}

type Refundable = PublicKind | 'page'

const NAMES: Record<Refundable, Pick<EndpointDocs, 'tag'> & { noun: string; id: string }> = {
  order: { tag: 'Pay orders', noun: 'pay order', id: 'PayOrder' },
  link: { tag: 'Payment links', noun: 'payment link', id: 'PaymentLink' },
  page: { tag: 'Payment pages', noun: 'payment on a page', id: 'PagePayment' },
}

export function refundDocs(kind: Refundable, view: TSchema): { request: EndpointDocs; list: EndpointDocs } {
  const { tag, noun, id } = NAMES[kind]
  return {
    request: {
      operationId: `refund${id}`,
      tag,
      summary: `Refund a ${noun}`,
      description:
        'Whole or in part, never above what was paid less earlier refunds; spread over the lines in proportion. It is ' +
        'pending at first; `refund.processed` or `refund.failed` tells how it ended. The status stays `paid`.',
      errors: [404],
      answers: {
        201: { description: 'Taken up.', data: view, example: { status: 'success', data: EXAMPLE } },
      },
      exampleBody: { amount: 5000, reason: 'left the school' },
    },
    list: {
      operationId: `list${id}Refunds`,
      tag,
      summary: `List the refunds of a ${noun}`,
      description: 'All of them, oldest first; an automatic refund of a double payment is among them.',
      errors: [404],
      answers: {
        200: {
          description: 'All of them.',
          data: Type.Array(view),
          example: { status: 'success', data: [EXAMPLE] },
        },
      },
    },
  }
}

export function receiptDocs(kind: Refundable, params: TObject): Record<string, unknown> {
  const { tag, noun, id } = NAMES[kind]
  return documentFile({
    operationId: `get${id}Receipt`,
    tag,
    summary: `Download the receipt of a ${noun}`,
    description: 'A PDF with the running number of the financial year; 404 until it is paid.',
    params,
    mediaType: 'application/pdf',
  })
}
