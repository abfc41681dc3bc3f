import type { FastifyInstance } from 'fastify'
import { one } from '../../http/reply.ts'
import type { Context } from '../../platform/context.ts'
import { addOperatorRead, addOperatorWrite } from '../auth/access.routes.ts'
import {
  isRequiredOfAll,
  type RequirementChange,
  requirementNote,
  requireOfAll,
} from '../auth/second-factor/second-factor.service.ts'
import { requirementInput } from '../team/team.input.ts'
import { signInRulesOutput } from './sign-in.output.ts'

/** How everybody signs in to the console, whatever their school asks for. */
export function operatorSignInRoutes(app: FastifyInstance, ctx: Context): void {
  addOperatorRead(app, ctx, {
    url: '/sign-in',
    output: one(signInRulesOutput),
    answer: () => isRequiredOfAll(ctx),
  })
  addOperatorWrite(app, ctx, {
    method: 'PUT',
    url: '/sign-in',
    body: requirementInput,
    perform: (command, { body }) => requireOfAll(ctx, command, body.required),
    audit: ({ body }, change: RequirementChange) => ({
      ...requirementNote('installation', change),
      why: body.reason,
    }),
  })
}
