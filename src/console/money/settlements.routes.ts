import type { FastifyInstance } from 'fastify'
import { Type, type Static } from 'typebox'
import { ok, page } from '../../http/envelope.ts'
import type { Context } from '../../platform/context.ts'
import { toRupees } from '../../platform/money.ts'
import { EVERYONE } from '../console.rules.ts'
import { addConsoleRead } from '../auth/access.routes.ts'
import * as schemas from './settlements.schemas.ts'
import * as service from './settlements.service.ts'
import { exportFor, present, rangeOf } from './access.ts'
import { addConsoleDownload } from '../reports/access.routes.ts'
import { MEDIA_TYPES } from '../reports/reports.rules.ts'

const SETTLEMENTS = '/money/settlements'

export function settlementRoutes(app: FastifyInstance, ctx: Context): void {
  addConsoleRead(app, ctx, {
    url: SETTLEMENTS,
    roles: EVERYONE,
    docs: {
      operationId: 'consoleListSettlements',
      summary: 'List settlements',
      description: 'What reached the bank, the newest first.',
      data: Type.Array(schemas.SettlementView),
      isList: true,
    },
    query: schemas.SettlementsQuery,
    async answer({ institute, query }) {
      const found = await service.listSettlements(ctx, institute, filterOf(query), rangeOf(query))
      return page(found.rows.map(view), found.nextCursor)
    },
  })
  addConsoleDownload(app, ctx, {
    url: `${SETTLEMENTS}/export`,
    roles: EVERYONE,
    docs: {
      operationId: 'consoleExportSettlements',
      summary: 'Export settlements',
      description: 'The same list as a file; for Tally as Contra and Payment vouchers.',
    },
    query: schemas.SettlementsExportQuery,
    mediaType: MEDIA_TYPES.csv,
    answer: call =>
      service.exportSettlements(
        ctx,
        call.institute,
        filterOf(call.query),
        call.query.format,
        exportFor(call),
      ),
  })
  addConsoleRead(app, ctx, {
    url: '/money/expected',
    roles: EVERYONE,
    docs: {
      operationId: 'consoleListExpectedSettlements',
      summary: 'List expected settlements',
      description: 'Paid and not yet at the bank, by the day it should be.',
      data: Type.Array(schemas.ExpectedView),
    },
    answer: async ({ institute }) => ok((await service.listExpected(ctx, institute)).map(expectedView)),
  })
  addOneSettlement(app, ctx)
}

function addOneSettlement(app: FastifyInstance, ctx: Context): void {
  const url = `${SETTLEMENTS}/:settlement_id`
  addConsoleRead(app, ctx, {
    url,
    roles: EVERYONE,
    docs: {
      operationId: 'consoleGetSettlement',
      summary: 'Read a settlement',
      description: 'Its sums, and what its payments were for.',
      data: schemas.SettlementDetailView,
    },
    params: schemas.SettlementParams,
    async answer({ institute, params }) {
      return ok(detailView(await service.readSettlement(ctx, institute, params.settlement_id)))
    },
  })
  addConsoleRead(app, ctx, {
    url: `${url}/items`,
    roles: EVERYONE,
    docs: {
      operationId: 'consoleListSettlementItems',
      summary: 'List what is in a settlement',
      description: 'Its payments and refunds, the newest first.',
      data: Type.Array(schemas.SettlementItemView),
      isList: true,
    },
    params: schemas.SettlementParams,
    query: schemas.ItemsQuery,
    async answer({ institute, params, query }) {
      const found = await service.listSettlementItems(ctx, institute, params.settlement_id, rangeOf(query))
      return page(found.rows.map(itemView), found.nextCursor)
    },
  })
  addConsoleDownload(app, ctx, {
    url: `${url}/export`,
    roles: EVERYONE,
    docs: {
      operationId: 'consoleExportSettlement',
      summary: 'Export a settlement',
      description: 'Its payments and refunds as CSV or XLSX.',
    },
    params: schemas.SettlementParams,
    query: schemas.FormatQuery,
    mediaType: MEDIA_TYPES.csv,
    answer: call =>
      service.exportSettlementItems(
        ctx,
        call.institute,
        call.params.settlement_id,
        call.query.format,
        exportFor(call),
      ),
  })
}

function filterOf(
  query: Pick<
    Static<typeof schemas.SettlementsQuery>,
    'settled_from' | 'settled_to' | 'utr' | 'collector_code'
  >,
): service.SettlementFilter {
  const { settled_from: from, settled_to: before, utr, collector_code: collectorCode } = query
  return { from, before, utr, collectorCode }
}

function view(row: service.SettlementRow): schemas.SettlementAnswer {
  return {
    id: row.id,
    utr: row.utr,
    provider: row.provider,
    collector_code: row.collectorCode,
    settled_at: row.settledAt.toISOString(),
    gross: toRupees(row.grossPaise),
    fees: toRupees(row.feePaise),
    refunds: toRupees(row.refundPaise),
    net: toRupees(row.netPaise),
    payment_count: row.payments,
    refund_count: row.refunds,
  }
}

function detailView(settlement: service.SettlementDetail): schemas.SettlementDetailAnswer {
  return {
    ...view(settlement),
    components: settlement.components.map(({ componentType, amountPaise, payments }) => ({
      component_type: componentType,
      amount: toRupees(amountPaise),
      payment_count: payments,
    })),
  }
}

function itemView(row: service.SettlementItemRow): schemas.SettlementItemAnswer {
  return present({
    id: row.id,
    kind: row.kind,
    order_id: row.orderId,
    at: row.at.toISOString(),
    amount: toRupees(row.amountPaise),
    mode: row.mode,
    transaction_id: row.transactionId,
    payer: row.payer,
    student_name: row.studentName,
    identifier: row.identifier,
    receipt_number: service.receiptOf(row),
    is_duplicate: row.isDuplicate,
  })
}

function expectedView(row: service.ExpectedRow & { isOverdue: boolean }): schemas.ExpectedAnswer {
  return {
    due_on: row.dueOn,
    collector_code: row.collectorCode,
    payment_count: row.payments,
    amount: toRupees(row.amountPaise),
    is_overdue: row.isOverdue,
  }
}
