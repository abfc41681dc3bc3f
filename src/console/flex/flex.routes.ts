import type { FastifyInstance } from 'fastify'
import type { ConsoleContext } from '../context.ts'
import { addConsoleRead, addConsoleWrite } from '../auth/access.routes.ts'
import { created, one, from } from '../../http/reply.ts'
import { EVERYONE } from '../console.rules.ts'
import {
  calendarOutput,
  calendarQuery,
  comingOutput,
  returnsOutput,
  returnsQuery,
  erpOutput,
  settingsInput,
  settingsOutput,
} from './flex.schemas.ts'
import { debitList } from './debit.list.ts'
import { addList } from '../lists/list.routes.ts'
import { readCalendar, readComing, readReturns, readPlanDetail, readErpHealth } from './flex.service.ts'
import { chargedOutput, planParams, planOutput } from '../../flex/plans/plan.schemas.ts'
import { chargeMandate, type CalledOff } from '../../flex/plans/charges.service.ts'
import { toRupees } from '../../platform/money.ts'
import { cancelPlan, holdPlan, type ChangedPlan } from '../../flex/plans/plans.service.ts'
import { keptOr } from '../approvals/approval.list.ts'
import { noteOf, guarded } from '../approvals/approvals.routes.ts'
import { Kept, performOrKeep } from '../approvals/approvals.service.ts'
import { callOffAct, rescheduleAct, resumeAct, stateOf } from '../approvals/student-acts.ts'
import { FINANCE_ROLES } from '../students/students.rules.ts'
import { planList } from './plan.list.ts'
import {
  consoleChargeInput,
  instalmentParams,
  moveInput,
  planDetailOutput,
  reasonInput,
} from './plan.schemas.ts'
import {
  changeFlexSettings,
  getFlexSettings,
  type SettingsChange,
} from '../../flex/settings/settings.service.ts'
import { fetchList } from './fetch.list.ts'

