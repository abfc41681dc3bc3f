import type { TSchema } from 'typebox'
import type { Success } from '../../http/envelope.ts'
import { documentParts } from '../../http/openapi/openapi.ts'
import { exampleOf } from '../../http/wire/example.ts'
import { schemaOf, type Readable } from '../../http/wire/readable.ts'
import type { ConsoleRole } from '../console.rules.ts'
import type { Reply } from './replies.output.ts'

export type ConsoleDocs = {
  operationId?: string
  summary?: string
  description?: string
  /** The schema of `data`; absent when the answer has none. */
  data?: TSchema
  isList?: boolean
  /** 201 instead of 200. */
  creates?: boolean
  example?: unknown
  exampleBody?: unknown
}

/** Who may: roles at the institute, anyone who is signed in, or anyone. Stands in the route table as `x-roles`. */
export type Reach = readonly ConsoleRole[] | 'signed in' | 'anyone'

type Documented = {
  method?: string
  params?: Readable | undefined
  query?: Readable
  body?: Readable
  exampleBody?: unknown
}

/** What the walks over all routes (roles, tenants, hostile input) read; the reference shows the API alone. */
export function documentConsole(
  { method, params, query, body, exampleBody }: Documented,
  { httpStatus, docs }: Pick<Reply<never>, 'httpStatus' | 'docs'>,
  reach: Reach,
): Record<string, unknown> {
  const schema = documentParts({
    answers: { [httpStatus]: docs },
    errors: [404, 409],
    ...(method === undefined ? {} : { method }),
    ...(params === undefined ? {} : { params }),
    ...(query === undefined ? {} : { query }),
    ...(body === undefined ? {} : { body, exampleBody: exampleBody ?? exampleOf(schemaOf(body)) }),
  })
  return { ...schema, 'x-roles': reach }
}

/** Of a route that makes its envelope itself. */
export function replyOf<Result>(
  { data, isList = false, creates = false, example }: ConsoleDocs,
  toSuccess: (result: Result) => Success,
): Reply<Result> {
  const value = {
    status: 'success',
    ...(data === undefined ? {} : { data: example ?? exampleOf(data) }),
    ...(isList ? { has_more: false } : {}),
  }
  const docs = { description: 'Done.', ...(data === undefined ? {} : { data }), example: value, isList }
  return { httpStatus: creates ? 201 : 200, docs, toSuccess }
}
