import type { FastifyInstance } from 'fastify'
import type { PaymentContext } from '../../payments/context.ts'
import { addConsoleWrite } from '../auth/access.routes.ts'
import { pageOf } from '../../http/reply.ts'
import { EVERYONE } from '../console.rules.ts'
import { MONEY_HANDLERS } from '../orders/orders.rules.ts'
import { addConsoleFile } from '../files.routes.ts'
import { addReport } from '../reports/report.routes.ts'
import { cancelInput, receiptFilters, printQuery, receiptParams, receiptsQuery } from './receipt.input.ts'
import { receiptOutput } from './receipt.output.ts'
import * as service from './receipts.service.ts'
import { receiptNumber } from '../../receipts/receipts.rules.ts'

const RECEIPTS = '/money/receipts'

export function receiptRoutes(app: FastifyInstance, ctx: PaymentContext): void {
  addReport(app, ctx, {
    url: RECEIPTS,
    query: receiptsQuery,
    filters: receiptFilters,
    output: pageOf(receiptOutput),
    answer: ({ institute, query }) => service.listReceipts(ctx, institute, query),
    report: ({ institute, query }) => service.receiptsReport(institute, query),
    list: service.RECEIPT_SORTING,
  })
  addConsoleFile(app, ctx, {
    url: `${RECEIPTS}/:receipt_id/pdf`,
    roles: EVERYONE,
    params: receiptParams,
    query: printQuery,
    mediaType: 'application/pdf',
    isShown: true,
    answer: async ({ institute, params, query: { paper, copy } }) => ({
      name: `receipt-${params.receiptId}.pdf`,
      content: await service.readReceiptPdf(ctx, institute, params.receiptId, {
        paper,
        isDuplicate: copy === 'duplicate',
      }),
    }),
  })
  addConsoleWrite(app, ctx, {
    method: 'POST',
    url: `${RECEIPTS}/:receipt_id/cancel`,
    roles: MONEY_HANDLERS,
    params: receiptParams,
    body: cancelInput,
    perform: (command, { params, body }) =>
      service.cancelReceipt(ctx, command, { id: params.receiptId, reason: body.reason }),
    audit: ({ params, body }, receipt: service.Cancelled) => ({
      what: 'receipt.cancelled',
      about: params.receiptId,
      why: body.reason,
      before: { number: receiptNumber(receipt), payment_id: receipt.paymentId, status: 'issued' },
      after: { number: receiptNumber(receipt), payment_id: receipt.paymentId, status: 'cancelled' },
    }),
  })
}
