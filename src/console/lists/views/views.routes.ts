import type { FastifyInstance } from 'fastify'
import { all, created, one } from '../../../http/reply.ts'
import type { Context } from '../../../platform/context.ts'
import { addConsoleRead, addConsoleWrite } from '../../auth/access.routes.ts'
import type { InstituteVisit } from '../../auth/roles.routes.ts'
import { EVERYONE } from '../../console.rules.ts'
import { viewInput, viewParams, viewsQuery, viewOutput } from './view.schemas.ts'
import * as service from './views.service.ts'

const ownerOf = ({ institute, who }: InstituteVisit): service.Owner => ({
  instituteId: institute.id,
  userId: who.userId,
})

/** Filters that a person gave a name to. Nothing of them is anybody else's, so no log is told. */
export function viewRoutes(app: FastifyInstance, ctx: Context): void {
  addConsoleRead(app, ctx, {
    url: '/views',
    roles: EVERYONE,
    query: viewsQuery,
    output: all(viewOutput),
    answer: call => service.listViews(ctx, ownerOf(call), call.query.list),
  })
  addConsoleWrite(app, ctx, {
    method: 'POST',
    url: '/views',
    roles: EVERYONE,
    body: viewInput,
    output: created(viewOutput),
    perform: (command, call) => service.saveView(ctx, command, ownerOf(call), call.body),
    audit: () => null,
  })
  addConsoleWrite(app, ctx, {
    method: 'DELETE',
    url: '/views/:view_id',
    roles: EVERYONE,
    params: viewParams,
    output: one(viewOutput),
    perform: (command, call) => service.removeView(ctx, command, ownerOf(call), call.params.viewId),
    audit: () => null,
  })
}
