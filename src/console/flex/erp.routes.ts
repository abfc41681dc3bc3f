import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import type { FlexContext } from '../../flex/context.ts'
import { changeFlexSettings, getFlexSettings } from '../../flex/settings/settings.service.ts'
import { ok, page } from '../../http/envelope.ts'
import { EVERYONE } from '../console.rules.ts'
import { fetchesQuery, settingsInput } from './erp.input.ts'
import { erpOutput, fetchOutput, settingsOutput } from './erp.output.ts'
import { listErpFetches, readErpHealth } from './erp.service.ts'
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
      data: erpOutput.schema,
    },
    answer: async ({ institute }) => ok(erpOutput.toJson({ branches: await readErpHealth(flex, institute) })),
  })
  addConsoleRead(app, flex, {
    url: '/flex/erp/fetches',
    roles: EVERYONE,
    docs: {
      operationId: 'consoleListErpFetches',
      summary: 'List calls to the ERP',
      description: 'Every time an ERP was asked for a student, the newest first.',
      data: Type.Array(fetchOutput.schema),
      isList: true,
    },
    query: fetchesQuery,
    async answer({ institute, query: { outcome, collectorCode, ...range } }) {
      const { rows, nextCursor } = await listErpFetches(flex, institute, { outcome, collectorCode }, range)
      return page(
        rows.map(row => fetchOutput.toJson(row)),
        nextCursor,
      )
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
      data: settingsOutput.schema,
    },
    answer: async ({ institute }) => ok(settingsOutput.toJson(await getFlexSettings(flex, institute))),
  })
  addConsoleWrite(app, flex, {
    method: 'PATCH',
    url: '/flex/settings',
    roles: FINANCE_ROLES,
    docs: {
      operationId: 'consoleChangeFlexSettings',
      summary: 'Change the default plan',
      description: 'What is not sent stays, and so do plans that were made.',
      data: settingsOutput.schema,
    },
    body: settingsInput,
    perform: (command, { institute, body }) => changeFlexSettings(flex, command, institute, body),
    audit: ({ institute, body }, { before, after }) => ({
      what: 'flex.settings.changed',
      about: institute.code,
      why: body.reason,
      before: settingsOutput.toJson(before),
      after: settingsOutput.toJson(after),
    }),
    toResponse: ({ after }) => ok(settingsOutput.toJson(after)),
  })
}
