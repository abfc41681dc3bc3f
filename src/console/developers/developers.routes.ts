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
import { type Branch, SCOPE_TEXTS, SCOPE_NAMES, type Scope } from '../../institutes/institutes.rules.ts'
import { branchOutput } from '../../students/student.output.ts'
import {
  listErpSettings,
  removeErpSettings,
  setErpSettings,
  type SettingsChange,
} from '../../erp/settings/settings.service.ts'
import { testFetch } from '../../erp/pull/pull.service.ts'
import { DEVELOPERS, grantableBy } from './developers.rules.ts'
import { revokeKeyOf } from '../../institutes/keys.service.ts'
import { createKeyOnce, rotateKeyOnce, type ShownKey } from './developers.service.ts'
import { keyFields, keyList } from './developers.list.ts'
import { addressOf, findSections, type Section } from '../../http/docs/search.ts'
import { field, ifSent, input, query } from '../../http/wire/input.ts'

/** Keys, webhooks, what was told and asked, and the way to the ERP. */
export function developerRoutes(app: FastifyInstance, ctx: ErpContext): void {
  keyRoutes(app, ctx)
  webhookConsoleRoutes(app, ctx)
  deliveryConsoleRoutes(app, ctx)
  requestRoutes(app, ctx)
  guideRoutes(app, ctx)
  erpConsoleRoutes(app, ctx)
}

/** A few sections are an answer; more are a reason to ask with more words. */
const MOST_SECTIONS = 8
const MOST_LETTERS = 3_000

const section = outputOf<Section>()
const sectionOutput = section.object({
  page: section.text('The guide.', 'Webhooks', ({ guide }) => guide.title),
  section: section.text('The heading that it stands under.', 'Retries', ({ heading }) => heading),
  path: section.text('Where it stands.', '/docs/guides/webhooks#retries', addressOf),
  markdown: section.text('What it says.', 'A delivery is tried again…', ({ text }) =>
    text.trim().slice(0, MOST_LETTERS),
  ),
})

/** The guides are of no institute; who asks is signed in all the same. */
function guideRoutes(app: FastifyInstance, ctx: Context): void {
  addConsoleRead(app, ctx, {
    url: '/guides',
    roles: EVERYONE,
    output: all(sectionOutput),
    query: query({ q: field.text('Words that a section has to have.', 'webhook signature', 100) }),
    answer: async ({ query: { q } }) => (await findSections(q)).slice(0, MOST_SECTIONS),
  })
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
  addList(app, ctx, { url: '/keys', list: keyList })
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
const issuedKeyOutput = issued.object({
  ...keyFields,
  secret: issued.optional.text(
    'Shown this once; absent when the same request is sent again.',
    'secret_test_demo',
  ),
})

export type IssuedKeyAnswer = Shown<typeof issuedKeyOutput>

const scope = outputOf<{ scope: Scope; means: string }>()
const scopeOutput = scope.object({
  scope: scope.text('A scope that you may give a key.', 'orders'),
  means: scope.text('What a key may do with it.', SCOPE_TEXTS.orders),
})

export type ScopeAnswer = Shown<typeof scopeOutput>
