import type { FastifyInstance } from 'fastify'
import { addOpenWrite } from '../console/auth/access.routes.ts'
import { signInRequestOf, giveCookie } from '../console/auth/session.routes.ts'
import { signInAsDemo } from '../console/auth/sign-in.service.ts'
import { ok } from '../http/envelope.ts'
import { field, input } from '../http/wire/input.ts'
import type { Context } from '../platform/context.ts'

const demoInput = input({ email: field.email('One of `demo_people`.', 'bursar@demo-school.example') })

/** The door that only a sandbox has: one click, no password. */
export function demoSignInRoutes(app: FastifyInstance, ctx: Context): void {
  addOpenWrite(app, ctx, {
    method: 'POST',
    url: '/session/demo',
    docs: {
      operationId: 'consoleSignInAsDemo',
      summary: 'Sign in as a demo person',
      description: 'Without a password. Sandbox only.',
    },
    body: demoInput,
    async perform(_command, { body, ...visit }) {
      giveCookie(ctx, visit, await signInAsDemo(ctx, body.email, signInRequestOf(visit)))
      return null
    },
    toResponse: () => ok(),
  })
}
