import { outputOf, type Shown } from '../../http/wire/output.ts'
import { testOutput, fetchTestInput } from '../../erp/pull/pull.schemas.ts'
import { settingsOutput, removalInput, settingsFormInput } from '../../erp/settings/settings.schemas.ts'
import type { ErpSettings } from '../../erp/settings/settings.rules.ts'
import type { Branch } from '../../institutes/institutes.rules.ts'
import { branchOutput } from '../../students/student.output.ts'
import type { FastifyInstance } from 'fastify'
import type { ErpContext } from '../../erp/context.ts'
import {
  listErpSettings,
  removeErpSettings,
  setErpSettings,
  type SettingsChange,
} from '../../erp/settings/settings.service.ts'
import { testFetch } from '../../erp/pull/pull.service.ts'
import { EVERYONE } from '../console.rules.ts'
import { DEVELOPERS } from './developers.rules.ts'
import { addConsoleRead, addConsoleWrite } from '../auth/access.routes.ts'
import { one } from '../../http/reply.ts'

const out = outputOf<{ branches: readonly Branch[]; settings: readonly ErpSettings[] }>()
const erpOutput = out.object({
  branches: out.list('Of the institute.', branchOutput),
  settings: out.list("The institute's own, then those of branches.", settingsOutput),
})

export type ErpSettingsAnswer = Shown<typeof erpOutput>
export type TestErpAnswer = Shown<typeof testOutput>

export function erpConsoleRoutes(app: FastifyInstance, ctx: ErpContext): void {
  addConsoleRead(app, ctx, {
    url: '/erp',
    roles: EVERYONE,
    output: one(erpOutput),
    answer: async ({ institute }) => ({
      branches: institute.branches,
      settings: await listErpSettings(ctx, institute),
    }),
  })
  addChanges(app, ctx)
  addConsoleWrite(app, ctx, {
    method: 'POST',
    url: '/erp/test',
    roles: DEVELOPERS,
    output: one(testOutput),
    body: fetchTestInput,
    perform: (command, { institute, body }) => testFetch(ctx, command, institute, body),
    // A look, kept in the log of calls to the ERP.
    audit: () => null,
  })
}

function addChanges(app: FastifyInstance, ctx: ErpContext): void {
  addConsoleWrite(app, ctx, {
    method: 'PUT',
    url: '/erp',
    roles: DEVELOPERS,
    body: settingsFormInput,
    // What the ERP answers changes fees, which not all of these may do themselves.
    perform: (command, { institute, role, body: { reason: _reason, ...wanted } }) =>
      setErpSettings(ctx, command, institute, {
        ...wanted,
        keepsSecret: true,
        staysAtHost: role !== 'owner',
      }),
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
  })
  addConsoleWrite(app, ctx, {
    method: 'DELETE',
    url: '/erp',
    roles: DEVELOPERS,
    body: removalInput,
    perform: (command, { institute, body: { collectorCode } }) =>
      removeErpSettings(ctx, command, institute, { collectorCode, mustExist: true }),
    audit: ({ institute, body }, { before }: SettingsChange) => ({
      what: 'erp.disconnected',
      about: before?.collectorCode ?? institute.code,
      why: body.reason,
      ...(before === null ? {} : { before: settingsOutput.toJson(before) }),
    }),
  })
}
