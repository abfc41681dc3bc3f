import type { FastifyInstance } from 'fastify'
import type { PaymentContext } from '../../payments/context.ts'
import { addConsoleWrite } from '../auth/access.routes.ts'
import { one } from '../../http/reply.ts'
import { AT_COUNTER, EVERYONE } from '../console.rules.ts'
import { MONEY_HANDLERS } from '../orders/orders.rules.ts'
import { addConsoleFile } from '../files.routes.ts'
import { bulkOutput } from '../lists/bulk.output.ts'
import type { Bulk } from '../lists/bulk.rules.ts'
import { addList } from '../lists/list.routes.ts'
import * as inputs from './receipt.input.ts'
import { receiptList } from './receipt.list.ts'
import { mailPicked, printPicked } from './receipts-bulk.service.ts'
import * as service from './receipts.service.ts'
import { receiptNumber } from '../../receipts/receipts.rules.ts'

const RECEIPTS = '/money/receipts'

export function receiptRoutes(app: FastifyInstance, ctx: PaymentContext): void {
  addList(app, ctx, { url: RECEIPTS, list: receiptList, isActedOn: true })
  addBulk(app, ctx)
  addConsoleFile(app, ctx, {
    url: `${RECEIPTS}/:receipt_id/pdf`,
    roles: AT_COUNTER,
    params: inputs.receiptParams,
    query: inputs.printQuery,
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
    params: inputs.receiptParams,
    body: inputs.cancelInput,
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

function addBulk(app: FastifyInstance, ctx: PaymentContext): void {
  addConsoleFile(app, ctx, {
    url: `${RECEIPTS}/pdf`,
    roles: EVERYONE,
    query: inputs.printPickedQuery,
    mediaType: 'application/pdf',
    answer: async ({ institute, query, who, origin }) => ({
      name: 'receipts.pdf',
      content: await printPicked(ctx, institute, query, { who, origin }),
    }),
  })
  addConsoleWrite(app, ctx, {
    method: 'POST',
    url: `${RECEIPTS}/messages`,
    roles: MONEY_HANDLERS,
    body: inputs.mailInput,
    output: one(bulkOutput),
    perform: (command, { institute, body: { receiptIds } }) =>
      mailPicked(ctx, command, { institute, receiptIds }),
    audit: (_call, { done }: Bulk) => done.map(about => ({ what: 'receipt.mailed', about })),
  })
}
