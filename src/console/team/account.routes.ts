import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { ok } from '../../http/envelope.ts'
import type { Context } from '../../platform/context.ts'
import * as schemas from './account.schemas.ts'
import {
  changePassword,
  confirmTotp,
  readAccount,
  removeTotp,
  renameSelf,
  renewRecoveryCodes,
  startTotp,
  type Account,
  type Proof,
} from './account.service.ts'
import type { PersonVisit } from '../auth/roles.routes.ts'
import { addPersonRead, addPersonWrite } from '../auth/access.routes.ts'
import { endOtherSessions, endOwnSession, listSessions, type OpenSession } from '../auth/sessions.service.ts'

export function accountRoutes(app: FastifyInstance, ctx: Context): void {
  addPersonRead(app, ctx, {
    url: '/account',
    docs: {
      operationId: 'consoleGetAccount',
      summary: 'Read one’s own account',
      description: 'Name, address and how signing in is protected.',
      data: schemas.AccountView,
    },
    answer: async ({ who }) => ok(view(await readAccount(ctx, who))),
  })
  addPersonWrite(app, ctx, {
    method: 'PATCH',
    url: '/account',
    docs: {
      operationId: 'consoleRenameSelf',
      summary: 'Change one’s name',
      description: 'As colleagues see it.',
    },
    body: schemas.RenameBody,
    perform: (act, { who, body }) => renameSelf(ctx, act, who, body.name),
    audit: ({ who, body }) => ({
      what: 'account.renamed',
      about: who.userId,
      before: { name: who.name },
      after: { name: body.name },
    }),
    toResponse: () => ok(),
  })
  addPersonWrite(app, ctx, {
    method: 'POST',
    url: '/account/password',
    docs: {
      operationId: 'consoleChangePassword',
      summary: 'Change one’s password',
      description: 'Ends all other sessions.',
    },
    body: schemas.PasswordBody,
    perform: (act, { body, ...visit }) =>
      changePassword(ctx, act, visit.who, {
        proof: proofOf(body.password, visit),
        password: body.new_password,
      }),
    audit: ({ who }) => ({ what: 'account.password.changed', about: who.userId }),
    toResponse: () => ok(),
  })
  addTotpRoutes(app, ctx)
  addSessionRoutes(app, ctx)
}

function addTotpRoutes(app: FastifyInstance, ctx: Context): void {
  addPersonWrite(app, ctx, {
    method: 'POST',
    url: '/account/totp',
    docs: {
      operationId: 'consoleStartTotp',
      summary: 'Set up an authenticator app',
      description: 'Answers a secret to scan. It counts once a code has confirmed it.',
      data: schemas.TotpStartView,
    },
    body: schemas.ProofBody,
    perform: (act, { body, ...visit }) => startTotp(ctx, act, visit.who, proofOf(body.password, visit)),
    audit: ({ who }) => ({ what: 'account.totp.started', about: who.userId }),
    toResponse: ({ secret, uri, qrSvg }) => ok({ secret, uri, qr_svg: qrSvg }),
  })
  addPersonWrite(app, ctx, {
    method: 'POST',
    url: '/account/totp/confirm',
    docs: {
      operationId: 'consoleConfirmTotp',
      summary: 'Confirm the app by a code',
      description: 'From now on signing in takes a code. Answers the recovery codes, once.',
      data: schemas.RecoveryCodesView,
    },
    body: schemas.CodeBody,
    perform: (act, { who, body }) => confirmTotp(ctx, act, who, body.code),
    audit: ({ who }) => ({ what: 'account.totp.confirmed', about: who.userId }),
    toResponse: codes => ok({ recovery_codes: codes }),
  })
  addPersonWrite(app, ctx, {
    method: 'POST',
    url: '/account/totp/remove',
    docs: {
      operationId: 'consoleRemoveTotp',
      summary: 'Stop asking for codes',
      description: 'The app and the recovery codes are forgotten.',
    },
    body: schemas.ProofBody,
    perform: (act, { body, ...visit }) => removeTotp(ctx, act, visit.who, proofOf(body.password, visit)),
    audit: ({ who }) => ({ what: 'account.totp.removed', about: who.userId }),
    toResponse: () => ok(),
  })
  addPersonWrite(app, ctx, {
    method: 'POST',
    url: '/account/recovery-codes',
    docs: {
      operationId: 'consoleRenewRecoveryCodes',
      summary: 'Make new recovery codes',
      description: 'The old ones work no more.',
      data: schemas.RecoveryCodesView,
    },
    body: schemas.ProofBody,
    perform: (act, { body, ...visit }) =>
      renewRecoveryCodes(ctx, act, visit.who, proofOf(body.password, visit)),
    audit: ({ who }) => ({ what: 'account.recovery_codes.renewed', about: who.userId }),
    toResponse: codes => ok({ recovery_codes: codes }),
  })
}

function addSessionRoutes(app: FastifyInstance, ctx: Context): void {
  addPersonRead(app, ctx, {
    url: '/account/sessions',
    docs: {
      operationId: 'consoleListSessions',
      summary: 'List one’s own sessions',
      description: 'Those that are open, the one used last first.',
      data: Type.Array(schemas.SessionRowView),
    },
    answer: async ({ who }) => ok((await listSessions(ctx, who)).map(sessionView)),
  })
  addPersonWrite(app, ctx, {
    method: 'DELETE',
    url: '/account/sessions/:session_id',
    docs: {
      operationId: 'consoleEndSession',
      summary: 'End a session',
      description: 'One of one’s own.',
    },
    params: schemas.SessionParams,
    perform: (act, { who, params }) => endOwnSession(ctx, act, who, params.session_id),
    audit: ({ params }) => ({ what: 'session.ended', about: params.session_id }),
    toResponse: () => ok(),
  })
  addPersonWrite(app, ctx, {
    method: 'POST',
    url: '/account/sessions/end-others',
    docs: {
      operationId: 'consoleEndOtherSessions',
      summary: 'End all other sessions',
      description: 'All of one’s own but the one that asks.',
      data: schemas.EndedView,
    },
    perform: (act, { who }) => endOtherSessions(ctx, act, who),
    audit: ({ who }, ended) => ({ what: 'sessions.ended', about: who.userId, after: { ended } }),
    toResponse: ended => ok({ ended }),
  })
}

function proofOf(password: string | undefined, { origin }: PersonVisit): Proof {
  return { password, ip: origin.ip }
}

function view(account: Account): schemas.AccountAnswer {
  return {
    email: account.email,
    name: account.name,
    is_operator: account.isOperator,
    has_password: account.hasPassword,
    has_totp: account.hasTotp,
    recovery_codes_left: account.recoveryCodesLeft,
  }
}

function sessionView(session: OpenSession): schemas.SessionRowAnswer {
  return {
    id: session.id,
    is_this: session.isThis,
    started_at: session.createdAt.toISOString(),
    last_seen_at: session.lastSeenAt.toISOString(),
    ends_at: session.endsAt.toISOString(),
    ip: session.ip,
    agent: session.agent,
  }
}
