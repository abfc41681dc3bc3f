import type { FastifyInstance } from 'fastify'
import type { FlexContext } from '../../flex/context.ts'
import { addConsoleRead } from '../auth/access.routes.ts'
import { one, pageOf } from '../../http/reply.ts'
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
    output: one(calendarOutput),
    query: calendarQuery,
    answer: ({ institute, query }) => readCalendar(flex, institute, query.month),
  })
  addConsoleRead(app, flex, {
    url: '/flex/debits',
    roles: EVERYONE,
    output: pageOf(debitOutput, () => null),
    query: debitsQuery,
    answer: ({ institute, query: { limit, ...asked } }) => listDebitsOf(flex, institute, asked, limit),
  })
  addConsoleRead(app, flex, {
    url: '/flex/returns',
    roles: EVERYONE,
    output: one(returnsOutput),
    query: returnsQuery,
    answer: ({ institute, query }) => readReturns(flex, institute, query),
  })
  addConsoleRead(app, flex, {
    url: '/flex/coming',
    roles: EVERYONE,
    output: one(comingOutput),
    answer: ({ institute }) => readComing(flex, institute),
  })
  flexPlanRoutes(app, flex)
  flexErpRoutes(app, flex)
}
