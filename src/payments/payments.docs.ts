import { Type, type TObject, type TSchema } from 'typebox'
import { documentFile, type EndpointDocs } from '../http/openapi.ts'
import type { OrderKind } from '../orders/orders.rules.ts'

/** What the reference says of refunds. */
const EXAMPLE = {
  id: 'rfd_1k092c8gpz8wezh4es8gqprf85',
  amount: 5000,
  status: 'pending',
  reason: 'left the school',
}

export function refundDocs(kind: OrderKind, view: TSchema): EndpointDocs {
  const isLink = kind === 'link'
  return {
    operationId: isLink ? 'refundPaymentLink' : 'refundPayOrder',
    tag: isLink ? 'Payment links' : 'Pay orders',
    summary: isLink ? 'Refund a payment link' : 'Refund a pay order',
    description:
      'Whole or in part, never above what was paid less earlier refunds; spread over the lines in proportion. It is ' +
      'pending at first; `refund.processed` or `refund.failed` tells how it ended. The status stays `paid`.',
    errors: [404],
    answers: { 201: { description: 'Taken up.', data: view, example: { status: 'success', data: EXAMPLE } } },
    exampleBody: { amount: 5000, reason: 'left the school' },
  }
}

export function listRefundsDocs(kind: OrderKind, view: TSchema): EndpointDocs {
  const isLink = kind === 'link'
  return {
    operationId: isLink ? 'listPaymentLinkRefunds' : 'listPayOrderRefunds',
    tag: isLink ? 'Payment links' : 'Pay orders',
    summary: isLink ? 'List the refunds of a payment link' : 'List the refunds of a pay order',
    description: 'All of them, oldest first; an automatic refund of a double payment is among them.',
    errors: [404],
    answers: {
      200: {
        description: 'All of them.',
        data: Type.Array(view),
        example: { status: 'success', data: [EXAMPLE] },
      },
    },
  }
}

export function receiptDocs(kind: OrderKind, params: TObject): Record<string, unknown> {
  const isLink = kind === 'link'
  return documentFile({
    operationId: isLink ? 'getPaymentLinkReceipt' : 'getPayOrderReceipt',
    tag: isLink ? 'Payment links' : 'Pay orders',
    summary: isLink ? 'Download the receipt of a payment link' : 'Download the receipt of a pay order',
    description: 'A PDF with the running number of the financial year; 404 until it is paid.',
    params,
    mediaType: 'application/pdf',
  })
}
