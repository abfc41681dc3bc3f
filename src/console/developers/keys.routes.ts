import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { created, ok } from '../../http/envelope.ts'
import { SCOPES } from '../../institutes/institutes.rules.ts'
import { listKeys, revokeKeyOf } from '../../institutes/keys.service.ts'
import type { Context } from '../../platform/context.ts'
import { EVERYONE } from '../console.rules.ts'
import { keyParams, newKeyInput } from './key.input.ts'
import { issuedKeyOutput, keyOutput } from './key.output.ts'
import { createKeyOnce, rotateKeyOnce, type ShownKey } from './keys.service.ts'
import { DEVELOPERS } from './developers.rules.ts'
import { reasonInput } from './webhook.output.ts'
import { addConsoleRead, addConsoleWrite } from '../auth/access.routes.ts'

export function keyRoutes(app: FastifyInstance, ctx: Context): void {
  addConsoleRead(app, ctx, {
    url: '/keys',
    roles: EVERYONE,
    docs: {
      operationId: 'consoleListKeys',
      summary: 'List API keys',
      description: 'All keys there ever were, the newest first. Secrets are never shown.',
      data: Type.Array(keyOutput.schema),
    },
    async answer({ institute }) {
      return ok((await listKeys(ctx, institute.code)).toReversed().map(key => keyOutput.toJson(key)))
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
      data: issuedKeyOutput.schema,
      creates: true,
    },
    body: newKeyInput,
    perform: (command, { institute, body }) =>
      createKeyOnce(ctx, command, institute, {
        ...body,
        scopes: SCOPES.filter(scope => body.scopes.includes(scope)),
      }),
    audit: (_call, { keyId, label, scopes }) => ({
      what: 'key.created',
      about: keyId,
      after: { label, scopes },
    }),
    toResponse: (key: ShownKey) => created(issuedKeyOutput.toJson(key)),
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
      data: issuedKeyOutput.schema,
      creates: true,
    },
    params: keyParams,
    perform: (command, { institute, params }) => rotateKeyOnce(ctx, command, institute, params.keyId),
    audit: ({ params }, { keyId, label, scopes }) => ({
      what: 'key.rotated',
      about: params.keyId,
      after: { successor: keyId, label, scopes },
    }),
    toResponse: (key: ShownKey) => created(issuedKeyOutput.toJson(key)),
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
    params: keyParams,
    body: reasonInput,
    perform: (command, { institute, params }) => revokeKeyOf(ctx, command, institute, params.keyId),
    audit: ({ body }, { keyId, label, scopes }) => ({
      what: 'key.revoked',
      about: keyId,
      why: body.reason,
      before: { label, scopes },
    }),
    toResponse: () => ok(),
  })
}
