import type { FastifyInstance } from 'fastify'
import { ok } from '../../http/envelope.ts'
import type { Context } from '../../platform/context.ts'
import { toRupees } from '../../platform/money.ts'
import { EVERYONE } from '../console.rules.ts'
import { addConsoleRead } from '../auth/access.routes.ts'
import type { Collected, Sum } from './home.rules.ts'
import { HomeView, type HomeAnswer } from './home.schemas.ts'
import { readHome, type Home } from './home.service.ts'

export function homeRoutes(app: FastifyInstance, ctx: Context): void {
  addConsoleRead(app, ctx, {
    url: '/home',
    roles: EVERYONE,
    docs: {
      operationId: 'consoleGetHome',
      summary: 'Read the home page',
      description: 'What came in, what is still due, what went wrong and what happens next.',
      data: HomeView,
    },
    answer: async ({ institute }) => ok(view(await readHome(ctx, institute))),
  })
}

function view(home: Home): HomeAnswer {
  const { returns, settlements, health } = home
  return {
    today: home.today,
    collected_today: collected(home.collectedToday),
    collected_this_month: collected(home.collectedThisMonth),
    outstanding: {
      amount: toRupees(home.outstanding.amountPaise),
      students: home.outstanding.students,
    },
    due_next_7_days: sum(home.coming),
    returns: {
      presented: returns.decided,
      bounced: returns.returned.count,
      bounced_amount: toRupees(returns.returned.amountPaise),
      ...(returns.decided === 0 ? {} : { ratio: returns.returned.count / returns.decided }),
    },
    settlements: {
      expected: sum({ amountPaise: settlements.expectedPaise, count: settlements.expectedCount }),
      overdue: sum({ amountPaise: settlements.overduePaise, count: settlements.overdueCount }),
      ...(settlements.nextOn === null ? {} : { next_on: settlements.nextOn }),
      received_this_month: sum({
        amountPaise: settlements.receivedPaise,
        count: settlements.receivedCount,
      }),
    },
    webhooks: {
      active: health.active,
      failing: health.failing,
      disabled: health.disabled,
      given_up: health.givenUp,
    },
    erp: {
      is_configured: health.isConfigured,
      found: health.found,
      refused: health.refused,
      unavailable: health.unavailable,
      ...(health.lastAt === null ? {} : { last_at: health.lastAt.toISOString() }),
    },
    daily: home.daily.map(({ day, ...rest }) => ({ day, ...sum(rest) })),
  }
}

function collected(some: Collected): HomeAnswer['collected_today'] {
  return { ...sum(some), given_back: toRupees(some.givenBackPaise) }
}

function sum({ amountPaise, count }: Sum): { amount: number; count: number } {
  return { amount: toRupees(amountPaise), count }
}
