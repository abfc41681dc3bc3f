import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { page } from '../../http/envelope.ts'
import type { Context } from '../../platform/context.ts'
import { AuditQuery, AuditView, type AuditAnswer } from './audit.schemas.ts'
import { listAudit, type AuditRow } from './audit.service.ts'
import { KEEPERS } from '../console.rules.ts'
import { addConsoleRead } from '../auth/access.routes.ts'

export function auditRoutes(app: FastifyInstance, ctx: Context): void {
  addConsoleRead(app, ctx, {
    url: '/audit',
    roles: KEEPERS,
    docs: {
      operationId: 'consoleListAudit',
      summary: 'Read the audit log',
      description: 'What people did in this institute, the newest first. Nothing in it can be changed.',
      data: Type.Array(AuditView),
      isList: true,
    },
    query: AuditQuery,
    async answer({ institute, query }) {
      const filter = {
        actorId: query.who,
        what: query.what,
        about: query.about,
        from: query.from,
        before: query.to,
      }
      const range = { cursor: query.cursor, limit: query.limit ?? 50 }
      const { rows, nextCursor } = await listAudit(ctx, institute.id, filter, range)
      return page(rows.map(auditView), nextCursor)
    },
  })
}

export function auditView(row: AuditRow): AuditAnswer {
  return {
    id: row.id,
    at: row.at.toISOString(),
    actor: {
      kind: row.actorKind,
      ...(row.actorId === null ? {} : { id: row.actorId }),
      name: row.actorName,
    },
    what: row.what,
    about: row.about,
    ...(row.why === null ? {} : { why: row.why }),
    ...(row.before === null ? {} : { before: row.before }),
    ...(row.after === null ? {} : { after: row.after }),
    ...(row.requestId === null ? {} : { request_id: row.requestId }),
    ...(row.ip === null ? {} : { ip: row.ip }),
  }
}
