import type { FastifyInstance } from 'fastify'
import type { Context } from '../../platform/context.ts'
import { addConsoleRead } from '../auth/access.routes.ts'
import { one } from '../../http/reply.ts'
import { EVERYONE } from '../console.rules.ts'
import { homeOutput } from './home.output.ts'
import { readHome } from './home.service.ts'

export function homeRoutes(app: FastifyInstance, ctx: Context): void {
  addConsoleRead(app, ctx, {
    url: '/home',
    roles: EVERYONE,
    output: one(homeOutput),
    answer: ({ institute }) => readHome(ctx, institute),
  })
}
