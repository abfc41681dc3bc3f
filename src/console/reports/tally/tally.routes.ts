import type { FastifyInstance } from 'fastify'
import type { Context } from '../../../platform/context.ts'
import { addConsoleRead, addConsoleWrite } from '../../auth/access.routes.ts'
import { all } from '../../../http/reply.ts'
import { EVERYONE } from '../../console.rules.ts'
import { MONEY_HANDLERS } from '../../orders/orders.rules.ts'
import { addConsoleFile } from '../../files.routes.ts'
import { tallyFileQuery, tallyLedgersInput, tallyLedgerOutput } from '../register.schemas.ts'
import { MEDIA_TYPES } from '../reports.rules.ts'
import * as service from './tally.service.ts'

const LEDGERS = '/money/tally-ledgers'

/** What our accounts and the institute's components are called in Tally. */
export function tallyRoutes(app: FastifyInstance, ctx: Context): void {
  addConsoleRead(app, ctx, {
    url: LEDGERS,
    roles: EVERYONE,
    output: all(tallyLedgerOutput),
    answer: ({ institute }) => service.listTallyLedgers(ctx, institute),
  })
  addConsoleWrite(app, ctx, {
    method: 'PUT',
    url: LEDGERS,
    roles: MONEY_HANDLERS,
    body: tallyLedgersInput,
    perform: (command, { institute, body }) => service.setTallyLedgers(ctx, command, institute, body.ledgers),
    audit: ({ institute, body }, { before, after }) => ({
      what: 'tally_ledgers.changed',
      about: institute.code,
      why: body.reason,
      before,
      after,
    }),
  })
  // A file of masters, to be imported once before the first vouchers.
  addConsoleFile(app, ctx, {
    url: `${LEDGERS}/export`,
    roles: EVERYONE,
    query: tallyFileQuery,
    mediaType: MEDIA_TYPES.tally,
    answer: ({ institute }) => service.exportTallyLedgers(ctx, institute),
  })
}
