import type { FastifyInstance } from 'fastify'
import type { FlexContext } from '../../flex/context.ts'
import { addConsoleRead } from '../auth/access.routes.ts'
import { one } from '../../http/reply.ts'
import { EVERYONE } from '../console.rules.ts'
import { calendarOutput, calendarQuery, comingOutput, returnsOutput, returnsQuery } from './days.schemas.ts'
import { debitList } from './debit.list.ts'
import { flexErpRoutes } from './erp.routes.ts'
import { addList } from '../lists/list.routes.ts'
import { readCalendar, readComing, readReturns } from './flex.service.ts'
import { flexPlanRoutes } from './plans.routes.ts'

export function flexConsoleRoutes(app: FastifyInstance, flex: FlexContext): void {
  addConsoleRead(app, flex, {
    url: '/flex/calendar',
    roles: EVERYONE,
    output: one(calendarOutput),
    query: calendarQuery,
    answer: ({ institute, query }) => readCalendar(flex, institute, query.month),
  })
  addList(app, flex, { url: '/flex/debits', list: debitList(flex) })
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
