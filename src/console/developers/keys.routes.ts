import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { created, ok } from '../../http/envelope.ts'
import { SCOPES } from '../../institutes/institutes.rules.ts'
import { listKeys, revokeKeyOf } from '../../institutes/keys.service.ts'
import type { Context } from '../../platform/context.ts'
import { EVERYONE } from '../console.rules.ts'
import * as schemas from './keys.schemas.ts'
import { createKeyOnce, rotateKeyOnce, type ShownKey } from './keys.service.ts'
import { DEVELOPERS } from './developers.rules.ts'
import { addConsoleRead, addConsoleWrite } from '../auth/access.routes.ts'

export function keyRoutes(app: FastifyInstance, ctx: Context): void {
  addConsoleRead(app, ctx, {
    url: '/keys',
    roles: EVERYONE,
    docs: {
      operationId: 'consoleListKeys',
      summary: 'List API keys',
      description: 'All keys there ever were, the newest first. Secrets are never shown.',
      data: Type.Array(schemas.KeyView),
    },
    async answer({ institute }) {
      return ok((await listKeys(ctx, institute.code)).map(view).toReversed())
    },
  })
  addConsoleWrite(app, ctx, {
    method: 'POST',
    url: '/keys',
    roles: DEVELOPERS,
    docs: {
      operationId: 'consoleCreateKey',
      summary: 'Make an API key',
      description: 'Its secret is answered this once and kept nowhere.',
      data: schemas.IssuedKeyView,
      creates: true,
    },
    body: schemas.NewKeyBody,
    perform: (act, { institute, body }) =>
      createKeyOnce(ctx, act, institute, {
        label: body.label,
        scopes: SCOPES.filter(scope => body.scopes.includes(scope)),
        ratePerSecond: body.rate_per_second,
        burst: body.burst,
      }),
    audit: (_call, { keyId, label, scopes }) => ({
      what: 'key.created',
      about: keyId,
      after: { label, scopes },
    }),
    toResponse: (key: ShownKey) => created(issuedView(key)),
  })
  addEndings(app, ctx)
}

function addEndings(app: FastifyInstance, ctx: Context): void {
  addConsoleWrite(app, ctx, {
    method: 'POST',
    url: '/keys/:key_id/rotate',
    roles: DEVELOPERS,
    docs: {
      operationId: 'consoleRotateKey',
      summary: 'Make a successor of a key',
      description: 'With the same label, scopes and limits. The old one works until it is revoked.',
      data: schemas.IssuedKeyView,
      creates: true,
    },
    params: schemas.KeyParams,
    perform: (act, { institute, params }) => rotateKeyOnce(ctx, act, institute, params.key_id),
    audit: ({ params }, { keyId, label, scopes }) => ({
      what: 'key.rotated',
      about: params.key_id,
      after: { successor: keyId, label, scopes },
    }),
    toResponse: (key: ShownKey) => created(issuedView(key)),
  })
  addConsoleWrite(app, ctx, {
    method: 'DELETE',
    url: '/keys/:key_id',
    roles: DEVELOPERS,
    docs: {
      operationId: 'consoleRevokeKey',
      summary: 'End an API key',
      description: 'For good: it is refused everywhere within five seconds.',
    },
    params: schemas.KeyParams,
    body: schemas.RevokeBody,
    perform: (act, { institute, params }) => revokeKeyOf(ctx, act, institute, params.key_id),
    audit: ({ body }, { keyId, label, scopes }) => ({
      what: 'key.revoked',
      about: keyId,
      why: body.reason,
      before: { label, scopes },
    }),
    toResponse: () => ok(),
  })
}

function view(key: Awaited<ReturnType<typeof listKeys>>[number]): schemas.KeyAnswer {
  return {
    key_id: key.keyId,
    label: key.label,
    scopes: [...key.scopes],
    ...(key.ratePerSecond === null ? {} : { rate_per_second: key.ratePerSecond }),
    ...(key.burst === null ? {} : { burst: key.burst }),
    created_at: key.createdAt.toISOString(),
    ...(key.lastUsedAt === null ? {} : { last_used_at: key.lastUsedAt.toISOString() }),
    ...(key.revokedAt === null ? {} : { revoked_at: key.revokedAt.toISOString() }),
  }
}

function issuedView({ keyId, label, scopes, secret }: ShownKey): schemas.IssuedKeyAnswer {
  return { key_id: keyId, label, scopes: [...scopes], ...(secret === null ? {} : { secret }) }
}
