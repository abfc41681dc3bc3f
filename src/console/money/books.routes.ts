import type { FastifyInstance } from 'fastify'
import { Type, type Static } from 'typebox'
import { ok, page } from '../../http/envelope.ts'
import type { Context } from '../../platform/context.ts'
import { toRupees } from '../../platform/money.ts'
import { EVERYONE } from '../console.rules.ts'
import { addConsoleRead } from '../auth/access.routes.ts'
import { ledgerCursor, type ReconciliationStatus } from './books.rules.ts'
import * as schemas from './books.schemas.ts'
import * as service from './books.service.ts'
import { exportFor, present, rangeOf } from './access.ts'
import { addConsoleDownload } from '../reports/access.routes.ts'
import { MEDIA_TYPES } from '../reports/reports.rules.ts'

const RECONCILIATION = '/money/reconciliation'
const LEDGER = '/money/ledger'

export function reconciliationRoutes(app: FastifyInstance, ctx: Context): void {
  addConsoleRead(app, ctx, {
    url: RECONCILIATION,
    roles: EVERYONE,
    docs: {
      operationId: 'consoleGetReconciliation',
      summary: 'Read how our books and the provider’s agree',
      description: 'What was matched, what was not, and what is still expected.',
      data: schemas.ReconciliationView,
    },
    answer: async ({ institute }) => ok(sumsView(await service.sumReconciliation(ctx, institute))),
  })
  addConsoleRead(app, ctx, {
    url: `${RECONCILIATION}/items`,
    roles: EVERYONE,
    docs: {
      operationId: 'consoleListReconciliation',
      summary: 'List what was matched, was not, or is expected',
      description: 'Exceptions of the provider’s reports, payments in none yet, or what agrees.',
      data: Type.Array(schemas.ReconciliationItemView),
      isList: true,
    },
    query: schemas.ReconciliationItemsQuery,
    async answer({ institute, query }) {
      const found = await service.listReconciliation(ctx, institute, itemFilter(query), rangeOf(query))
      return page(
        found.rows.map(row => itemView(row, query.status)),
        found.nextCursor,
      )
    },
  })
  addConsoleDownload(app, ctx, {
    url: `${RECONCILIATION}/export`,
    roles: EVERYONE,
    docs: {
      operationId: 'consoleExportReconciliation',
      summary: 'Export the reconciliation',
      description: 'The same list as CSV or XLSX.',
    },
    query: schemas.ReconciliationExportQuery,
    mediaType: MEDIA_TYPES.csv,
    answer: call =>
      service.exportReconciliation(
        ctx,
        call.institute,
        itemFilter(call.query),
        call.query.format,
        exportFor(call),
      ),
  })
  addConsoleRead(app, ctx, {
    url: `${RECONCILIATION}/checks`,
    roles: EVERYONE,
    docs: {
      operationId: 'consoleCheckBooks',
      summary: 'Hold orders, payments and ledger against each other',
      description: 'Runs every check now and changes nothing. `bursar reconcile` asks the provider as well.',
      data: Type.Array(schemas.CheckView),
    },
    async answer({ institute }) {
      const checks: schemas.CheckAnswer[] = await service.checkBooks(ctx, institute)
      return ok(
        checks.map(({ check, differences }) => ({
          check,
          differences: differences.map(({ subject, detail }) => ({ subject, detail })),
        })),
      )
    },
  })
}

export function ledgerRoutes(app: FastifyInstance, ctx: Context): void {
  addConsoleRead(app, ctx, {
    url: `${LEDGER}/accounts`,
    roles: EVERYONE,
    docs: {
      operationId: 'consoleListAccounts',
      summary: 'List the ledger’s accounts',
      description: 'With what stands in each.',
      data: Type.Array(schemas.AccountView),
    },
    answer: async ({ institute }) => ok((await service.listAccounts(ctx, institute)).map(accountView)),
  })
  addConsoleRead(app, ctx, {
    url: `${LEDGER}/transfers`,
    roles: EVERYONE,
    docs: {
      operationId: 'consoleListLedger',
      summary: 'List transfers of the ledger',
      description: 'As they were written, the last first. None is ever changed or taken away.',
      data: Type.Array(schemas.LedgerTransferView),
      isList: true,
    },
    query: schemas.LedgerQuery,
    async answer({ institute, query }) {
      const found = await service.listLedger(ctx, institute, ledgerFilter(query), rangeOf(query))
      return page(found.rows.map(transferView), found.nextCursor)
    },
  })
  addConsoleDownload(app, ctx, {
    url: `${LEDGER}/export`,
    roles: EVERYONE,
    docs: {
      operationId: 'consoleExportLedger',
      summary: 'Export the ledger',
      description: 'The same transfers as CSV or XLSX.',
    },
    query: schemas.LedgerExportQuery,
    mediaType: MEDIA_TYPES.csv,
    answer: call =>
      service.exportLedger(ctx, call.institute, ledgerFilter(call.query), call.query.format, exportFor(call)),
  })
}

type ItemFilters = Pick<Static<typeof schemas.ReconciliationItemsQuery>, 'status' | 'due_on' | 'from' | 'to'>

function itemFilter({ status, due_on: dueOn, from, to: before }: ItemFilters): service.ReconciliationFilter {
  return { status, dueOn, from, before }
}

type LedgerFilters = Pick<Static<typeof schemas.LedgerQuery>, 'account' | 'reference' | 'from' | 'to'>

function ledgerFilter({ account, reference, from, to: before }: LedgerFilters): service.LedgerFilter {
  return { account, reference, from, before }
}

function sumsView(sums: service.ReconciliationSums): schemas.ReconciliationAnswer {
  return {
    matched: sumView(sums.matched),
    mismatched: sumView(sums.mismatched),
    expected: sumView(sums.expected),
    overdue: sumView(sums.overdue),
  }
}

function sumView({
  count,
  amountPaise,
}: service.ReconciliationSums['matched']): schemas.ReconciliationAnswer['matched'] {
  return { count, amount: toRupees(amountPaise) }
}

function itemView(
  row: service.ReconciliationRow,
  status: ReconciliationStatus,
): schemas.ReconciliationItemAnswer {
  return present({
    id: row.id,
    status,
    kind: row.kind,
    provider: row.provider,
    provider_ref: row.providerRef,
    order_id: row.orderId,
    settlement_id: row.settlementId,
    utr: row.utr,
    amount: row.knownPaise === null ? null : toRupees(row.knownPaise),
    reported: row.reportedPaise === null ? null : toRupees(row.reportedPaise),
    problem: row.problem,
    due_on: row.dueOn,
    at: row.at.toISOString(),
  })
}

function accountView(account: service.Account): schemas.AccountAnswer {
  return {
    account: account.account,
    name: account.name,
    meaning: account.meaning,
    received: toRupees(account.receivedPaise),
    sent: toRupees(account.sentPaise),
    balance: toRupees(account.balancePaise),
    transfers: account.transfers,
  }
}

function transferView(row: service.LedgerRow): schemas.LedgerTransferAnswer {
  return {
    id: ledgerCursor(row),
    posting_id: row.postingId,
    source: row.source,
    destination: row.destination,
    amount: toRupees(row.amountPaise),
    kind: row.kind,
    reference: row.reference,
    occurred_at: row.occurredAt.toISOString(),
    recorded_at: row.recordedAt.toISOString(),
  }
}
