import type { FastifyInstance } from 'fastify'
import type { Reply } from '../../http/reply.ts'
import { field, query, type Input, type Read } from '../../http/wire/input.ts'
import type { Context } from '../../platform/context.ts'
import { addConsoleRead, type InstituteVisit } from '../auth/access.routes.ts'
import { EVERYONE } from '../console.rules.ts'
import { addConsoleFile } from '../files.routes.ts'
import { exportReport, type ExportFor, type Report } from './export.service.ts'
import { FORMATS, MEDIA_TYPES, type Format } from './reports.rules.ts'

type ReportRequest<Query> = { query: Read<Query> } & InstituteVisit

type ReportEndpoint<Query, Result, Row extends object> = {
  url: string
  /** What page and file are asked with. */
  query: Query
  output: Reply<Result>
  answer(call: ReportRequest<Query>): Promise<Result>
  report(call: ReportRequest<Query>): Report<Row> | Promise<Report<Row>>
}

export const formatField = field.oneOf(FORMATS, 'The kind of file.')

/** Sums on the screen, and below `/export` the same as a file. */
export function addReport<Query extends Input<unknown>, Result, Row extends object>(
  app: FastifyInstance,
  ctx: Context,
  endpoint: ReportEndpoint<Query, Result, Row>,
): void {
  const { url, output } = endpoint
  addConsoleRead(app, ctx, {
    url,
    roles: EVERYONE,
    query: endpoint.query,
    output,
    answer: call => endpoint.answer(call),
  })
  addConsoleFile(app, ctx, {
    url: `${url}/export`,
    roles: EVERYONE,
    query: query({ ...endpoint.query.fields, format: formatField }),
    mediaType: MEDIA_TYPES.csv,
    async answer(call) {
      const report = await endpoint.report(call as unknown as ReportRequest<Query>)
      return exportReport(ctx, report, (call.query as { format: Format }).format, exportFor(call))
    },
  })
}

/** Who takes a list out of the process, and which: the filters stand in the log as they were sent. */
export function exportFor({ request, institute, who, origin }: InstituteVisit): ExportFor {
  const { format: _format, ...filters } = request.query as Record<string, unknown>
  return { instituteId: institute.id, actor: { who, origin }, filters }
}
