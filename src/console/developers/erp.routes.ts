import type { FastifyInstance } from 'fastify'
import { ok } from '../../http/envelope.ts'
import type { ErpContext } from '../../erp/context.ts'
import { removalInput, settingsFormInput } from '../../erp/settings/settings.input.ts'
import { settingsOutput } from '../../erp/settings/settings.output.ts'
import {
  listErpSettings,
  removeErpSettings,
  setErpSettings,
  type SettingsChange,
} from '../../erp/settings/settings.service.ts'
import { testFetch, type FetchTest } from '../../erp/pull/log.service.ts'
import { fetchTestInput } from '../../erp/pull/pull.input.ts'
import { testOutput } from '../../erp/pull/pull.output.ts'
import { EVERYONE } from '../console.rules.ts'
import { erpOutput } from './erp.output.ts'
import { DEVELOPERS } from './developers.rules.ts'
import { addConsoleRead, addConsoleWrite } from '../auth/access.routes.ts'

export function erpConsoleRoutes(app: FastifyInstance, ctx: ErpContext): void {
  addConsoleRead(app, ctx, {
    url: '/erp',
    roles: EVERYONE,
    docs: {
      operationId: 'consoleGetErp',
      summary: 'Read the ERP connection',
      description: 'Where the institute, or a branch of it, is asked for students.',
      data: erpOutput.schema,
    },
    answer: async ({ institute }) => {
      const settings = await listErpSettings(ctx, institute)
      return ok(erpOutput.toJson({ branches: institute.branches, settings }))
    },
  })
  addChanges(app, ctx)
  addConsoleWrite(app, ctx, {
    method: 'POST',
    url: '/erp/test',
    roles: DEVELOPERS,
    docs: {
      operationId: 'consoleTestErp',
      summary: 'Ask the ERP for a student',
      description: 'As a fetch would, and tells what came back field by field. Nothing of a student changes.',
      data: testOutput.schema,
    },
    body: fetchTestInput,
    perform: (command, { institute, body }) => testFetch(ctx, command, institute, body),
    // A look, kept in the log of calls to the ERP.
    audit: () => null,
    toResponse: (test: FetchTest) => ok(testOutput.toJson(test)),
  })
}

function addChanges(app: FastifyInstance, ctx: ErpContext): void {
  addConsoleWrite(app, ctx, {
    method: 'PUT',
    url: '/erp',
    roles: DEVELOPERS,
    docs: {
      operationId: 'consoleSetErp',
      summary: 'Set the ERP connection',
      description: 'Replaces what was set, but for a secret that is not sent and goes to the same host.',
      exampleBody: { url: 'https://erp.example.in/fetch-student', reason: 'The ERP has moved' },
    },
    body: settingsFormInput,
    perform: (command, { institute, body: { reason: _reason, ...wanted } }) =>
      setErpSettings(ctx, command, institute, { ...wanted, keepsSecret: true }),
    audit: ({ institute, body }, { before, after }: SettingsChange) => ({
      what: 'erp.connected',
      about: after?.collectorCode ?? institute.code,
      why: body.reason,
      ...(before === null ? {} : { before: settingsOutput.toJson(before) }),
      after: {
        ...(after === null ? {} : settingsOutput.toJson(after)),
        ...(body.password === undefined && body.header?.value === undefined ? {} : { secret: 'changed' }),
      },
    }),
    toResponse: () => ok(),
  })
  addConsoleWrite(app, ctx, {
    method: 'DELETE',
    url: '/erp',
    roles: DEVELOPERS,
    docs: {
      operationId: 'consoleRemoveErp',
      summary: 'End the ERP connection',
      description: 'Nothing is fetched any more, and what is stored counts as fresh.',
    },
    body: removalInput,
    perform: (command, { institute, body: { collectorCode } }) =>
      removeErpSettings(ctx, command, institute, { collectorCode, mustExist: true }),
    audit: ({ institute, body }, { before }: SettingsChange) => ({
      what: 'erp.disconnected',
      about: before?.collectorCode ?? institute.code,
      why: body.reason,
      ...(before === null ? {} : { before: settingsOutput.toJson(before) }),
    }),
    toResponse: () => ok(),
  })
}
