import type { FastifyInstance } from 'fastify'
import { pageOf } from '../../../http/reply.ts'
import { field, optional, query } from '../../../http/wire/input.ts'
import { outputOf, type Shown } from '../../../http/wire/output.ts'
import { disputeFilters } from '../../../payments/disputes/dispute.input.ts'
import { disputeFields } from '../../../payments/disputes/dispute.output.ts'
import { listDisputes, type DisputeRecord } from '../../../payments/disputes/disputes.service.ts'
import type { Context } from '../../../platform/context.ts'
import { addConsoleRead } from '../../auth/access.routes.ts'
import { EVERYONE } from '../../console.rules.ts'

const out = outputOf<DisputeRecord, unknown>()
const rowFields = {
  ...disputeFields,
  payer: out.text('Who paid.', 'Asha Rao'),
  student_name: out.optional.text('Whose fees it paid; present only if known.', 'Kabir Rao'),
}
const rowOutput = outputOf<DisputeRecord>().object(rowFields)
export type DisputeAnswer = Shown<typeof rowOutput>

const listQuery = query({
  ...disputeFilters,
  needs_answer: optional(field.oneOf(['yes'], 'Only those that wait for an answer at the provider.')),
})

/** What payers dispute, and what has to be answered at the provider by when. */
export function disputeRoutes(app: FastifyInstance, ctx: Context): void {
  addConsoleRead(app, ctx, {
    url: '/money/disputes',
    roles: EVERYONE,
    query: listQuery,
    output: pageOf(rowOutput),
    answer: ({ institute, query: { cursor, limit, needsAnswer, ...filter } }) =>
      listDisputes(ctx, institute, { ...filter, toAnswer: needsAnswer === 'yes' }, { cursor, limit }),
  })
}
