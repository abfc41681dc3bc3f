import type { FastifyInstance } from 'fastify'
import type { Context } from '../../platform/context.ts'
import { addPersonRead, addPersonWrite, addSetupRead, addSetupWrite } from '../auth/access.routes.ts'
import {
  sessionCookie,
  listSignIns,
  endOtherSessions,
  endOwnSession,
  listSessions,
  signOutEverywhere,
} from '../auth/sessions.service.ts'
import { passkeyOptionsOutput } from '../auth/session.schemas.ts'
import { all, created, one } from '../../http/reply.ts'
import {
  codeInput,
  passkeyInput,
  passkeyNameInput,
  passkeyParams,
  passwordInput,
  proofInput,
  renameInput,
  sessionParams,
  accountOutput,
  addedPasskeyOutput,
  endedOutput,
  openSessionOutput,
  recoveryCodesOutput,
  signInOutput,
  totpStartOutput,
} from './team.schemas.ts'
import * as service from './account.service.ts'
import * as passkeys from './account.service.ts'

/** What everybody can see and change of their own account. */
export function accountRoutes(app: FastifyInstance, ctx: Context): void {
  addSetupRead(app, ctx, {
    url: '/account',
    output: one(accountOutput),
    answer: ({ who }) => service.readAccount(ctx, who),
  })
  addPersonWrite(app, ctx, {
    method: 'PATCH',
    url: '/account',
    body: renameInput,
    perform: (command, { who, body }) => service.renameSelf(ctx, command, who, body.name),
    audit: ({ who, body }) => ({
      what: 'account.renamed',
      about: who.userId,
      before: { name: who.name },
      after: { name: body.name },
    }),
  })
  addSetupWrite(app, ctx, {
    method: 'POST',
    url: '/account/password',
    body: passwordInput,
    hasSecret: true,
    perform: (command, { who, body }) =>
      service.changePassword(ctx, command, who, { proof: body, password: body.newPassword }),
    audit: ({ who }) => ({ what: 'account.password.changed', about: who.userId }),
  })
  addTotpRoutes(app, ctx)
  addPasskeyRoutes(app, ctx)
  addSessionRoutes(app, ctx)
}

function addPasskeyRoutes(app: FastifyInstance, ctx: Context): void {
  addSetupWrite(app, ctx, {
    method: 'POST',
    url: '/account/passkeys/options',
    body: proofInput,
    hasSecret: true,
    output: one(passkeyOptionsOutput),
    perform: (_command, { who, body }) => passkeys.startPasskey(ctx, who, body),
    audit: () => null,
  })
  addSetupWrite(app, ctx, {
    method: 'POST',
    url: '/account/passkeys',
    body: passkeyInput,
    hasSecret: true,
    output: created(addedPasskeyOutput),
    perform: (command, { who, body }) => passkeys.addPasskey(ctx, command, who, body),
    audit: (_call, { id, name }) => ({ what: 'account.passkey.added', about: id, after: { name } }),
  })
  addPersonWrite(app, ctx, {
    method: 'PATCH',
    url: '/account/passkeys/:passkey_id',
    params: passkeyParams,
    body: passkeyNameInput,
    perform: (command, { who, params, body }) =>
      passkeys.renamePasskey(ctx, command, who, { id: params.passkeyId, name: body.name }),
    audit: ({ params, body }) => ({
      what: 'account.passkey.renamed',
      about: params.passkeyId,
      after: { name: body.name },
    }),
  })
  addPersonWrite(app, ctx, {
    method: 'POST',
    url: '/account/passkeys/:passkey_id/remove',
    params: passkeyParams,
    body: proofInput,
    hasSecret: true,
    perform: (command, { who, params, body }) =>
      passkeys.removePasskey(ctx, command, who, { id: params.passkeyId, proof: body }),
    audit: ({ params }, { name }) => ({
      what: 'account.passkey.removed',
      about: params.passkeyId,
      before: { name },
    }),
  })
}

function addTotpRoutes(app: FastifyInstance, ctx: Context): void {
  addSetupWrite(app, ctx, {
    method: 'POST',
    url: '/account/totp',
    body: proofInput,
    hasSecret: true,
    output: one(totpStartOutput),
    perform: (command, { who, body }) => service.startTotp(ctx, command, who, body),
    audit: ({ who }) => ({ what: 'account.totp.started', about: who.userId }),
  })
  addSetupWrite(app, ctx, {
    method: 'POST',
    url: '/account/totp/confirm',
    body: codeInput,
    hasSecret: true,
    output: one(recoveryCodesOutput),
    perform: (command, { who, body }) => service.confirmTotp(ctx, command, who, body.code),
    audit: ({ who }) => ({ what: 'account.totp.confirmed', about: who.userId }),
  })
  addPersonWrite(app, ctx, {
    method: 'POST',
    url: '/account/totp/remove',
    body: proofInput,
    hasSecret: true,
    perform: (command, { who, body }) => service.removeTotp(ctx, command, who, body),
    audit: ({ who }) => ({ what: 'account.totp.removed', about: who.userId }),
  })
  addPersonWrite(app, ctx, {
    method: 'POST',
    url: '/account/recovery-codes',
    body: proofInput,
    hasSecret: true,
    output: one(recoveryCodesOutput),
    perform: (command, { who, body }) => service.renewRecoveryCodes(ctx, command, who, body),
    audit: ({ who }) => ({ what: 'account.recovery_codes.renewed', about: who.userId }),
  })
}

function addSessionRoutes(app: FastifyInstance, ctx: Context): void {
  addPersonRead(app, ctx, {
    url: '/account/sessions',
    output: all(openSessionOutput),
    answer: ({ who }) => listSessions(ctx, who),
  })
  // Who is asked for a second factor sees first whether somebody else was here, and can end that.
  addSetupRead(app, ctx, {
    url: '/account/sign-ins',
    output: all(signInOutput),
    answer: ({ who }) => listSignIns(ctx, who),
  })
  addSetupWrite(app, ctx, {
    method: 'POST',
    url: '/account/sessions/end-all',
    output: one(endedOutput),
    async perform(command, { who, reply }) {
      const ended = await signOutEverywhere(ctx, command, who)
      reply.header('set-cookie', sessionCookie(ctx, null))
      return ended
    },
    audit: ({ who }, ended) => ({
      what: 'sessions.ended',
      about: who.userId,
      after: { ended, everywhere: true },
    }),
  })
  addPersonWrite(app, ctx, {
    method: 'DELETE',
    url: '/account/sessions/:session_id',
    params: sessionParams,
    perform: (command, { who, params }) => endOwnSession(ctx, command, who, params.sessionId),
    audit: ({ params }) => ({ what: 'session.ended', about: params.sessionId }),
  })
  addPersonWrite(app, ctx, {
    method: 'POST',
    url: '/account/sessions/end-others',
    output: one(endedOutput),
    perform: (command, { who }) => endOtherSessions(ctx, command, who),
    audit: ({ who }, ended) => ({ what: 'sessions.ended', about: who.userId, after: { ended } }),
  })
}
