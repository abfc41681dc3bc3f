import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import type { FlexContext } from '../../flex/context.ts'
import { ok, page } from '../../http/envelope.ts'
import { toRupees } from '../../platform/money.ts'
import { EVERYONE } from '../console.rules.ts'
import type { InTheWay, Sum } from './coming.rules.ts'
import { flexErpRoutes } from './erp.routes.ts'
import { flexPlanRoutes } from './plans.routes.ts'
import * as schemas from './flex.schemas.ts'
import {
  listDebitsOf,
  readCalendar,
  readComing,
  readReturns,
  type Calendar,
  type ComingRun,
  type Returns,
  type ShownDebit,
} from './flex.service.ts'
import { addConsoleRead } from '../auth/access.routes.ts'

export function flexConsoleRoutes(app: FastifyInstance, flex: FlexContext): void {
  addConsoleRead(app, flex, {
    url: '/flex/calendar',
    roles: EVERYONE,
    docs: {
      operationId: 'consoleGetFlexCalendar',
      summary: 'Read a month of debits',
      description: 'What is to be presented on each day, and what became of what was.',
      data: schemas.CalendarView,
    },
    query: schemas.CalendarQuery,
    answer: async ({ institute, query }) =>
      ok(calendarView(await readCalendar(flex, institute, query.month))),
  })
  addConsoleRead(app, flex, {
    url: '/flex/debits',
    roles: EVERYONE,
    docs: {
      operationId: 'consoleListFlexDebits',
      summary: 'List debits',
      description:
        'The debits of some days, today unless days are named: first those not presented, then presentations.',
      data: Type.Array(schemas.DebitView),
      isList: true,
    },
    query: schemas.DebitsQuery,
    async answer({ institute, query }) {
      const { from, to, status, return_code: returnCode, collector_code: collectorCode, cursor } = query
      const asked = { from, to, status, returnCode, collectorCode, cursor }
      const { debits, nextCursor } = await listDebitsOf(flex, institute, asked, query.limit ?? 50)
      return page(debits.map(debitView), nextCursor)
    },
  })
  addConsoleRead(app, flex, {
    url: '/flex/returns',
    roles: EVERYONE,
    docs: {
      operationId: 'consoleGetFlexReturns',
      summary: 'Read bounced debits by reason',
      description: 'What came back of the presentations of some days, the last 30 unless others are named.',
      data: schemas.ReturnsView,
    },
    query: schemas.ReturnsQuery,
    answer: async ({ institute, query }) => ok(returnsView(await readReturns(flex, institute, query))),
  })
  addConsoleRead(app, flex, {
    url: '/flex/coming',
    roles: EVERYONE,
    docs: {
      operationId: 'consoleGetFlexComing',
      summary: 'Preview the coming run',
      description:
        'What is asked, announced and presented in the next five working days, and what is in the way.',
      data: schemas.ComingView,
    },
    answer: async ({ institute }) => ok(comingView(await readComing(flex, institute))),
  })
  flexPlanRoutes(app, flex)
  flexErpRoutes(app, flex)
}

function calendarView({ month, today, days }: Calendar): schemas.CalendarAnswer {
  return {
    month,
    today,
    days: days.map(({ day, isWorkingDay, sums }) => ({
      day,
      is_working_day: isWorkingDay,
      sums: sums.map(one => ({ status: one.status, ...sumView(one) })),
    })),
  }
}

function debitView(debit: ShownDebit): schemas.DebitAnswer {
  const { plan, instalment, presentation, presentedAt, reason, why } = debit
  return {
    id: `${instalment.id}.${presentation}`,
    day: debit.day,
    status: debit.status,
    amount: toRupees(debit.amountPaise),
    plan_id: plan.id,
    instalment_id: instalment.id,
    number: instalment.number,
    due_date: instalment.dueOn,
    collector_code: plan.collectorCode,
    ...(debit.mandate === null ? {} : { rail: debit.mandate.rail }),
    student: debit.student,
    ...(presentedAt === null ? {} : { presentation, presented_at: presentedAt.toISOString() }),
    ...(reason === null ? {} : { reason }),
    ...(why === null ? {} : { why }),
    next_step: debit.next,
  }
}

function returnsView({ range, decided, returned, returnedPaise, groups }: Returns): schemas.ReturnsAnswer {
  return {
    ...range,
    decided,
    returned,
    returned_amount: toRupees(returnedPaise),
    reasons: groups.map(({ code, category, message, next, state, paid, again, due, over, ...rest }) => ({
      code,
      category,
      message,
      next,
      status: state === 'reversed' ? 'reversed' : 'bounced',
      ...sumView(rest),
      since: { paid, again, due, over },
    })),
  }
}

function comingView({ now, today, through, days, waiting }: ComingRun): schemas.ComingAnswer {
  return {
    now: now.toISOString(),
    from: today,
    to: through,
    days: days.map(({ day, isWorkingDay, runs, inTheWay }) => ({
      day,
      is_working_day: isWorkingDay,
      runs: runs.map(run => ({
        rail: run.rail,
        asked_from: run.askedFrom.toISOString(),
        told_by: run.toldBy.toISOString(),
        presented_at: run.presentedAt.toISOString(),
        announced: sumView(run.announced),
        to_ask: sumView(run.toAsk),
      })),
      in_the_way: inTheWay.map(obstacleView),
    })),
    waiting: waiting.map(obstacleView),
  }
}

function obstacleView({ kind, title, text, ...sum }: InTheWay): schemas.ComingAnswer['waiting'][number] {
  return { kind, title, text, ...sumView(sum) }
}

function sumView({ count, amountPaise }: Sum): { count: number; amount: number } {
  return { count, amount: toRupees(amountPaise) }
}
