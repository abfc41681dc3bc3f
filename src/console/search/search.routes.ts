import type { FastifyInstance } from 'fastify'
import type { Context } from '../../platform/context.ts'
import { addConsoleRead } from '../auth/access.routes.ts'
import { one } from '../../http/reply.ts'
import { EVERYONE } from '../console.rules.ts'
import { searchQuery } from './search.input.ts'
import { foundOutput } from './search.output.ts'
import { search } from './search.service.ts'

export function searchRoutes(app: FastifyInstance, ctx: Context): void {
  addConsoleRead(app, ctx, {
    url: '/search',
    roles: EVERYONE,
    query: searchQuery,
    output: one(foundOutput, () => ctx.clock.now()),
    answer: ({ institute, role, query }) => search(ctx, { institute, role }, query.q),
  })
}
