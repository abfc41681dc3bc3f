import type { FastifyInstance } from 'fastify'
import type { Context } from '../../platform/context.ts'
import { KEEPERS } from '../console.rules.ts'
import { addList } from '../lists/list.routes.ts'
import { auditList } from './audit.list.ts'

export function auditRoutes(app: FastifyInstance, ctx: Context): void {
  addList(app, ctx, { url: '/audit', list: auditList, roles: KEEPERS })
}
