import type { FastifyInstance } from 'fastify'
import { mismatchAct } from '../approvals/acts.ts'
import { guarded } from '../approvals/approvals.routes.ts'
import { addConsoleRead, addConsoleWrite } from '../auth/access.routes.ts'
import { AT_COUNTER, EVERYONE } from '../console.rules.ts'
import { addConsoleFile } from '../files.routes.ts'
import { bulkOutput, picked } from '../lists/list.schemas.ts'
import { type Bulk, MOST_AT_ONCE } from '../lists/bulk.rules.ts'
import { addList } from '../lists/list.routes.ts'
import {
  accountOutput,
  checkOutput,
  reconciliationOutput,
  reportParams,
  resolutionInput,
} from './books.schemas.ts'
import * as books from './books.service.ts'
import { ledgerList } from './ledger.list.ts'
import { RECEIPT_ID, receiptList } from './receipt.list.ts'
import * as receipts from './receipts.service.ts'
import { reconciliationList } from './reconciliation.list.ts'
import { MONEY_HANDLERS } from '../orders/orders.rules.ts'
import { classSheetRoutes } from '../reports/class-sheets/class-sheets.routes.ts'
import { demandRoutes } from '../reports/demand/demand.routes.ts'
import { duesReportRoutes } from '../reports/dues.routes.ts'
import { reportMailRoutes } from '../reports/mailing/mailing.routes.ts'
import { registerRoutes } from '../reports/register.routes.ts'
import { tallyRoutes } from '../reports/tally/tally.routes.ts'
import { FINANCE_ROLES } from '../students/students.rules.ts'
import type { ConsoleContext } from '../context.ts'
import { all, done, one } from '../../http/reply.ts'
import { field, input, optional, query } from '../../http/wire/input.ts'
import { outputOf, type Shown } from '../../http/wire/output.ts'
import type { PaymentContext } from '../../payments/context.ts'
import { disputeList } from '../../payments/disputes/dispute.list.ts'
import { takeMismatch } from '../../payments/mismatches/mismatches.service.ts'
import { findSettlement, readSettlement } from '../../payments/settlements/read-settlements.service.ts'
import {
  settlementItemsQuery,
  settlementParams,
  settlementDetailOutput,
} from '../../payments/settlements/settlement.schemas.ts'
import { settlementItemList, settlementList } from '../../payments/settlements/settlement.list.ts'
import { resolveReport } from '../../payments/settlements/settlements.service.ts'
import type { Context } from '../../platform/context.ts'
import { PAPERS } from '../../receipts/receipt-papers.ts'
import { receiptNumber } from '../../receipts/receipts.rules.ts'

/** What came in, where it is, what is still owed, and all of it as files. */
export function moneyRoutes(app: FastifyInstance, ctx: ConsoleContext): void {
  registerRoutes(app, ctx)
  settlementRoutes(app, ctx)
  // What has to be answered at the provider by when is answered there.
  addList(app, ctx, { url: '/money/disputes', list: disputeList })
  reconciliationRoutes(app, ctx)
  duesReportRoutes(app, ctx)
  demandRoutes(app, ctx)
  classSheetRoutes(app, ctx)
  reportMailRoutes(app, ctx)
  receiptRoutes(app, ctx)
  ledgerRoutes(app, ctx)
  tallyRoutes(app, ctx)
}

const RECONCILIATION = '/money/reconciliation'
const LEDGER = '/money/ledger'

/** How our books and the provider's agree. */
function reconciliationRoutes(app: FastifyInstance, ctx: ConsoleContext): void {
  addConsoleRead(app, ctx, {
    url: RECONCILIATION,
    roles: EVERYONE,
    output: one(reconciliationOutput),
    answer: ({ institute }) => books.sumReconciliation(ctx, institute),
  })
  addList(app, ctx, { url: `${RECONCILIATION}/items`, list: reconciliationList })
  addConsoleWrite(app, ctx, {
    method: 'POST',
    url: `${RECONCILIATION}/items/:report_id/resolve`,
    roles: FINANCE_ROLES,
    params: reportParams,
    body: resolutionInput,
    perform: (command, { institute, who, params: { reportId: id }, body }) =>
      resolveReport(ctx, command, { instituteId: institute.id, id, by: who.email }, body.reason),
    audit: ({ body }, { id }) => ({ what: 'report.resolved', about: id, why: body.reason }),
  })
  addConsoleWrite(app, ctx, {
    method: 'POST',
    url: `${RECONCILIATION}/items/:report_id/refund`,
    roles: FINANCE_ROLES,
    params: reportParams,
    body: resolutionInput,
    ...guarded(ctx, mismatchAct, {
      name: 'refund_of_other_amount',
      output: done,
      aboutOf: ({ reportId }: { reportId: string }) => reportId,
    }),
  })
  addConsoleWrite(app, ctx, {
    method: 'POST',
    url: `${RECONCILIATION}/items/:report_id/take`,
    roles: FINANCE_ROLES,
    params: reportParams,
    body: resolutionInput,
    perform: (command, { institute, who, params: { reportId: id }, body }) =>
      takeMismatch(ctx, command, { instituteId: institute.id, id, by: who.email }, body.reason),
    audit: ({ body }, { id }) => ({ what: 'report.taken', about: id, why: body.reason }),
  })
  addConsoleRead(app, ctx, {
    url: `${RECONCILIATION}/checks`,
    roles: EVERYONE,
    output: all(checkOutput),
    answer: ({ institute }) => books.checkBooks(ctx, institute),
  })
}

