import type { FastifyInstance } from 'fastify'
import type { ListDefinition } from '../../http/lists/define-list.ts'
import { one, pageOf, all, created } from '../../http/reply.ts'
import {
  Field,
  field,
  optional,
  query,
  type AnyInput,
  type Input,
  type Read,
  input,
} from '../../http/wire/input.ts'
import type { Institute } from '../../institutes/institutes.rules.ts'
import type { Context } from '../../platform/context.ts'
import { badCursor, type Page, type PageRange } from '../../platform/db/list.ts'
import { sortNames, type Sorting } from '../../platform/db/sorted-list.ts'
import {
  addConsoleRead,
  addOperatorRead,
  addConsoleWrite,
  type InstituteVisit,
} from '../auth/access.routes.ts'
import { EVERYONE, type ConsoleRole } from '../console.rules.ts'
import { addConsoleFile } from '../files.routes.ts'
import { exportReport, type Report } from '../reports/export.service.ts'
import { exportFor, formatField } from '../reports/report.routes.ts'
import { MEDIA_TYPES, type Format } from '../reports/reports.rules.ts'
import type { Voucher } from '../reports/tally/tally.rules.ts'
import { columnsOutput, countOutput, keysOutput, picked } from './list.schemas.ts'
import { countList, forFile, listAll, listInOrder } from './lists.service.ts'
import * as service from './lists.service.ts'
import { outputOf, type Shown } from '../../http/wire/output.ts'
import type { View } from './lists.service.ts'

type Visit<Params> = { params: Read<Params> } & InstituteVisit

type ListEndpoint<Row extends object, Json, Of, Values, Beside, Params> = {
  url: string
  list: ListDefinition<Row, Json, Of, Values, Beside>
  roles?: readonly ConsoleRole[]
  /** Who reads a page of it, where that is not who counts it and takes it as a file. */
  readers?: readonly ConsoleRole[]
  params?: Params
  /** Whose rows they are; the institute's if absent. */
  of?(visit: Visit<Params>): Of | Promise<Of>
  /** Something is done to all that fit, by their keys. */
  isActedOn?: true
  /** What stands for a row in Tally. */
  vouchers?(visit: Visit<Params>): Promise<(row: Row) => Voucher[]>
}

/**
 * A list of the console: a page of it, and below its address how many there are (`/count`), what its columns and filters
 * are (`/columns`), all of it as a file (`/export`), and the keys of all that fit (`/keys`) where something is done to them.
 */
export function addList<
  Row extends object,
  Json,
  Values,
  Beside,
  Of = Institute,
  Params extends AnyInput = AnyInput,
>(app: FastifyInstance, ctx: Context, endpoint: ListEndpoint<Row, Json, Of, Values, Beside, Params>): void {
  const { url } = endpoint
  const list = endpoint.list as unknown as AnyList<Row>
  const ownerOf = async (call: InstituteVisit): Promise<unknown> =>
    (await endpoint.of?.(call as Visit<Params>)) ?? call.institute
  const shared = {
    roles: endpoint.roles ?? EVERYONE,
    ...(endpoint.params === undefined ? {} : { params: endpoint.params }),
  }
  addConsoleRead(app, ctx, {
    ...shared,
    roles: endpoint.readers ?? shared.roles,
    url,
    query: sortable(list.query, list.sorting),
    output: pageOf(list.output, () => list.beside(ctx)),
    answer: async call => readPage(ctx, list, await ownerOf(call), call.query as PageRequest),
  })
  addConsoleRead(app, ctx, {
    ...shared,
    url: `${url}/columns`,
    output: one(columnsOutput),
    answer: async () => list,
  })
  addConsoleRead(app, ctx, {
    ...shared,
    url: `${url}/count`,
    query: list.filterQuery,
    output: one(countOutput),
    answer: async call => countList(ctx, await list.counted(ctx, await ownerOf(call), call.query)),
  })
  if (endpoint.isActedOn)
    addConsoleRead(app, ctx, {
      ...shared,
      url: `${url}/keys`,
      query: list.filterQuery,
      output: one(keysOutput),
      async answer(call) {
        return {
          keys: await listAll(ctx, await list.all(ctx, await ownerOf(call), call.query), list.sorting),
        }
      },
    })
  addConsoleFile(app, ctx, {
    ...shared,
    url: `${url}/export`,
    query: query({
      ...list.filterQuery.fields,
      ...sortFields(list.sorting),
      picked,
      format: formatField,
    }),
    mediaType: MEDIA_TYPES.csv,
    async answer(call) {
      const { format, ...request } = call.query as ExportRequest
      const report = await reportOf(ctx, list, await ownerOf(call), request)
      const vouchers = await endpoint.vouchers?.(call as unknown as Visit<Params>)
      return exportReport(ctx, { ...report, vouchers }, format, exportFor(call))
    },
  })
}

