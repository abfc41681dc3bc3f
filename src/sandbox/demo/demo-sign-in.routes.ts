import type { FastifyInstance } from 'fastify'
import { addOpenWrite } from '../../console/auth/access.routes.ts'
import { emailInput } from '../../console/auth/session.schemas.ts'
import { giveCookie, signInRequestOf } from '../../console/auth/session.routes.ts'
import { signInAsDemo } from '../../console/auth/sign-in.service.ts'
import type { Context } from '../../platform/context.ts'

/** Exists in a sandbox only: one click, no password. */
export function demoSignInRoutes(app: FastifyInstance, ctx: Context): void {
  addOpenWrite(app, ctx, {
    method: 'POST',
    url: '/session/demo',
    body: emailInput,
    async perform(_command, { body, ...visit }) {
      giveCookie(ctx, visit, await signInAsDemo(ctx, body.email, signInRequestOf(ctx, visit)))
    },
  })
}
