import type { FastifyInstance } from 'fastify'
import { SCOPE_TEXTS } from '../../institutes/institutes.rules.ts'
import { listKeys, revokeKeyOf } from '../../institutes/keys.service.ts'
import type { Context } from '../../platform/context.ts'
import { EVERYONE } from '../console.rules.ts'
import { keyParams, newKeyInput, issuedKeyOutput, keyOutput, scopeOutput } from './key.schemas.ts'
import { createKeyOnce, rotateKeyOnce } from './keys.service.ts'
import { DEVELOPERS, grantableBy } from './developers.rules.ts'
import { reasonInput } from './webhook.output.ts'
import { addConsoleRead, addConsoleWrite } from '../auth/access.routes.ts'
import { all, created } from '../../http/reply.ts'

export function keyRoutes(app: FastifyInstance, ctx: Context): void {
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
