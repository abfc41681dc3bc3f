import type { FastifyInstance } from 'fastify'
import type { ErpContext } from '../../erp/context.ts'
import { deliveryConsoleRoutes, webhookConsoleRoutes, reasonInput } from './webhooks.routes.ts'
import type { Context } from '../../platform/context.ts'
import { EVERYONE } from '../console.rules.ts'
import { one, all, created } from '../../http/reply.ts'
import { requestList, requestParams, requestOutput } from '../../request-log/request.list.ts'
import { getRequest } from '../../request-log/requests.service.ts'
import { addConsoleRead, addConsoleWrite } from '../auth/access.routes.ts'
import { addList } from '../lists/list.routes.ts'
import { outputOf, type Shown } from '../../http/wire/output.ts'
import { testOutput, fetchTestInput } from '../../erp/pull/pull.schemas.ts'
import { settingsOutput, removalInput, settingsFormInput } from '../../erp/settings/settings.schemas.ts'
import type { ErpSettings } from '../../erp/settings/settings.rules.ts'
import {
  type Branch,
  SCOPE_TEXTS,
  SCOPE_NAMES,
  SCOPES,
  type Scope,
} from '../../institutes/institutes.rules.ts'
import { branchOutput } from '../../students/student.output.ts'
import {
  listErpSettings,
  removeErpSettings,
  setErpSettings,
  type SettingsChange,
} from '../../erp/settings/settings.service.ts'
import { testFetch } from '../../erp/pull/pull.service.ts'
import { DEVELOPERS, grantableBy } from './developers.rules.ts'
import { listKeys, revokeKeyOf, type ApiKey } from '../../institutes/keys.service.ts'
import { createKeyOnce, rotateKeyOnce, type ShownKey } from './developers.service.ts'
import { field, ifSent, input } from '../../http/wire/input.ts'

/** Keys, webhooks, what was told and asked, and the way to the ERP. */
export function developerRoutes(app: FastifyInstance, ctx: ErpContext): void {
  keyRoutes(app, ctx)
  webhookConsoleRoutes(app, ctx)
  deliveryConsoleRoutes(app, ctx)
  requestRoutes(app, ctx)
  erpConsoleRoutes(app, ctx)
}

/** The log covers the last month at least. Under load some requests may be missing. */
function requestRoutes(app: FastifyInstance, ctx: Context): void {
  addList(app, ctx, { url: '/requests', list: requestList })
  addConsoleRead(app, ctx, {
    url: '/requests/:request_id',
    roles: EVERYONE,
    params: requestParams,
    output: one(requestOutput),
    answer: ({ institute, params }) => getRequest(ctx, institute, params.requestId),
  })
}

const out = outputOf<{ branches: readonly Branch[]; settings: readonly ErpSettings[] }>()
const erpOutput = out.object({
  branches: out.list('Of the institute.', branchOutput),
  settings: out.list("The institute's own, then those of branches.", settingsOutput),
})

export type ErpSettingsAnswer = Shown<typeof erpOutput>
export type TestErpAnswer = Shown<typeof testOutput>

function erpConsoleRoutes(app: FastifyInstance, ctx: ErpContext): void {
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

function keyRoutes(app: FastifyInstance, ctx: Context): void {
  addConsoleRead(app, ctx, {
    url: '/keys',
    roles: EVERYONE,
    output: all(keyOutput),
    answer: async ({ institute }) => (await listKeys(ctx, institute.code)).toReversed(),
  })
  addConsoleRead(app, ctx, {
    url: '/keys/scopes',
    roles: EVERYONE,
    output: all(scopeOutput),
    answer: async ({ role }) => grantableBy(role).map(scope => ({ scope, means: SCOPE_TEXTS[scope] })),
  })
  addConsoleWrite(app, ctx, {
    method: 'POST',
    url: '/keys',
    roles: DEVELOPERS,
    output: created(issuedKeyOutput),
    body: newKeyInput,
    perform: (command, { body, ...granter }) => createKeyOnce(ctx, command, granter, body),
    audit: (_call, { keyId, label, scopes }) => ({
      what: 'key.created',
      about: keyId,
      after: { label, scopes },
    }),
  })
  addEndings(app, ctx)
}

function addEndings(app: FastifyInstance, ctx: Context): void {
  addConsoleWrite(app, ctx, {
    method: 'POST',
    url: '/keys/:key_id/rotate',
    roles: DEVELOPERS,
    output: created(issuedKeyOutput),
    params: keyParams,
    perform: (command, { params, ...granter }) => rotateKeyOnce(ctx, command, granter, params.keyId),
    audit: ({ params }, { keyId, label, scopes }) => ({
      what: 'key.rotated',
      about: params.keyId,
      after: { successor: keyId, label, scopes },
    }),
  })
  addConsoleWrite(app, ctx, {
    method: 'DELETE',
    url: '/keys/:key_id',
    roles: DEVELOPERS,
    params: keyParams,
    body: reasonInput,
    perform: (command, { institute, params }) => revokeKeyOf(ctx, command, institute, params.keyId),
    audit: ({ body }, { keyId, label, scopes }) => ({
      what: 'key.revoked',
      about: keyId,
      why: body.reason,
      before: { label, scopes },
    }),
  })
}

const MOST_REQUESTS = 1_000_000
const requests = (description: string, example: number) =>
  ifSent(field.wholeNumber(description, example, [1, MOST_REQUESTS]))

const newKeyInput = input({
  label: field.code('What it is for; two of a label may be active.', 'Fee module'),
  scopes: field.choices('What it may do.', field.oneOf(SCOPE_NAMES, 'A scope; write: all but read.'), {
    min: 1,
  }),
  rate_per_second: requests('Requests a second; standard 1000.', 100),
  burst: requests('Requests at once; standard twice the rate.', 200),
})

const keyParams = input({ key_id: field.resourceId('Id of the key.', 'key_test_demo') })

/** Keys by which an ERP signs its requests. */
const issued = outputOf<ShownKey>()
const common = {
  key_id: issued.text('Id of the key, the user name of Basic authentication.', 'key_test_demo'),
  label: issued.text('What it is for.', 'Fee module'),
  scopes: issued.texts(`What it may do: ${SCOPES.join(', ')}.`, [...SCOPES]),
}

const issuedKeyOutput = issued.object({
  ...common,
  secret: issued.optional.text(
    'Shown this once; absent when the same request is sent again.',
    'secret_test_demo',
  ),
})

const key = outputOf<ApiKey>()
const keyOutput = key.object({
  ...common,
  rate_per_second: key.optional.integer('Requests a second; absent: the standard.', 100),
  burst: key.optional.integer('Requests at once; absent: the standard.', 200),
  created_at: key.moment('When it was made, UTC.', '2026-11-15T04:32:10.000Z'),
  last_used_at: key.optional.moment('When it was last used, to the minute, UTC.', '2026-11-15T04:40:00.000Z'),
  revoked_at: key.optional.moment('Present only on a key that was ended.', '2026-11-20T06:00:00.000Z'),
})

export type KeyAnswer = Shown<typeof keyOutput>
export type IssuedKeyAnswer = Shown<typeof issuedKeyOutput>

const scope = outputOf<{ scope: Scope; means: string }>()
const scopeOutput = scope.object({
  scope: scope.text('A scope that you may give a key.', 'orders'),
  means: scope.text('What a key may do with it.', SCOPE_TEXTS.orders),
})

export type ScopeAnswer = Shown<typeof scopeOutput>
