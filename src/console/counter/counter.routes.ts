import type { FastifyInstance } from 'fastify'
import { created, one } from '../../http/reply.ts'
import type { Context } from '../../platform/context.ts'
import { toRupees } from '../../platform/money.ts'
import { studentParams } from '../../students/student.input.ts'
import { addConsoleRead, addConsoleWrite } from '../auth/access.routes.ts'
import { AT_COUNTER, TAKERS } from '../console.rules.ts'
import { addConsoleFile } from '../files.routes.ts'
import { assertOwnDrawer, drawersSeenBy } from './counter.rules.ts'
import {
  closeInput,
  dayQuery,
  drawerInput,
  spreadQuery,
  closingOutput,
  counterDayOutput,
  drawerEntryOutput,
  spreadOutput,
} from './counter.schemas.ts'
import { printDay } from './day-sheet.service.ts'
import * as service from './counter.service.ts'

/** The counter: how an amount is spread, the cash book of a day, and closing it. */
export function counterRoutes(app: FastifyInstance, ctx: Context): void {
  addConsoleRead(app, ctx, {
    url: '/students/:service_student_id/spread',
    roles: AT_COUNTER,
    params: studentParams,
    query: spreadQuery,
    output: one(spreadOutput),
    answer: ({ institute, params, query }) => service.spreadAmount(ctx, { institute, ...params }, query),
  })
  addConsoleRead(app, ctx, {
    url: '/counter/day',
    roles: AT_COUNTER,
    query: dayQuery,
    output: one(counterDayOutput),
    answer: ({ institute, query, role, who }) =>
      service.readDay(ctx, institute, query.day, drawersSeenBy(role, who.email)),
  })
  addConsoleFile(app, ctx, {
    url: '/counter/day/pdf',
    roles: AT_COUNTER,
    query: dayQuery,
    mediaType: 'application/pdf',
    isShown: true,
    answer: ({ institute, query, role, who }) =>
      printDay(ctx, institute, query.day, drawersSeenBy(role, who.email)),
  })
  addConsoleWrite(app, ctx, {
    method: 'POST',
    url: '/counter/drawer',
    roles: TAKERS,
    body: drawerInput,
    output: created(drawerEntryOutput),
    perform: (command, { who, body }) =>
      service.recordDrawerEntry(ctx, command, { ...body, cashier: who.email }),
    audit: (_call, entry: service.DrawerEntry) => ({
      what: entry.kind === 'float' ? 'counter.float_added' : 'counter.handed_over',
      about: entry.id,
      why: entry.note,
      after: { amount: toRupees(entry.amountPaise) },
    }),
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
