import type { FastifyInstance } from 'fastify'
import type { LoanContext } from '../../loans/context.ts'
import { operatorHealthRoutes, type Watched } from './health.routes.ts'
import { operatorHolidayRoutes } from './holidays.routes.ts'
import { operatorInstituteRoutes } from './institutes.routes.ts'
import { operatorJobRoutes } from './jobs.routes.ts'
import { outputOf, type Shown } from '../../http/wire/output.ts'
import { one } from '../../http/reply.ts'
import type { Context } from '../../platform/context.ts'
import { addOperatorRead, addOperatorWrite } from '../auth/access.routes.ts'
import {
  isRequiredOfAll,
  requireOfAll,
  requirementNote,
  type RequirementChange,
} from '../auth/second-factor/second-factor.service.ts'
import { requirementInput } from '../team/team.input.ts'

/** The installation and every institute on it, for the person who looks after them. */
export function operatorRoutes(app: FastifyInstance, ctx: LoanContext, watched: Watched): void {
  operatorInstituteRoutes(app, ctx)
  operatorHolidayRoutes(app, ctx)
  operatorSignInRoutes(app, ctx)
  operatorJobRoutes(app, ctx, watched.installation.jobs)
  operatorHealthRoutes(app, ctx, watched)
}

const out = outputOf<boolean>()
const signInRulesOutput = out.object({
  second_factor_required: out.flag(
    'Whether everybody needs a second factor.',
    false,
    isRequired => isRequired,
  ),
})
export type SignInRulesAnswer = Shown<typeof signInRulesOutput>

/** How everybody signs in to the console, whatever their school asks for. */
function operatorSignInRoutes(app: FastifyInstance, ctx: Context): void {
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
