import type { FastifyInstance } from 'fastify'
import { ok } from '../../http/envelope.ts'
import type { Ground } from '../../platform/context.ts'
import type { Who } from '../console.rules.ts'
import { sessionCookie } from './cookies.ts'
import type { OpenVisit } from './roles.routes.ts'
import { addOpenRead, addOpenWrite, addPersonWrite } from './access.routes.ts'
import { acceptInvitation, readInvitation, type InvitationFile } from '../team/invitations.service.ts'
import * as schemas from './session.schemas.ts'
import { listDemoPeople, listOwnInstitutes, signOut, type NewSession } from './sessions.service.ts'
import { signIn, type Door } from './sign-in.service.ts'
import { mailPasswordLink } from './users.service.ts'

export function sessionRoutes(app: FastifyInstance, ground: Ground): void {
  addOpenRead(app, ground, {
    url: '/session',
    docs: {
      operationId: 'consoleGetSession',
      summary: 'Read the session',
      description: 'Who is signed in, where they may go, and the token that their writes need.',
      data: schemas.SessionView,
    },
    answer: async ({ who }) => ok(await describeSession(ground, who)),
  })
  addOpenWrite(app, ground, {
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
        ground,
        { email: body.email, password: body.password, code: body.code },
        doorOf(visit),
      )
      if (result.kind === 'signed_in') giveCookie(ground, visit, result.session)
      return result.kind
    },
    toResponse: state => ok({ state }),
  })
  addPersonWrite(app, ground, {
    method: 'DELETE',
    url: '/session',
    docs: {
      operationId: 'consoleSignOut',
      summary: 'Sign out',
      description: 'Ends this session.',
    },
    async perform(act, { who, reply }) {
      await signOut(ground, act, who)
      reply.header('set-cookie', sessionCookie(ground, null))
      return null
    },
    audit: ({ who }) => ({ what: 'session.ended', about: who.sessionId }),
    toResponse: () => ok(),
  })
  addLinkRoutes(app, ground)
}

/** Links that came by mail. They stand in bodies, so that no log of addresses keeps them. */
function addLinkRoutes(app: FastifyInstance, ground: Ground): void {
  addOpenWrite(app, ground, {
    method: 'POST',
    url: '/session/forgot',
    docs: {
      operationId: 'consoleForgotPassword',
      summary: 'Ask for a new password',
      description: 'Mails a link to the address if somebody has it; the answer does not say whether.',
    },
    body: schemas.ForgotBody,
    async perform(_act, { body, origin }) {
      await mailPasswordLink(ground, { email: body.email, ip: origin.ip })
      return null
    },
    toResponse: () => ok(),
  })
  addOpenWrite(app, ground, {
    method: 'POST',
    url: '/invitations/look',
    docs: {
      operationId: 'consoleLookAtInvitation',
      summary: 'Look at an invitation',
      description: 'What a link that came by mail is for.',
      data: schemas.InvitationView,
    },
    body: schemas.InvitationBody,
    perform: (_act, { body }) => readInvitation(ground, body.token),
    toResponse: (file: InvitationFile) => ok(invitationView(file)),
  })
  addOpenWrite(app, ground, {
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
      const result = await acceptInvitation(ground, sent, doorOf(visit))
      if (result.kind === 'signed_in') giveCookie(ground, visit, result.session)
      return result.kind
    },
    toResponse: state => ok({ state }),
  })
}

export function doorOf({ origin, who }: OpenVisit): Door {
  return { origin, replaced: who }
}

export function giveCookie(ground: Ground, { reply }: OpenVisit, session: NewSession): void {
  reply.header('set-cookie', sessionCookie(ground, session.secret))
}

async function describeSession(ground: Ground, who: Who | null): Promise<schemas.SessionAnswer> {
  const everybody = {
    mode: ground.mode,
    now: ground.clock.now().toISOString(),
    signed_in: who !== null,
    demo_people: (await listDemoPeople(ground)).map(({ email, name }) => ({ email, name })),
  }
  if (who === null) return everybody
  return {
    ...everybody,
    csrf: who.csrf,
    person: { id: who.userId, email: who.email, name: who.name, is_operator: who.isOperator },
    institutes: await listOwnInstitutes(ground, who),
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
