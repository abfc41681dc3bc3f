import type { FastifyInstance } from 'fastify'
import { addOperatorRead } from '../console/auth/access.routes.ts'
import { all } from '../http/reply.ts'
import type { Context } from '../platform/context.ts'
import { cellOutput } from './cells.output.ts'
import { lookAtCells, type CellStatus } from './status.service.ts'

/** What `bursar cells status` says, in the cell that keeps the directory; nothing in any other. */
export function cellRoutes(app: FastifyInstance, ctx: Context): void {
  let underWay: Promise<CellStatus[]> | null = null
  addOperatorRead(app, ctx, {
    url: '/cells',
    output: all(cellOutput),
    // It asks other databases, so requests at the same time share one look.
    async answer() {
      underWay ??= lookAtCells(ctx).finally(() => (underWay = null))
      return underWay
    },
  })
}
