import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { ok } from '../../../http/envelope.ts'
import type { Context } from '../../../platform/context.ts'
import { EVERYONE } from '../../console.rules.ts'
import { addConsoleRead, addConsoleWrite } from '../../auth/access.routes.ts'
import { MONEY_HANDLERS } from '../../orders/orders.rules.ts'
import { addConsoleDownload } from '../access.routes.ts'
import { MEDIA_TYPES } from '../reports.rules.ts'
import * as schemas from '../reports.schemas.ts'
import * as service from './tally.service.ts'

const LEDGERS = '/money/tally-ledgers'

export function tallyRoutes(app: FastifyInstance, ctx: Context): void {
  addConsoleRead(app, ctx, {
    url: LEDGERS,
    roles: EVERYONE,
    docs: {
      operationId: 'consoleListTallyLedgers',
      summary: 'List the ledgers of Tally exports',
      description: 'What our accounts and the institute’s components are called in Tally.',
      data: Type.Array(schemas.TallyLedgerView),
    },
    answer: async ({ institute }) => ok(await service.listTallyLedgers(ctx, institute)),
  })
  addConsoleWrite(app, ctx, {
    method: 'PUT',
    url: LEDGERS,
    roles: MONEY_HANDLERS,
    docs: {
      operationId: 'consoleSetTallyLedgers',
      summary: 'Name the ledgers of Tally exports',
      description: 'As the company in Tally has them. Files that were exported before stay as they are.',
    },
    body: schemas.TallyLedgersBody,
    perform: (act, { institute, body }) => service.setTallyLedgers(ctx, act, institute, body.ledgers),
    audit: ({ institute, body }, { before, after }) => ({
      what: 'tally_ledgers.changed',
      about: institute.code,
      why: body.reason,
      before,
      after,
    }),
    toResponse: () => ok(),
  })
  addConsoleDownload(app, ctx, {
    url: `${LEDGERS}/export`,
    roles: EVERYONE,
    docs: {
      operationId: 'consoleExportTallyLedgers',
      summary: 'Export the ledgers for Tally',
      description: 'A file of masters, to be imported once before the first vouchers.',
    },
    query: schemas.TallyFileQuery,
    mediaType: MEDIA_TYPES.tally,
    answer: ({ institute }) => service.exportTallyLedgers(ctx, institute),
  })
}
