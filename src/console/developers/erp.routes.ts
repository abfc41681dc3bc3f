import type { FastifyInstance } from 'fastify'
import type { Static } from 'typebox'
import { ok } from '../../http/envelope.ts'
import type { Institute } from '../../institutes/institutes.rules.ts'
import type { ErpContext } from '../../erp/context.ts'
import { listErpSettings, type ErpSettings } from '../../erp/settings/settings.service.ts'
import type { Asked } from '../../erp/erp.rules.ts'
import { testFetch, type FetchTest } from '../../erp/pull/log.service.ts'
import { testView } from '../../erp/pull/pull-view.ts'
import { EVERYONE } from '../console.rules.ts'
import * as schemas from './erp.schemas.ts'
import { removeErp, setErp, type ErpChange } from './erp.service.ts'
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
      data: schemas.ErpSettingsView,
    },
    answer: async ({ institute }) => ok(view(institute, await listErpSettings(ctx, institute))),
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
      data: schemas.TestErpView,
    },
    body: schemas.TestErpBody,
    perform: (act, { institute, body }) => testFetch(ctx, act, institute, askedOf(body)),
    // A look, kept in the log of calls to the ERP.
    audit: () => null,
    toResponse: (test: FetchTest) => ok(testView(test)),
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
    body: schemas.SetErpBody,
    perform: (act, { institute, body }) =>
      setErp(ctx, act, institute, {
        collectorCode: body.collector_code,
        url: body.url,
        username: body.username,
        password: body.password,
        header: body.header,
        lookup: body.lookup,
        customSchedule: body.custom_schedule,
        maxCalls: body.max_calls,
      }),
    audit: ({ institute, body }, { before, after, isSecretNew }: ErpChange) => ({
      what: 'erp.connected',
      about: after?.collectorCode ?? institute.code,
      why: body.reason,
      ...(before === null ? {} : { before: settingsView(before) }),
      after: {
        ...(after === null ? {} : settingsView(after)),
        ...(isSecretNew ? { secret: 'changed' } : {}),
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
    body: schemas.RemoveErpBody,
    perform: (act, { institute, body }) => removeErp(ctx, act, institute, body.collector_code),
    audit: ({ institute, body }, { before }: ErpChange) => ({
      what: 'erp.disconnected',
      about: before?.collectorCode ?? institute.code,
      why: body.reason,
      ...(before === null ? {} : { before: settingsView(before) }),
    }),
    toResponse: () => ok(),
  })
}

/** As they go into a query: text, and nothing for what was not sent. */
function askedOf({ identifier, ...rest }: Static<typeof schemas.TestErpBody>): Asked {
  const sent = Object.entries(rest).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)]],
  )
  return { identifier, ...(Object.fromEntries(sent) as Omit<Asked, 'identifier'>) }
}

function view(institute: Institute, all: readonly ErpSettings[]): schemas.ErpSettingsAnswer {
  return {
    branches: institute.branches.map(({ collectorCode, name, isDefault }) => ({
      collector_code: collectorCode,
      name,
      is_default: isDefault,
    })),
    settings: all.map(settingsView),
  }
}

function settingsView(settings: ErpSettings): schemas.ErpSettingsAnswer['settings'][number] {
  const { auth } = settings
  return {
    ...(settings.collectorCode === null ? {} : { collector_code: settings.collectorCode }),
    url: settings.url,
    auth: auth.kind,
    ...(auth.kind === 'basic' ? { username: auth.username } : {}),
    ...(auth.kind === 'header' ? { header_name: auth.headerName } : {}),
    lookup: [...settings.lookup],
    custom_schedule: settings.customSchedule,
    max_calls: settings.maxCalls,
    updated_at: settings.updatedAt.toISOString(),
  }
}
