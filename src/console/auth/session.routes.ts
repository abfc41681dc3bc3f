import type { FastifyInstance } from 'fastify'
import type { Context } from '../../platform/context.ts'
import { acceptInvitation, readInvitation } from '../team/invitations.service.ts'
import { LIMITS } from '../../platform/rate-limits.rules.ts'
import { VisitorLimit } from '../../http/limits/rate-limits.ts'
import { addOpenRead, addOpenWrite, addSetupWrite, type OpenVisit } from './access.routes.ts'
import {
  deviceCookie,
  readDeviceCookie,
  sessionCookie,
  readSession,
  signOut,
  type NewSession,
} from './sessions.service.ts'
import { isKnownDevice, type MailRequest, mailUnlockCode } from './limits/tries.service.ts'
import { one } from '../../http/reply.ts'
import {
  acceptedOutput,
  acceptInput,
  emailInput,
  invitationOutput,
  passkeyAloneInput,
  passkeyOptionsOutput,
  sessionOutput,
  signedInOutput,
  signInInput,
  tokenInput,
} from './session.schemas.ts'
import { offerSignIn } from './second-factor/second-factor.service.ts'
import { signIn, signInByPasskey, type SignInRequest } from './sign-in.service.ts'
import { mailPasswordLink } from './users.service.ts'

export function sessionRoutes(app: FastifyInstance, ctx: Context): void {
  addOpenRead(app, ctx, {
    url: '/session',
    output: one(sessionOutput),
    answer: ({ who }) => readSession(ctx, who),
  })
  // Who uses an authenticator app is asked for a code and sends everything again with it.
  addOpenWrite(app, ctx, {
    method: 'POST',
    url: '/session',
    body: signInInput,
    output: one(signedInOutput),
    async perform(_command, { body, ...visit }) {
      const result = await signIn(ctx, body, signInRequestOf(ctx, visit))
      if (result.kind === 'signed_in') giveCookie(ctx, visit, result.session)
      return result
    },
  })
  addPasskeyRoutes(app, ctx)
  addSetupWrite(app, ctx, {
    method: 'DELETE',
    url: '/session',
    async perform(command, { who, reply }) {
      await signOut(ctx, command, who)
      reply.header('set-cookie', sessionCookie(ctx, null))
      return null
    },
    audit: ({ who }) => ({ what: 'session.ended', about: who.sessionId }),
  })
  addLinkRoutes(app, ctx)
}

/** A passkey in the place of address and password. */
function addPasskeyRoutes(app: FastifyInstance, ctx: Context): void {
  const limit = new VisitorLimit(LIMITS.staffPasskeys)
  addOpenWrite(app, ctx, {
    method: 'POST',
    url: '/session/passkey/options',
    output: one(passkeyOptionsOutput),
    async perform(_command, visit) {
      const { device, origin } = signInRequestOf(ctx, visit)
      if (!(await isKnownDevice(ctx, device))) limit.admit(origin.ip, performance.now())
      return offerSignIn(ctx)
    },
  })
  addOpenWrite(app, ctx, {
    method: 'POST',
    url: '/session/passkey',
    body: passkeyAloneInput,
    async perform(_command, { body, ...visit }) {
      giveCookie(ctx, visit, await signInByPasskey(ctx, body.passkey, signInRequestOf(ctx, visit)))
      return null
    },
  })
}

/** Links that came by mail. They stand in bodies, so that no log of addresses keeps them. */
function addLinkRoutes(app: FastifyInstance, ctx: Context): void {
  addOpenWrite(app, ctx, {
    method: 'POST',
    url: '/session/forgot',
    body: emailInput,
    perform: (_command, { body, ...visit }) => mailPasswordLink(ctx, mailRequestOf(ctx, body, visit)),
  })
  addOpenWrite(app, ctx, {
    method: 'POST',
    url: '/session/unlock',
    body: emailInput,
    perform: (_command, { body, ...visit }) => mailUnlockCode(ctx, mailRequestOf(ctx, body, visit)),
  })
  addOpenWrite(app, ctx, {
    method: 'POST',
    url: '/invitations/look',
    body: tokenInput,
    output: one(invitationOutput),
    perform: (_command, { body }) => readInvitation(ctx, body.token),
  })
  addOpenWrite(app, ctx, {
    method: 'POST',
    url: '/invitations/accept',
    body: acceptInput,
    output: one(acceptedOutput),
    async perform(_command, { body, ...visit }) {
      const result = await acceptInvitation(ctx, body, signInRequestOf(ctx, visit))
      if (result.kind === 'signed_in') giveCookie(ctx, visit, result.session)
      return result
    },
  })
}

export function signInRequestOf(ctx: Context, { origin, who, request }: OpenVisit): SignInRequest {
  return { origin, device: readDeviceCookie(ctx, request.headers.cookie), replaced: who }
}

function mailRequestOf(
  ctx: Context,
  { email }: { email: string },
  { origin, request }: OpenVisit,
): MailRequest {
  return { email, ip: origin.ip, device: readDeviceCookie(ctx, request.headers.cookie) }
}

export function giveCookie(ctx: Context, { reply }: OpenVisit, session: NewSession): void {
  reply.header('set-cookie', [sessionCookie(ctx, session.secret), deviceCookie(ctx, session.device)])
}
