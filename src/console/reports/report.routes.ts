import type { FastifyInstance } from 'fastify'
import { field, query, type Input, type Read } from '../../http/wire/input.ts'
import type { Context } from '../../platform/context.ts'
import { addConsoleRead } from '../auth/access.routes.ts'
import type { Reply } from '../../http/reply.ts'
import type { InstituteVisit } from '../auth/roles.routes.ts'
import { EVERYONE } from '../console.rules.ts'
import { addConsoleFile } from '../files.routes.ts'
import { exportReport, type ExportFor, type Report } from './export.service.ts'
import { FORMATS, MEDIA_TYPES } from './reports.rules.ts'

type Asked<Given, Params = unknown> = { query: Read<Given>; params: Read<Params> } & InstituteVisit

type ReportEndpoint<Query, Filters, Result, Row extends object, Params> = {
  url: string
  /** Of the file; below `url` when absent. */
  exportUrl?: string
  params?: Params
  /** Of the page. */
  query: Query
  /** Of the file, beside its format. */
  filters: Filters
  output: Reply<Result>
  answer(call: Asked<Query, Params>): Promise<Result>
  report(call: Asked<Filters, Params>): Report<Row> | Promise<Report<Row>>
}

const format = field.oneOf(FORMATS, 'The kind of file.')

/** A report on the screen, and below `/export` the same as a file. */
export function addReport<
  Query extends Input<unknown>,
  Filters extends Input<unknown>,
  Result,
  Row extends object,
  Params extends Input<unknown> = Input<unknown>,
>(app: FastifyInstance, ctx: Context, endpoint: ReportEndpoint<Query, Filters, Result, Row, Params>): void {
  const { url, output, exportUrl = `${url}/export` } = endpoint
  const params = endpoint.params === undefined ? {} : { params: endpoint.params }
  addConsoleRead(app, ctx, {
    url,
    roles: EVERYONE,
    ...params,
    query: endpoint.query,
    output,
    answer: call => endpoint.answer(call as unknown as Asked<Query, Params>),
  })
  addConsoleFile(app, ctx, {
    url: exportUrl,
    roles: EVERYONE,
    ...params,
    query: query({ ...endpoint.filters.fields, format }),
    mediaType: MEDIA_TYPES.csv,
    async answer(call) {
      const asked = await endpoint.report(call as unknown as Asked<Filters, Params>)
      return exportReport(
        ctx,
        asked,
        (call.query as { format: (typeof FORMATS)[number] }).format,
        exportFor(call),
      )
    },
  })
}

/** Who takes a list out of the process, and which: the filters stand in the log as they were sent. */
function exportFor({ request, institute, who, origin }: InstituteVisit): ExportFor {
  const { format: _format, ...filters } = request.query as Record<string, unknown>
  return { instituteId: institute.id, actor: { who, origin }, filters }
}