/** A list of the whole installation, page by page in its own order: counts, files and acts are an institute's. */
export function addInstallationList<Row extends object, Json, Of, Values, Beside>(
  app: FastifyInstance,
  ctx: Context,
  { url, list: given, of }: { url: string; list: ListDefinition<Row, Json, Of, Values, Beside>; of: Of },
): void {
  const list = given as unknown as AnyList<Row>
  addOperatorRead(app, ctx, {
    url,
    query: list.query,
    output: pageOf(list.output, () => list.beside(ctx)),
    answer: ({ query: request }) => readPage(ctx, list, of, request as PageRequest),
  })
  addOperatorRead(app, ctx, { url: `${url}/columns`, output: one(columnsOutput), answer: async () => list })
}

type AnyList<Row extends object> = ListDefinition<Row, unknown, unknown>
type PageRequest = PageRange & { sort?: string }

async function readPage<Row extends object>(
  ctx: Context,
  list: AnyList<Row>,
  of: unknown,
  { sort, cursor, limit, ...filters }: PageRequest,
): Promise<Page<Row>> {
  if (sort === undefined) {
    if (cursor !== undefined && !OWN_CURSOR.test(cursor)) throw badCursor()
    return list.page(ctx, of, filters, { cursor, limit })
  }
  const [all, counted] = await Promise.all([list.all(ctx, of, filters), list.counted(ctx, of, filters)])
  const page = await listInOrder<Row>(ctx, { query: all, counted }, list.sorting, { sort, cursor, limit })
  const read = page.rows.map(row => list.toRow(row as never))
  const rows = await list.completed(ctx, of, read)
  return { ...page, rows: await list.shown(ctx, of, rows) }
}

async function reportOf<Row extends object>(
  ctx: Context,
  list: AnyList<Row>,
  of: unknown,
  { sort, picked: keys, ...filters }: Omit<ExportRequest, 'format'>,
): Promise<Report<Row>> {
  const [all, counted] = await Promise.all([list.all(ctx, of, filters), list.counted(ctx, of, filters)])
  const [beside, now] = [list.beside(ctx), ctx.clock.now()]
  const chosen = forFile(all, list.sorting, { sort, picked: keys })
  return {
    name: list.file(of, filters),
    title: list.title,
    query: chosen,
    counted: keys === undefined ? counted : chosen,
    columns: list.files.map(({ title, kind, cell }) => ({
      title,
      kind,
      value: row => cell(row, beside, now),
    })),
    toRow: row => list.toRow(row as never),
    completed: async (db, rows) => list.completed({ db, clock: ctx.clock }, of, rows),
  }
}

type ExportRequest = { format: Format; sort?: string; picked?: string }

/** A list in its own order has short cursors; in another one a cursor holds the value of the last row. */
const OWN_CURSOR = /^[A-Za-z0-9_.-]{1,64}$/
const SORTED_CURSOR = { format: 'sorted-cursor', maxLength: 600 }

function sortFields(sorting: Sorting) {
  const names = sortNames(sorting)
  const description = 'By which column; with a minus the largest first. Its own order if absent.'
  return names.length === 0 ? {} : { sort: optional(field.oneOf(names, description)) }
}

function sortable(given: Input<unknown>, sorting: Sorting): Input<unknown> {
  const { cursor } = given.fields
  if (cursor === undefined) throw new Error('a list has pages')
  return query({
    ...given.fields,
    ...sortFields(sorting),
    cursor: new Field({ ...cursor.schema, ...SORTED_CURSOR }, cursor.options()),
  })
}

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

const list = field.text('Which list, by its address below the institute.', 'students', 60)

const viewsQuery = query({ list })

const viewInput = input({
  list,
  name: field.text('What its owner calls it. One of the same name is replaced.', 'Class 5, owing', 60),
  filters: field.text(
    'Filters and sorting, as they stand in the address.',
    'grade=5&owing=yes&sort=-outstanding_amount',
    1000,
  ),
})

const viewParams = input({
  view_id: field.resourceId('Id of the view.', 'view_01k9zq4m0ve8sbn6yt2hw3c5da'),
})

const out = outputOf<View>()
const viewOutput = out.object({
  id: out.text('Id of the view.', 'view_01k9zq4m0ve8sbn6yt2hw3c5da'),
  list: out.text('Which list.', 'students'),
  name: out.text('What its owner calls it.', 'Class 5, owing'),
  filters: out.text('As they stand in the address.', 'grade=5&owing=yes&sort=-outstanding_amount'),
})
export type ViewAnswer = Shown<typeof viewOutput>
