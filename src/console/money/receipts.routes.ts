import type { FastifyInstance } from 'fastify'
import { Type, type Static } from 'typebox'
import { ok, page } from '../../http/envelope.ts'
import { receiptNumber } from '../../payments/receipts/receipts.service.ts'
import type { PaymentContext } from '../../payments/context.ts'
import { badField } from '../../platform/errors.ts'
import { toRupees } from '../../platform/money.ts'
import { EVERYONE } from '../console.rules.ts'
import { addConsoleRead, addConsoleWrite } from '../auth/access.routes.ts'
import { parseReceiptSearch, receiptId } from './receipts.rules.ts'
import * as schemas from './receipts.schemas.ts'
import * as service from './receipts.service.ts'
import { exportFor, present, rangeOf } from './access.ts'
import { MONEY_HANDLERS } from '../orders/orders.rules.ts'
import { addConsoleDownload } from '../reports/access.routes.ts'
import { MEDIA_TYPES } from '../reports/reports.rules.ts'

const RECEIPTS = '/money/receipts'

export function receiptRoutes(app: FastifyInstance, ctx: PaymentContext): void {
  addConsoleRead(app, ctx, {
    url: RECEIPTS,
    roles: EVERYONE,
    docs: {
      operationId: 'consoleListReceipts',
      summary: 'List receipts',
      description: 'The last issued first. Numbers have no gaps: a cancelled one stays.',
      data: Type.Array(schemas.ReceiptView),
      isList: true,
    },
    query: schemas.ReceiptsQuery,
    async answer({ institute, query }) {
      const found = await service.listReceipts(ctx, institute, filterOf(query), rangeOf(query))
      return page(found.rows.map(view), found.nextCursor)
    },
  })
  addConsoleDownload(app, ctx, {
    url: `${RECEIPTS}/export`,
    roles: EVERYONE,
    docs: {
      operationId: 'consoleExportReceipts',
      summary: 'Export receipts',
      description: 'The same list as CSV or XLSX.',
    },
    query: schemas.ReceiptsExportQuery,
    mediaType: MEDIA_TYPES.csv,
    answer: call =>
      service.exportReceipts(ctx, call.institute, filterOf(call.query), call.query.format, exportFor(call)),
  })
  addConsoleDownload(app, ctx, {
    url: `${RECEIPTS}/:receipt_id/pdf`,
    roles: EVERYONE,
    docs: {
      operationId: 'consoleGetReceipt',
      summary: 'Read a receipt',
      description: 'As PDF; a cancelled one says so.',
    },
    params: schemas.ReceiptParams,
    mediaType: 'application/pdf',
    isShown: true,
    answer: async ({ institute, params }) => ({
      name: `receipt-${params.receipt_id}.pdf`,
      mediaType: 'application/pdf',
      content: await service.readReceiptPdf(ctx, institute, params.receipt_id),
    }),
  })
  addConsoleWrite(app, ctx, {
    method: 'POST',
    url: `${RECEIPTS}/:receipt_id/cancel`,
    roles: MONEY_HANDLERS,
    docs: {
      operationId: 'consoleCancelReceipt',
      summary: 'Cancel a receipt',
      description: 'Its number is never used again, and the PDF says why. The payment stays as it is.',
    },
    params: schemas.ReceiptParams,
    body: schemas.CancelBody,
    perform: (act, { params, body }) =>
      service.cancelReceipt(ctx, act, { id: params.receipt_id, reason: body.reason }),
    audit: ({ params, body }, receipt: service.Cancelled) => ({
      what: 'receipt.cancelled',
      about: params.receipt_id,
      why: body.reason,
      before: { number: receiptNumber(receipt), payment_id: receipt.paymentId, status: 'issued' },
      after: { number: receiptNumber(receipt), payment_id: receipt.paymentId, status: 'cancelled' },
    }),
    toResponse: () => ok(),
  })
}

type Filters = Pick<Static<typeof schemas.ReceiptsQuery>, 'number' | 'status' | 'issued_from' | 'issued_to'>

function filterOf({
  number: typed,
  status,
  issued_from: from,
  issued_to: before,
}: Filters): service.ReceiptFilter {
  const number = typed === undefined ? undefined : parseReceiptSearch(typed)
  if (number === null) throw badField('number', 'must be a receipt number such as 2026-27/000042, or 42')
  return { number, isCancelled: status === undefined ? undefined : status === 'cancelled', from, before }
}

function view(row: service.ReceiptRow): schemas.ReceiptAnswer {
  return present({
    id: receiptId(row),
    number: receiptNumber(row),
    issued_at: row.issuedAt.toISOString(),
    status: row.cancelledAt === null ? ('issued' as const) : ('cancelled' as const),
    cancelled_at: row.cancelledAt?.toISOString() ?? null,
    cancel_reason: row.cancelReason,
    payer: row.payer,
    student_name: row.studentName,
    identifier: row.identifier,
    service_student_id: row.studentId,
    amount: toRupees(row.amountPaise),
    mode: row.mode,
    payment_id: row.paymentId,
    order_id: row.orderId,
  })
}
