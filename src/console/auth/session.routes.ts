import type { FastifyInstance } from 'fastify'
import { ok } from '../../http/envelope.ts'
import type { Context } from '../../platform/context.ts'
import type { Who } from '../console.rules.ts'
import { sessionCookie } from './cookies.ts'
import type { OpenVisit } from './roles.routes.ts'
import { addOpenRead, addOpenWrite, addPersonWrite } from './access.routes.ts'
import { acceptInvitation, readInvitation, type InvitationFile } from '../team/invitations.service.ts'
import * as schemas from './session.schemas.ts'
import { listDemoPeople, listOwnInstitutes, signOut, type NewSession } from './sessions.service.ts'
import { signIn, type SignInRequest } from './sign-in.service.ts'
import { mailPasswordLink } from './users.service.ts'

export function sessionRoutes(app: FastifyInstance, ctx: Context): void {
  addOpenRead(app, ctx, {
    url: '/session',
    docs: {
      operationId: 'consoleGetSession',
      summary: 'Read the session',
      description: 'Who is signed in, where they may go, and the token that their writes need.',
      data: schemas.SessionView,
    },
    answer: async ({ who }) => ok(await describeSession(ctx, who)),
  })
  addOpenWrite(app, ctx, {
    method: 'POST',
    url: '/session',
    docs: {
      operationId: 'consoleSignIn',
      summary: 'Sign in',
      description:
        'Sets the session cookie. A person who uses an authenticator app is asked for a code: send everything again with it. ' +
        'After five failures in a row the address has to wait, each time longer.',
      data: schemas.SignInView,
    },
    body: schemas.SignInBody,
    async perform(_act, { body, ...visit }) {
      const result = await signIn(
        ctx,
        { email: body.email, password: body.password, code: body.code },
        signInRequestOf(visit),
      )
      if (result.kind === 'signed_in') giveCookie(ctx, visit, result.session)
      return result.kind
    },
    toResponse: state => ok({ state }),
  })
  addPersonWrite(app, ctx, {
    method: 'DELETE',
    url: '/session',
    docs: {
      operationId: 'consoleSignOut',
      summary: 'Sign out',
      description: 'Ends this session.',
    },
    async perform(act, { who, reply }) {
      await signOut(ctx, act, who)
      reply.header('set-cookie', sessionCookie(ctx, null))
      return null
    },
    audit: ({ who }) => ({ what: 'session.ended', about: who.sessionId }),
    toResponse: () => ok(),
  })
  addLinkRoutes(app, ctx)
}

/** Links that came by mail. They stand in bodies, so that no log of addresses keeps them. */
function addLinkRoutes(app: FastifyInstance, ctx: Context): void {
  addOpenWrite(app, ctx, {
    method: 'POST',
    url: '/session/forgot',
    docs: {
      operationId: 'consoleForgotPassword',
      summary: 'Ask for a new password',
      description: 'Mails a link to the address if somebody has it; the answer does not say whether.',
    },
    body: schemas.ForgotBody,
    async perform(_act, { body, origin }) {
      await mailPasswordLink(ctx, { email: body.email, ip: origin.ip })
      return null
    },
    toResponse: () => ok(),
  })
  addOpenWrite(app, ctx, {
    method: 'POST',
    url: '/invitations/look',
    docs: {
      operationId: 'consoleLookAtInvitation',
      summary: 'Look at an invitation',
      description: 'What a link that came by mail is for.',
      data: schemas.InvitationView,
    },
    body: schemas.InvitationBody,
    perform: (_act, { body }) => readInvitation(ctx, body.token),
    toResponse: (file: InvitationFile) => ok(invitationView(file)),
  })
  addOpenWrite(app, ctx, {
    method: 'POST',
    url: '/invitations/accept',
    docs: {
      operationId: 'consoleAcceptInvitation',
      summary: 'Accept an invitation',
      description: 'Joins the institute, and chooses name and password where there are none yet.',
      data: schemas.AcceptView,
    },
    body: schemas.AcceptBody,
    async perform(_act, { body, ...visit }) {
      const sent = { token: body.token, name: body.name, password: body.password }
      const result = await acceptInvitation(ctx, sent, signInRequestOf(visit))
      if (result.kind === 'signed_in') giveCookie(ctx, visit, result.session)
      return result.kind
    },
    toResponse: state => ok({ state }),
  })
}

export function signInRequestOf({ origin, who }: OpenVisit): SignInRequest {
  return { origin, replaced: who }
}

export function giveCookie(ctx: Context, { reply }: OpenVisit, session: NewSession): void {
  reply.header('set-cookie', sessionCookie(ctx, session.secret))
}

async function describeSession(ctx: Context, who: Who | null): Promise<schemas.SessionAnswer> {
  const everybody = {
    mode: ctx.mode,
    now: ctx.clock.now().toISOString(),
    signed_in: who !== null,
    demo_people: (await listDemoPeople(ctx)).map(({ email, name }) => ({ email, name })),
  }
  if (who === null) return everybody
  return {
    ...everybody,
    csrf: who.csrf,
    person: { id: who.userId, email: who.email, name: who.name, is_operator: who.isOperator },
    institutes: await listOwnInstitutes(ctx, who),
  }
}

function invitationView({ invitation, user, choosesPassword }: InvitationFile): schemas.InvitationAnswer {
  return {
    email: invitation.email,
    ...(invitation.instituteName === null ? {} : { institute: invitation.instituteName }),
    ...(invitation.role === null ? {} : { role: invitation.role }),
    invited_by: invitation.invitedBy,
    expires_at: invitation.expiresAt.toISOString(),
    chooses_password: choosesPassword,
    chooses_name: user === null,
  }
}
