import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import type { FlexContext } from '../../flex/context.ts'
import { ok, page } from '../../http/envelope.ts'
import { addConsoleRead } from '../auth/access.routes.ts'
import { EVERYONE } from '../console.rules.ts'
import { calendarQuery, debitsQuery, returnsQuery } from './debits.input.ts'
import { calendarOutput, comingOutput, debitOutput, returnsOutput } from './debits.output.ts'
import { flexErpRoutes } from './erp.routes.ts'
import { listDebitsOf, readCalendar, readComing, readReturns } from './flex.service.ts'
import { flexPlanRoutes } from './plans.routes.ts'

export function flexConsoleRoutes(app: FastifyInstance, flex: FlexContext): void {
  addConsoleRead(app, flex, {
    url: '/flex/calendar',
    roles: EVERYONE,
    docs: {
      operationId: 'consoleGetFlexCalendar',
      summary: 'Read a month of debits',
      description: 'What is to be presented on each day, and what became of what was.',
      data: calendarOutput.schema,
    },
    query: calendarQuery,
    answer: async ({ institute, query }) =>
      ok(calendarOutput.toJson(await readCalendar(flex, institute, query.month))),
  })
  addConsoleRead(app, flex, {
    url: '/flex/debits',
    roles: EVERYONE,
    docs: {
      operationId: 'consoleListFlexDebits',
      summary: 'List debits',
      description:
        'The debits of some days, today unless days are named: first those not presented, then presentations.',
      data: Type.Array(debitOutput.schema),
      isList: true,
    },
    query: debitsQuery,
    async answer({ institute, query: { limit, ...asked } }) {
      const { rows, nextCursor } = await listDebitsOf(flex, institute, asked, limit)
      return page(
        rows.map(row => debitOutput.toJson(row, null)),
        nextCursor,
      )
    },
  })
  addConsoleRead(app, flex, {
    url: '/flex/returns',
    roles: EVERYONE,
    docs: {
      operationId: 'consoleGetFlexReturns',
      summary: 'Read bounced debits by reason',
      description: 'What came back of the presentations of some days, the last 30 unless others are named.',
      data: returnsOutput.schema,
    },
    query: returnsQuery,
    answer: async ({ institute, query }) =>
      ok(returnsOutput.toJson(await readReturns(flex, institute, query))),
  })
  addConsoleRead(app, flex, {
    url: '/flex/coming',
    roles: EVERYONE,
    docs: {
      operationId: 'consoleGetFlexComing',
      summary: 'Preview the coming run',
      description:
        'What is asked, announced and presented in the next five working days, and what is in the way.',
      data: comingOutput.schema,
    },
    answer: async ({ institute }) => ok(comingOutput.toJson(await readComing(flex, institute))),
  })
  flexPlanRoutes(app, flex)
  flexErpRoutes(app, flex)
}
