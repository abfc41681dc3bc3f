import type { FastifyInstance } from 'fastify'
import { Field, field, optional, query, type Input, type Read } from '../../http/wire/input.ts'
import type { Context } from '../../platform/context.ts'
import { addConsoleRead } from '../auth/access.routes.ts'
import { one, type Reply } from '../../http/reply.ts'
import type { InstituteVisit } from '../auth/roles.routes.ts'
import { EVERYONE, type ConsoleRole } from '../console.rules.ts'
import { addConsoleFile } from '../files.routes.ts'
import { countList, forFile, listAll, listInOrder } from '../lists/lists.service.ts'
import { countOutput, keysOutput } from '../lists/list.output.ts'
import { picked } from '../lists/picked.input.ts'
import { sortNames, type Sorting } from '../../platform/db/sorted-list.ts'
import { badCursor } from '../../platform/db/list.ts'
import { exportReport, type ExportFor, type Report } from './export.service.ts'
import { FORMATS, MEDIA_TYPES, type Format } from './reports.rules.ts'

type ReportRequest<Given, Params = unknown> = { query: Read<Given>; params: Read<Params> } & InstituteVisit

type ReportEndpoint<Query, Filters, Result, Row extends object, Params> = {
  url: string
  /** The file's address; below `url` when absent. */
  exportUrl?: string
  params?: Params
  /** What a page is asked with. */
  query: Query
  /** Who sees a page of it, where that is not everybody; files are for everybody who sees reports. */
  readers?: readonly ConsoleRole[]
  /** What a file is asked with, beside its format. */
  filters: Filters
  output: Reply<Result>
  answer(call: ReportRequest<Query, Params>): Promise<Result>
  report(call: ReportRequest<Filters, Params>): Report<Row> | Promise<Report<Row>>
  /** Set when its columns can be sorted by and its rows are counted; says how a row is shown. */
  list?: Sorting & {
    toRows?: (rows: Row[], call: InstituteVisit) => unknown[] | Promise<unknown[]>
    /** Something is done to all that fit, by their keys. */
    isActedOn?: true
  }
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
  const { list } = endpoint
  addConsoleRead(app, ctx, {
    url,
    roles: endpoint.readers ?? EVERYONE,
    ...params,
    query: list === undefined ? endpoint.query : sortable(endpoint.query, list),
    output,
    async answer(call) {
      const { sort, ...asked } = call.query as { sort?: string; cursor?: string; limit: number }
      if (sort === undefined || list === undefined) {
        if (list !== undefined && asked.cursor !== undefined && !OWN_CURSOR.test(asked.cursor))
          throw badCursor()
        return endpoint.answer({ ...call, query: asked } as unknown as ReportRequest<Query, Params>)
      }
      const { cursor, limit, ...filters } = asked
      const report = await endpoint.report({ ...call, query: filters } as unknown as ReportRequest<
        Filters,
        Params
      >)
      const page = await listInOrder<Row>(ctx, report, list, { sort, cursor, limit })
      const rows = list.toRows === undefined ? page.rows : await list.toRows(page.rows, call)
      return { ...page, rows } as Result
    },
  })
  if (list !== undefined) addCount(app, ctx, endpoint)
  if (list?.isActedOn) addKeys(app, ctx, { ...endpoint, list })
  addConsoleFile(app, ctx, {
    url: exportUrl,
    roles: EVERYONE,
    ...params,
    query: query({
      ...endpoint.filters.fields,
      ...(list === undefined ? {} : { sort: sortField(list), picked }),
      format,
    }),
    mediaType: MEDIA_TYPES.csv,
    async answer(call) {
      const asked = await endpoint.report(call as unknown as ReportRequest<Filters, Params>)
      const sent = call.query as { format: Format; sort?: string; picked?: string }
      const query = list === undefined ? asked.query : forFile(asked.query, list, sent)
      const counted = sent.picked === undefined ? asked.counted : query
      return exportReport(ctx, { ...asked, query, counted }, sent.format, exportFor(call))
    },
  })
}

/** A list in its own order has short cursors; in another one a cursor holds the value of the last row. */
const OWN_CURSOR = /^[A-Za-z0-9_.-]{1,64}$/
const SORTED_CURSOR = { format: 'sorted-cursor', maxLength: 600 }

function sortField(list: Sorting) {
  const description = 'By which column; with a minus the largest first. Its own order if absent.'
  return optional(field.oneOf(sortNames(list), description))
}

function sortable({ fields }: Input<unknown>, list: Sorting): Input<unknown> {
  const { cursor } = fields
  if (cursor === undefined) throw new Error('a list that can be sorted has pages')
  return query({
    ...fields,
    sort: sortField(list),
    cursor: new Field({ ...cursor.schema, ...SORTED_CURSOR }, cursor.options()),
  })
}

/** How many a list holds with its filters. */
function addCount<Filters extends Input<unknown>, Row extends object, Params>(
  app: FastifyInstance,
  ctx: Context,
  endpoint: Pick<ReportEndpoint<unknown, Filters, unknown, Row, Params>, 'url' | 'filters' | 'report'>,
): void {
  addConsoleRead(app, ctx, {
    url: `${endpoint.url}/count`,
    roles: EVERYONE,
    query: endpoint.filters,
    output: one(countOutput),
    async answer(call) {
      const { query: statement, counted } = await endpoint.report(
        call as unknown as ReportRequest<Filters, Params>,
      )
      return countList(ctx, counted ?? statement)
    },
  })
}

/** Which they are, for an act on each of them. */
function addKeys<Filters extends Input<unknown>, Row extends object, Params>(
  app: FastifyInstance,
  ctx: Context,
  endpoint: Pick<ReportEndpoint<unknown, Filters, unknown, Row, Params>, 'url' | 'filters' | 'report'> & {
    list: Sorting
  },
): void {
  addConsoleRead(app, ctx, {
    url: `${endpoint.url}/keys`,
    roles: EVERYONE,
    query: endpoint.filters,
    output: one(keysOutput),
    async answer(call) {
      const { query: statement } = await endpoint.report(call as unknown as ReportRequest<Filters, Params>)
      return { keys: await listAll(ctx, statement, endpoint.list) }
    },
  })
}

/** Who takes a list out of the process, and which: the filters stand in the log as they were sent. */
function exportFor({ request, institute, who, origin }: InstituteVisit): ExportFor {
  const { format: _format, ...filters } = request.query as Record<string, unknown>
  return { instituteId: institute.id, actor: { who, origin }, filters }
}
