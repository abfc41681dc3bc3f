import type { FastifyInstance } from 'fastify'
import { takingInput, takingOutput, takingParams } from '../../dues/takings/taking.schemas.ts'
import { printTaking } from '../../dues/takings/taking-paper.service.ts'
import { takeFromFamily, type TakenFromFamily } from '../../dues/takings/takings.service.ts'
import { all, created, one } from '../../http/reply.ts'
import type { Context } from '../../platform/context.ts'
import { sumPaise, toRupees } from '../../platform/money.ts'
import { receiptNumber } from '../../receipts/receipts.rules.ts'
import { addConsoleRead, addConsoleWrite } from '../auth/access.routes.ts'
import { AT_COUNTER, TAKERS } from '../console.rules.ts'
import { addConsoleFile } from '../files.routes.ts'
import { assertMayTake } from './counter.rules.ts'
import { familyOutput, familyParams, familyQuery, foundFamilyOutput } from './family.schemas.ts'
import { findFamilies, readFamily } from './family.service.ts'

/** The counter by families: found by what they bring, and all that they hand over taken at once. */
export function familyCounterRoutes(app: FastifyInstance, ctx: Context): void {
  addConsoleRead(app, ctx, {
    url: '/counter/families',
    roles: AT_COUNTER,
    query: familyQuery,
    output: all(foundFamilyOutput),
    answer: ({ institute, query }) => findFamilies(ctx, institute, query.typed),
  })
  addConsoleRead(app, ctx, {
    url: '/counter/families/:service_student_id',
    roles: AT_COUNTER,
    params: familyParams,
    output: one(familyOutput),
    answer: ({ institute, params }) => readFamily(ctx, { institute, ...params }),
  })
  addConsoleWrite(app, ctx, {
    method: 'POST',
    url: '/counter/takings',
    roles: TAKERS,
    body: takingInput,
    output: created(takingOutput),
    perform(command, { institute, who, role, body }) {
      const now = ctx.clock.now()
      assertMayTake(role, { ...body, paidAt: body.paidAt ?? now }, now)
      return takeFromFamily(ctx, command, institute, { ...body, takenBy: who.email })
    },
    audit: (_call, taking: TakenFromFamily) =>
      [...Map.groupBy(taking.payments, payment => payment.studentId)].map(([about, own]) => ({
        what: 'payment.recorded',
        about,
        after: {
          amount: toRupees(sumPaise(own.map(payment => payment.amountPaise))),
          modes: own.map(payment => payment.mode),
          receipts: own.map(payment => receiptNumber(payment.receipt)),
          taking_id: taking.id,
        },
      })),
  })
  addConsoleFile(app, ctx, {
    url: '/counter/takings/:taking_id/pdf',
    roles: AT_COUNTER,
    params: takingParams,
    mediaType: 'application/pdf',
    isShown: true,
    answer: async ({ institute, params: { takingId } }) => ({
      name: `receipt-${takingId}.pdf`,
      content: await printTaking(ctx, institute, takingId),
    }),
  })
}