/** Shows the ledger as it was written; no transfer is ever changed or taken away. */
function ledgerRoutes(app: FastifyInstance, ctx: Context): void {
  addConsoleRead(app, ctx, {
    url: `${LEDGER}/accounts`,
    roles: EVERYONE,
    output: all(accountOutput),
    answer: ({ institute }) => books.listAccounts(ctx, institute),
  })
  addList(app, ctx, { url: `${LEDGER}/transfers`, list: ledgerList })
}

const SETTLEMENTS = '/money/settlements'
const ONE = `${SETTLEMENTS}/:settlement_id`

/** What reached the bank: the API's own views, and as files; and what is on its way there. */
function settlementRoutes(app: FastifyInstance, ctx: Context): void {
  addList(app, ctx, {
    url: SETTLEMENTS,
    list: settlementList,
    vouchers: ({ institute }) => books.readSettlementVouchers(ctx, institute),
  })
  addConsoleRead(app, ctx, {
    url: '/money/expected',
    roles: EVERYONE,
    output: all(expectedOutput),
    answer: ({ institute }) => books.listExpected(ctx, institute),
  })
  addConsoleRead(app, ctx, {
    url: ONE,
    roles: EVERYONE,
    params: settlementParams,
    query: settlementItemsQuery,
    output: one(settlementDetailOutput),
    async answer({ institute, params, query: range }) {
      const { settlement } = await readSettlement(ctx, institute, params.settlementId, range)
      return settlement
    },
  })
  addList(app, ctx, {
    url: `${ONE}/items`,
    list: settlementItemList,
    params: settlementParams,
    async of({ institute, params }) {
      const { id, utr } = await findSettlement(ctx, institute, params.settlementId)
      return { instituteId: institute.id, id, utr }
    },
  })
}

const RECEIPTS = '/money/receipts'

function receiptRoutes(app: FastifyInstance, ctx: PaymentContext): void {
  addList(app, ctx, { url: RECEIPTS, list: receiptList, isActedOn: true })
  addBulk(app, ctx)
  addConsoleFile(app, ctx, {
    url: `${RECEIPTS}/:receipt_id/pdf`,
    roles: AT_COUNTER,
    params: receiptParams,
    query: printQuery,
    mediaType: 'application/pdf',
    isShown: true,
    answer: async ({ institute, params, query: { paper, copy } }) => ({
      name: `receipt-${params.receiptId}.pdf`,
      content: await receipts.readReceiptPdf(ctx, institute, params.receiptId, {
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
      receipts.cancelReceipt(ctx, command, { id: params.receiptId, reason: body.reason }),
    audit: ({ params, body }, receipt: receipts.Cancelled) => ({
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
    query: printPickedQuery,
    mediaType: 'application/pdf',
    answer: async ({ institute, query, who, origin }) => ({
      name: 'receipts.pdf',
      content: await receipts.printPicked(ctx, institute, query, { who, origin }),
    }),
  })
  addConsoleWrite(app, ctx, {
    method: 'POST',
    url: `${RECEIPTS}/messages`,
    roles: MONEY_HANDLERS,
    body: mailInput,
    output: one(bulkOutput),
    perform: (command, { institute, body: { receiptIds } }) =>
      receipts.mailPicked(ctx, command, { institute, receiptIds }),
    audit: (_call, { done }: Bulk) => done.map(about => ({ what: 'receipt.mailed', about })),
  })
}

const receiptParams = input({ receipt_id: field.resourceId('Id of the receipt.', RECEIPT_ID) })

const printQuery = query({
  paper: optional(field.oneOf(PAPERS, 'What it is printed on; A4 if absent.')),
  copy: optional(field.oneOf(['original', 'duplicate'], 'A duplicate is marked as one.')),
})

const printPickedQuery = query({
  ...receiptList.filterQuery.fields,
  picked,
  paper: optional(field.oneOf(['a4', 'a5'], 'What they are printed on; A4 if absent.')),
})

const mailInput = input({
  receipt_ids: field.list('Which receipts.', field.resourceId('A receipt.', RECEIPT_ID), {
    min: 1,
    max: MOST_AT_ONCE,
  }),
})

const cancelInput = input({ reason: field.text('Why; it is printed on the receipt.', 'Wrong payer') })

/** Paid and not yet at the bank. */
const expected = outputOf<books.ExpectedSettlement>()
const expectedOutput = expected.object({
  due_on: expected.day('When it should reach the bank.', '2026-11-16'),
  collector_code: expected.text('For which branch.', 'MAIN'),
  payment_count: expected.integer('How many payments.', 2, row => row.payments),
  amount: expected.amount('Before charges, in rupees.', 51500.5),
  is_overdue: expected.flag('Whether that day has passed.', false),
})
export type ExpectedAnswer = Shown<typeof expectedOutput>
