import type { FastifyInstance } from 'fastify'
import { addRead } from '../../http/endpoint.ts'
import { one, pageOf } from '../../http/reply.ts'
import type { Context } from '../../platform/context.ts'
import { disputeParams, disputeOutput } from './dispute.schemas.ts'
import { disputeList, listDisputesQuery } from './dispute.list.ts'
import { getDispute } from './disputes.service.ts'

const DISPUTES = '/api/v1/integrations/pay/disputes'
const TAG = 'Refunds'

/** What payers question at their banks, of a payment of any product and mode. */
export function disputeApiRoutes(app: FastifyInstance, ctx: Context): void {
  addRead(app, {
    url: DISPUTES,
    docs: {
      operationId: 'listDisputes',
      tag: TAG,
      summary: 'List disputes',
      description:
        'Payments that payers question at their banks (chargebacks), whatever their product, mode and account, newest first. Each is answered ' +
        'in the dashboard of its provider until `respond_by`. While it is open its amount is held and the payment cannot be refunded. A lost ' +
        'one is booked as money that went back: the order stays `paid` with `refunded_amount`, and what it paid is due again. A payment for ' +
        'several children has one for each of them, with the same `provider_reference` and its part of the amount.',
    },
    output: pageOf(disputeOutput),
    query: listDisputesQuery,
    answer: ({ caller, query: { cursor, limit, ...filter } }) =>
      disputeList.page(ctx, caller.institute, filter, { cursor, limit }),
  })
  addRead(app, {
    url: `${DISPUTES}/:dispute_id`,
    docs: {
      operationId: 'getDispute',
      tag: TAG,
      summary: 'Get a dispute',
      description: 'One dispute, as it stands now.',
      errors: [404],
    },
    output: one(disputeOutput),
    params: disputeParams,
    answer: ({ caller, params }) => getDispute(ctx, caller.institute, params.disputeId),
  })
}
