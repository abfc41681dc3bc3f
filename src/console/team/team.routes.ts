import type { FastifyInstance } from 'fastify'
import { created, ok } from '../../http/envelope.ts'
import type { Context } from '../../platform/context.ts'
import { EVERYONE, KEEPERS } from '../console.rules.ts'
import { addConsoleRead, addConsoleWrite } from '../auth/access.routes.ts'
import * as schemas from './team.schemas.ts'
import {
  changeRole,
  invite,
  readTeam,
  removeMember,
  withdrawInvitation,
  type Invitation,
  type Member,
} from './team.service.ts'

export function teamRoutes(app: FastifyInstance, ctx: Context): void {
  addConsoleRead(app, ctx, {
    url: '/team',
    roles: EVERYONE,
    docs: {
      operationId: 'consoleGetTeam',
      summary: 'Read the team',
      description: 'Everybody who works in this institute, and who has been invited.',
      data: schemas.TeamView,
    },
    async answer({ institute }) {
      const { members, invitations } = await readTeam(ctx, institute)
      return ok({ members: members.map(memberView), invitations: invitations.flatMap(invitationView) })
    },
  })
  addInvitationRoutes(app, ctx)
  addConsoleWrite(app, ctx, {
    method: 'PATCH',
    url: '/team/members/:user_id',
    roles: KEEPERS,
    docs: {
      operationId: 'consoleChangeRole',
      summary: 'Change a role',
      description: 'Holds from the next request of the person on. The last owner stays one.',
    },
    params: schemas.MemberParams,
    body: schemas.ChangeRoleBody,
    perform: (act, { institute, params, body }) =>
      changeRole(ctx, act, institute, { userId: params.user_id, role: body.role }),
    audit: ({ body }, { userId, email, before, after }) => ({
      what: 'team.role.changed',
      about: userId,
      why: body.reason,
      before: { email, role: before },
      after: { email, role: after },
    }),
    toResponse: () => ok(),
  })
  addConsoleWrite(app, ctx, {
    method: 'DELETE',
    url: '/team/members/:user_id',
    roles: KEEPERS,
    docs: {
      operationId: 'consoleRemoveMember',
      summary: 'Remove a member',
      description: 'The person keeps their account and loses this institute, at once.',
    },
    params: schemas.MemberParams,
    body: schemas.RemoveBody,
    perform: (act, { institute, params }) => removeMember(ctx, act, institute, params.user_id),
    audit: ({ body }, { userId, email, before }) => ({
      what: 'team.member.removed',
      about: userId,
      why: body.reason,
      before: { email, role: before },
    }),
    toResponse: () => ok(),
  })
}

function addInvitationRoutes(app: FastifyInstance, ctx: Context): void {
  addConsoleWrite(app, ctx, {
    method: 'POST',
    url: '/team/invitations',
    roles: KEEPERS,
    docs: {
      operationId: 'consoleInvite',
      summary: 'Invite somebody',
      description: 'Mails a link that works for a week. An earlier one to the same address works no more.',
      data: schemas.InvitedView,
      creates: true,
    },
    body: schemas.InviteBody,
    perform: (act, { institute, who, body }) =>
      invite(ctx, act, { institute, who }, { email: body.email, role: body.role }),
    audit: (_call, { id, email, role }) => ({ what: 'team.invited', about: id, after: { email, role } }),
    toResponse: ({ id, email, role, expiresAt }) =>
      created({ id, email, role, expires_at: expiresAt.toISOString() }),
  })
  addConsoleWrite(app, ctx, {
    method: 'DELETE',
    url: '/team/invitations/:invitation_id',
    roles: KEEPERS,
    docs: {
      operationId: 'consoleWithdrawInvitation',
      summary: 'Withdraw an invitation',
      description: 'Its link works no more.',
    },
    params: schemas.InvitationParams,
    perform: (act, { institute, params }) => withdrawInvitation(ctx, act, institute, params.invitation_id),
    audit: ({ params }, before) => ({
      what: 'team.invitation.withdrawn',
      about: params.invitation_id,
      before,
    }),
    toResponse: () => ok(),
  })
}

function memberView(member: Member): schemas.TeamAnswer['members'][number] {
  return {
    user_id: member.userId,
    email: member.email,
    name: member.name,
    role: member.role,
    joined_at: member.joinedAt.toISOString(),
    ...(member.lastSeenAt === null ? {} : { last_seen_at: member.lastSeenAt.toISOString() }),
    has_totp: member.hasTotp,
    is_disabled: member.isDisabled,
  }
}

function invitationView(invitation: Invitation): schemas.TeamAnswer['invitations'] {
  const { id, email, role, invitedBy, createdAt, expiresAt } = invitation
  if (role === null) return []
  return [
    {
      id,
      email,
      role,
      invited_by: invitedBy,
      sent_at: createdAt.toISOString(),
      expires_at: expiresAt.toISOString(),
    },
  ]
}
