import type { FastifyInstance } from 'fastify'
import type { Context } from '../../platform/context.ts'
import { addConsoleRead, addConsoleWrite } from '../auth/access.routes.ts'
import {
  requireFactorAt,
  type RequirementChange,
  requirementNote,
} from '../auth/second-factor/second-factor.service.ts'
import { created, one } from '../../http/reply.ts'
import { EVERYONE, KEEPERS } from '../console.rules.ts'
import {
  invitationInput,
  invitationParams,
  memberParams,
  reasonInput,
  requirementInput,
  roleInput,
  invitedOutput,
  teamOutput,
} from './team.schemas.ts'
import { changeRole, invite, readTeam, removeMember, withdrawInvitation } from './team.service.ts'

/** Everybody who works in an institute, and who has been invited. */
export function teamRoutes(app: FastifyInstance, ctx: Context): void {
  addConsoleRead(app, ctx, {
    url: '/team',
    roles: EVERYONE,
    output: one(teamOutput),
    answer: ({ institute }) => readTeam(ctx, institute),
  })
  addConsoleWrite(app, ctx, {
    method: 'PATCH',
    url: '/team/members/:user_id',
    roles: KEEPERS,
    params: memberParams,
    body: roleInput,
    perform: (command, { institute, params, body }) =>
      changeRole(ctx, command, institute, { ...params, role: body.role }),
    audit: ({ body }, { userId, email, before, after }) => ({
      what: 'team.role.changed',
      about: userId,
      why: body.reason,
      before: { email, role: before },
      after: { email, role: after },
    }),
  })
  addConsoleWrite(app, ctx, {
    method: 'DELETE',
    url: '/team/members/:user_id',
    roles: KEEPERS,
    params: memberParams,
    body: reasonInput,
    perform: (command, { institute, params }) => removeMember(ctx, command, institute, params.userId),
    audit: ({ body }, { userId, email, before }) => ({
      what: 'team.member.removed',
      about: userId,
      why: body.reason,
      before: { email, role: before },
    }),
  })
  addConsoleWrite(app, ctx, {
    method: 'PUT',
    url: '/team/second-factor',
    roles: KEEPERS,
    body: requirementInput,
    perform: (command, { institute, body }) => requireFactorAt(ctx, command, institute, body.required),
    audit: ({ institute, body }, change: RequirementChange) => ({
      ...requirementNote(institute.code, change),
      why: body.reason,
    }),
  })
  addConsoleWrite(app, ctx, {
    method: 'POST',
    url: '/team/invitations',
    roles: KEEPERS,
    body: invitationInput,
    output: created(invitedOutput),
    perform: (command, { institute, who, body }) => invite(ctx, command, { institute, who }, body),
    audit: (_call, { id, email, role }) => ({ what: 'team.invited', about: id, after: { email, role } }),
  })
  addConsoleWrite(app, ctx, {
    method: 'DELETE',
    url: '/team/invitations/:invitation_id',
    roles: KEEPERS,
    params: invitationParams,
    perform: (command, { institute, params }) =>
      withdrawInvitation(ctx, command, institute, params.invitationId),
    audit: ({ params }, before) => ({
      what: 'team.invitation.withdrawn',
      about: params.invitationId,
      before,
    }),
  })
}
