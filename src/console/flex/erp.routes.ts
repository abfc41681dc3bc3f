import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import type { FlexContext } from '../../flex/context.ts'
import type { FlexSettings } from '../../flex/rules/schedule.rules.ts'
import { changeFlexSettings, getFlexSettings } from '../../flex/settings/settings.service.ts'
import { ok, page } from '../../http/envelope.ts'
import { EVERYONE } from '../console.rules.ts'
import * as schemas from './erp.schemas.ts'
import { listErpFetches, readErpHealth, type BranchHealth, type FetchRow } from './erp.service.ts'
import { addConsoleRead, addConsoleWrite } from '../auth/access.routes.ts'
import { FINANCE_ROLES } from '../students/students.rules.ts'

export function flexErpRoutes(app: FastifyInstance, flex: FlexContext): void {
  addSettings(app, flex)
  addConsoleRead(app, flex, {
    url: '/flex/erp',
    roles: EVERYONE,
    docs: {
      operationId: 'consoleGetErpHealth',
      summary: "Read the ERP's health",
      description: 'How the ERP of each branch answered in the last 24 hours.',
      data: schemas.ErpView,
    },
    answer: async ({ institute }) =>
      ok({ branches: (await readErpHealth(flex, institute)).map(branchView) } satisfies schemas.ErpAnswer),
  })
  addConsoleRead(app, flex, {
    url: '/flex/erp/fetches',
    roles: EVERYONE,
    docs: {
      operationId: 'consoleListErpFetches',
      summary: 'List calls to the ERP',
      description: 'Every time an ERP was asked for a student, the newest first.',
      data: Type.Array(schemas.FetchView),
      isList: true,
    },
    query: schemas.FetchesQuery,
    async answer({ institute, query }) {
      const { outcome, collector_code: collectorCode, cursor, limit = 50 } = query
      const filter = { outcome, collectorCode }
      const { rows, nextCursor } = await listErpFetches(flex, institute, filter, { cursor, limit })
      return page(rows.map(fetchView), nextCursor)
    },
  })
}

function addSettings(app: FastifyInstance, flex: FlexContext): void {
  addConsoleRead(app, flex, {
    url: '/flex/settings',
    roles: EVERYONE,
    docs: {
      operationId: 'consoleGetFlexSettings',
      summary: 'Read the default plan',
      description: 'What a plan looks like when nobody sends a schedule.',
      data: schemas.SettingsView,
    },
    answer: async ({ institute }) => ok(settingsView(await getFlexSettings(flex, institute))),
  })
  addConsoleWrite(app, flex, {
    method: 'PATCH',
    url: '/flex/settings',
    roles: FINANCE_ROLES,
    docs: {
      operationId: 'consoleChangeFlexSettings',
      summary: 'Change the default plan',
      description: 'What is not sent stays, and so do plans that were made.',
      data: schemas.SettingsView,
    },
    body: schemas.SettingsBody,
    perform: (act, { institute, body }) =>
      changeFlexSettings(flex, act, institute, {
        ...(body.product_name === undefined ? {} : { productName: body.product_name }),
        ...(body.instalments === undefined ? {} : { instalments: body.instalments }),
        ...(body.day_of_month === undefined ? {} : { dayOfMonth: body.day_of_month }),
        ...(body.downpayment_percent === undefined ? {} : { downpaymentPercent: body.downpayment_percent }),
      }),
    audit: ({ institute, body }, { before, after }) => ({
      what: 'flex.settings.changed',
      about: institute.code,
      why: body.reason,
      before: settingsView(before),
      after: settingsView(after),
    }),
    toResponse: ({ after }) => ok(settingsView(after)),
  })
}

function settingsView(settings: FlexSettings): schemas.SettingsAnswer {
  return {
    product_name: settings.productName,
    instalments: settings.instalments,
    day_of_month: settings.dayOfMonth,
    downpayment_percent: settings.downpaymentPercent,
  }
}

function branchView(branch: BranchHealth): schemas.ErpAnswer['branches'][number] {
  return {
    collector_code: branch.collectorCode,
    name: branch.name,
    ...(branch.host === null ? {} : { host: branch.host }),
    found: branch.found,
    refused: branch.refused,
    unavailable: branch.unavailable,
    ...(branch.lastAt === null ? {} : { last_at: branch.lastAt.toISOString() }),
    problems: branch.problems.map(({ outcome, code, message, count, lastAt }) => ({
      outcome,
      ...(code === null ? {} : { code }),
      ...(message === null ? {} : { message }),
      count,
      last_at: lastAt.toISOString(),
    })),
  }
}

function fetchView(row: FetchRow): schemas.FetchAnswer {
  return {
    id: row.id,
    at: row.fetchedAt.toISOString(),
    duration_ms: row.durationMs,
    reason: row.reason,
    outcome: row.outcome,
    ...(row.httpStatus === null ? {} : { http_status: row.httpStatus }),
    ...(row.code === null ? {} : { code: row.code }),
    ...(row.message === null ? {} : { message: row.message }),
    identifier: row.identifier,
    ...(row.studentId === null ? {} : { student_id: row.studentId }),
    ...(row.fullname === null ? {} : { fullname: row.fullname }),
    ...(row.collectorCode === null ? {} : { collector_code: row.collectorCode }),
    problems: row.problems,
    changes: row.changes,
  }
}
