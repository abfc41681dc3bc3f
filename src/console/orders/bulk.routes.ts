import type { FastifyInstance } from 'fastify'
import { one } from '../../http/reply.ts'
import type { PaymentContext } from '../../payments/context.ts'
import { addConsoleWrite } from '../auth/access.routes.ts'
import { bulkOutput } from '../lists/bulk.output.ts'
import type { Bulk } from '../lists/bulk.rules.ts'
import { cancelPicked, sendPicked } from './bulk.service.ts'
import { cancelPickedInput, sendPickedInput } from './order.input.ts'
import { MONEY_HANDLERS } from './orders.rules.ts'

/** What can be done to several orders and links at a time; each has its own entry in the audit log. */
export function orderBulkRoutes(app: FastifyInstance, ctx: PaymentContext): void {
  addConsoleWrite(app, ctx, {
    method: 'POST',
    url: '/orders/cancellations',
    roles: MONEY_HANDLERS,
    body: cancelPickedInput,
    output: one(bulkOutput),
    perform: (command, { institute, body: { orderIds } }) =>
      cancelPicked(ctx, command, { institute, orderIds }),
    audit: ({ body }, { done }: Bulk) =>
      done.map(about => ({
        what: 'order.cancelled',
        about,
        why: body.reason,
        before: { status: 'unpaid' },
        after: { status: 'cancelled' },
      })),
  })
  addConsoleWrite(app, ctx, {
    method: 'POST',
    url: '/orders/messages',
    roles: MONEY_HANDLERS,
    body: sendPickedInput,
    output: one(bulkOutput),
    perform: (command, { institute, body: { orderIds, channels, language, isForced } }) =>
      sendPicked(ctx, command, { institute, orderIds }, { channels, language, isForced }),
    audit: ({ body: { channels, language } }, { done }: Bulk) =>
      done.map(about => ({ what: 'order.sent', about, after: { channels, language } })),
  })
}
