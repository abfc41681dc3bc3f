import type { FastifyInstance } from 'fastify'
import { created, one } from '../../http/reply.ts'
import type { Context } from '../../platform/context.ts'
import { toRupees } from '../../platform/money.ts'
import { studentParams } from '../../students/student.input.ts'
import { addConsoleRead, addConsoleWrite } from '../auth/access.routes.ts'
import { AT_COUNTER, TAKERS } from '../console.rules.ts'
import { assertOwnDrawer, drawersSeenBy } from './counter.rules.ts'
import { closeInput, dayQuery, spreadQuery } from './counter.input.ts'
import { closingOutput, counterDayOutput, spreadOutput } from './counter.output.ts'
import * as service from './counter.service.ts'

/** The counter: how an amount is spread, the cash book of a day, and closing it. */
export function counterRoutes(app: FastifyInstance, ctx: Context): void {
  addConsoleRead(app, ctx, {
    url: '/students/:service_student_id/spread',
    roles: AT_COUNTER,
    params: studentParams,
    query: spreadQuery,
    output: one(spreadOutput),
    answer: ({ institute, params, query }) =>
      service.spreadAmount(ctx, { institute, ...params }, query.amountPaise),
  })
  addConsoleRead(app, ctx, {
    url: '/counter/day',
    roles: AT_COUNTER,
    query: dayQuery,
    output: one(counterDayOutput),
    answer: ({ institute, query, role, who }) =>
      service.readDay(ctx, institute, query.day, drawersSeenBy(role, who.email)),
  })
  addConsoleWrite(app, ctx, {
    method: 'POST',
    url: '/counter/closings',
    roles: TAKERS,
    body: closeInput,
    output: created(closingOutput),
    perform(command, { who, role, body }) {
      assertOwnDrawer(role, { cashier: body.cashier, by: who.email })
      return service.closeDay(ctx, command, { ...body, closedBy: who.email })
    },
    audit: ({ body }, closing: service.Closing) => ({
      what: 'counter.closed',
      about: body.day,
      ...(closing.note === null ? {} : { why: closing.note }),
      after: {
        cashier: closing.cashier,
        expected: toRupees(closing.expectedPaise),
        counted: toRupees(closing.countedPaise),
      },
    }),
  })
}