export function flexConsoleRoutes(app: FastifyInstance, flex: ConsoleContext): void {
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

function flexPlanRoutes(app: FastifyInstance, flex: ConsoleContext): void {
  addList(app, flex, { url: '/flex/plans', list: planList })
  addConsoleRead(app, flex, {
    url: '/flex/plans/:plan_id',
    roles: EVERYONE,
    output: one(planDetailOutput, () => flex),
    params: planParams,
    answer: ({ institute, params }) => readPlanDetail(flex, institute, params.planId),
  })
  for (const act of ACTS) addAct(app, flex, act)
  addResume(app, flex)
  addReschedule(app, flex)
  addCharges(app, flex)
}

const ACTS = [
  { name: 'hold', perform: holdPlan, what: 'flex.plan.held' },
  { name: 'cancel', perform: cancelPlan, what: 'flex.plan.cancelled' },
] as const

function addAct(app: FastifyInstance, flex: ConsoleContext, act: (typeof ACTS)[number]): void {
  const { name, perform, what } = act
  addConsoleWrite(app, flex, {
    method: 'POST',
    url: `/flex/plans/:plan_id/${name}`,
    roles: FINANCE_ROLES,
    output: one(planOutput, () => flex),
    params: planParams,
    body: reasonInput,
    perform: (command, { institute, params }) =>
      perform(flex, command, { instituteId: institute.id, planId: params.planId }),
    audit: ({ params, body }, after: ChangedPlan) => ({
      what,
      about: params.planId,
      why: body.reason,
      before: stateOf(after.before),
      after: stateOf(after),
    }),
  })
}

function addResume(app: FastifyInstance, flex: ConsoleContext): void {
  addConsoleWrite(app, flex, {
    method: 'POST',
    url: '/flex/plans/:plan_id/resume',
    roles: FINANCE_ROLES,
    params: planParams,
    body: reasonInput,
    ...guarded(flex, resumeAct, {
      name: 'plan_resumption',
      output: one(planOutput, () => flex),
      aboutOf: ({ planId }: { planId: string }) => planId,
    }),
  })
}

function addReschedule(app: FastifyInstance, flex: ConsoleContext): void {
  addConsoleWrite(app, flex, {
    method: 'POST',
    url: '/flex/plans/:plan_id/instalments/:instalment_id/reschedule',
    roles: FINANCE_ROLES,
    output: keptOr(one(planOutput, () => flex)),
    params: instalmentParams,
    body: moveInput,
    perform: (command, { params: { planId: about, instalmentId }, body, ...by }) =>
      performOrKeep(flex, command, by, {
        name: 'plan_reschedule',
        about,
        request: { ...body, instalmentId },
      }),
    audit: ({ institute, params: { planId: about, instalmentId }, body }, result: ChangedPlan | Kept) =>
      result instanceof Kept
        ? noteOf(result.approval)
        : rescheduleAct.note({ institute, about }, { ...body, instalmentId }, result),
  })
}

function addCharges(app: FastifyInstance, flex: ConsoleContext): void {
  addConsoleWrite(app, flex, {
    method: 'POST',
    url: '/flex/plans/:plan_id/charges',
    roles: FINANCE_ROLES,
    output: created(chargedOutput, () => flex),
    params: planParams,
    body: consoleChargeInput,
    perform: (command, { institute, params, body }) =>
      chargeMandate(flex, command, institute, { ...params, ...body, referenceId: null }),
    audit: ({ params, body }, { charge }) => ({
      what: 'flex.charge.made',
      about: params.planId,
      why: body.reason,
      after: {
        instalment_id: charge.id,
        component_type: body.componentType,
        amount: toRupees(body.amountPaise),
        due_date: charge.dueOn,
        present_on: charge.presentOn,
      },
    }),
  })
  addConsoleWrite(app, flex, {
    method: 'POST',
    url: '/flex/plans/:plan_id/charges/:instalment_id/cancel',
    roles: FINANCE_ROLES,
    output: keptOr(one(chargedOutput, () => flex)),
    params: instalmentParams,
    body: reasonInput,
    perform: (command, { params: { planId: about, instalmentId }, body, ...by }) =>
      performOrKeep(flex, command, by, {
        name: 'plan_charge_cancellation',
        about,
        request: { ...body, instalmentId },
      }),
    audit: ({ institute, params: { planId: about, instalmentId }, body }, result: CalledOff | Kept) =>
      result instanceof Kept
        ? noteOf(result.approval)
        : callOffAct.note({ institute, about }, { ...body, instalmentId }, result),
  })
}

function flexErpRoutes(app: FastifyInstance, flex: ConsoleContext): void {
  addSettings(app, flex)
  addConsoleRead(app, flex, {
    url: '/flex/erp',
    roles: EVERYONE,
    output: one(erpOutput),
    answer: async ({ institute }) => ({ branches: await readErpHealth(flex, institute) }),
  })
  addList(app, flex, { url: '/flex/erp/fetches', list: fetchList })
}

function addSettings(app: FastifyInstance, flex: ConsoleContext): void {
  addConsoleRead(app, flex, {
    url: '/flex/settings',
    roles: EVERYONE,
    output: one(settingsOutput),
    answer: ({ institute }) => getFlexSettings(flex, institute),
  })
  addConsoleWrite(app, flex, {
    method: 'PATCH',
    url: '/flex/settings',
    roles: FINANCE_ROLES,
    output: from(one(settingsOutput), ({ after }: SettingsChange) => after),
    body: settingsInput,
    perform: (command, { institute, body }) => changeFlexSettings(flex, command, institute, body),
    audit: ({ institute, body }, { before, after }) => ({
      what: 'flex.settings.changed',
      about: institute.code,
      why: body.reason,
      before: settingsOutput.toJson(before),
      after: settingsOutput.toJson(after),
    }),
  })
}
