import type { FastifyInstance } from 'fastify'
import type { FlexContext } from '../../flex/context.ts'
import { addConsoleRead } from '../auth/access.routes.ts'
import { one, pageOf } from '../../http/reply.ts'
import { EVERYONE } from '../console.rules.ts'
import { calendarQuery, debitFilters, debitsQuery, returnsQuery } from './debits.input.ts'
import { calendarOutput, comingOutput, debitOutput, returnsOutput } from './debits.output.ts'
import { flexErpRoutes } from './erp.routes.ts'
import { addReport } from '../reports/report.routes.ts'
import {
  DEBIT_SORTING,
  debitsReport,
  listDebitsOf,
  readCalendar,
  readComing,
  readReturns,
  showDebits,
} from './flex.service.ts'
import { flexPlanRoutes } from './plans.routes.ts'

export function flexConsoleRoutes(app: FastifyInstance, flex: FlexContext): void {
  addConsoleRead(app, flex, {
    url: '/flex/calendar',
    roles: EVERYONE,
    output: one(calendarOutput),
    query: calendarQuery,
    answer: ({ institute, query }) => readCalendar(flex, institute, query.month),
  })
  addReport(app, flex, {
    url: '/flex/debits',
    output: pageOf(debitOutput, () => null),
    query: debitsQuery,
    filters: debitFilters,
    answer: ({ institute, query: { limit, ...asked } }) => listDebitsOf(flex, institute, asked, limit),
    report: ({ institute, query }) => debitsReport(flex, institute, query),
    list: { ...DEBIT_SORTING, toRows: (rows, { institute }) => showDebits(flex, institute, rows) },
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
