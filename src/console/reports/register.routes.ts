import type { FastifyInstance } from 'fastify'
import { Type, type Static } from 'typebox'
import { ok, page } from '../../http/envelope.ts'
import type { Context } from '../../platform/context.ts'
import { toRupees } from '../../platform/money.ts'
import { EVERYONE } from '../console.rules.ts'
import { addConsoleRead } from '../auth/access.routes.ts'
import { receiptOf } from '../money/settlements.service.ts'
import { exportFor, present, rangeOf } from '../money/access.ts'
import { addConsoleDownload } from './access.routes.ts'
import { MEDIA_TYPES } from './reports.rules.ts'
import * as schemas from './reports.schemas.ts'
import * as service from './register.service.ts'

export function registerRoutes(app: FastifyInstance, ctx: Context): void {
  addConsoleRead(app, ctx, {
    url: '/money/payments',
    roles: EVERYONE,
    docs: {
      operationId: 'consoleListMoney',
      summary: 'List what came in and went back',
      description: 'Online, by instalment plans, at the counter and from lenders, the newest first.',
      data: Type.Array(schemas.RegisterView),
      isList: true,
    },
    query: schemas.RegisterQuery,
    async answer({ institute, query }) {
      const found = await service.listRegister(ctx, institute, filterOf(query), rangeOf(query))
      return page(found.rows.map(view), found.nextCursor)
    },
  })
  addConsoleDownload(app, ctx, {
    url: '/money/payments/export',
    roles: EVERYONE,
    docs: {
      operationId: 'consoleExportMoney',
      summary: 'Export what came in and went back',
      description: 'The same list as a file; for Tally as Receipt and Payment vouchers.',
    },
    query: schemas.RegisterExportQuery,
    mediaType: MEDIA_TYPES.csv,
    answer: call =>
      service.exportRegister(ctx, call.institute, filterOf(call.query), call.query.format, exportFor(call)),
  })
  addConsoleRead(app, ctx, {
    url: '/money/collection',
    roles: EVERYONE,
    docs: {
      operationId: 'consoleGetCollection',
      summary: 'Read the daily collection',
      description: 'By day or month, component and mode, with totals.',
      data: schemas.CollectionView,
    },
    query: schemas.CollectionQuery,
    async answer({ institute, query }) {
      return ok(collectionView(await service.readCollection(ctx, institute, askedOf(query))))
    },
  })
  addConsoleDownload(app, ctx, {
    url: '/money/collection/export',
    roles: EVERYONE,
    docs: {
      operationId: 'consoleExportCollection',
      summary: 'Export the daily collection',
      description: 'The same rows as CSV or XLSX.',
    },
    query: schemas.CollectionExportQuery,
    mediaType: MEDIA_TYPES.csv,
    answer: call =>
      service.exportCollection(ctx, call.institute, askedOf(call.query), call.query.format, exportFor(call)),
  })
}

type Filters = Omit<Static<typeof schemas.RegisterQuery>, 'limit' | 'cursor'>

function filterOf(query: Filters): service.RegisterFilter {
  const { captured_from: from, captured_to: before, kind, source, component_type: component, settled } = query
  return {
    from,
    before,
    kind,
    source,
    component,
    isSettled: settled === undefined ? undefined : settled === 'yes',
  }
}

type Asked = Parameters<typeof service.readCollection>[2]

function askedOf({ from, to, by = 'day' }: Static<typeof schemas.CollectionQuery>): Asked {
  return { by, ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) }
}

function view(row: service.RegisterRow): schemas.RegisterAnswer {
  return present({
    id: row.id,
    kind: row.kind,
    source: row.source,
    mode: row.mode,
    at: row.at.toISOString(),
    amount: toRupees(row.amountPaise),
    payer: row.payer,
    student_name: row.studentName,
    identifier: row.identifier,
    service_student_id: row.studentId,
    components: row.lines.map(line => ({
      component_type: line.componentType,
      amount: toRupees(line.amountPaise),
    })),
    reference: row.reference,
    receipt_number: receiptOf(row),
    order_id: row.orderId,
    settlement_id: row.settlementId,
    utr: row.utr,
  })
}

function collectionView(collection: service.Collection): schemas.CollectionAnswer {
  const { from, to, by, rows, components, totals } = collection
  return {
    from,
    to,
    by,
    rows: rows.map(row => ({ period: row.period, component_type: row.componentType, ...sumsView(row) })),
    components: components.map(row => ({ component_type: row.componentType, ...sumsView(row) })),
    totals: sumsView(totals),
  }
}

function sumsView(sums: service.Collection['totals']): schemas.CollectionAnswer['totals'] {
  return {
    online: toRupees(sums.onlinePaise),
    flex: toRupees(sums.flexPaise),
    direct: toRupees(sums.directPaise),
    cred: toRupees(sums.credPaise),
    collected: toRupees(sums.collectedPaise),
    given_back: toRupees(sums.refundedPaise),
    net: toRupees(sums.netPaise),
  }
}
