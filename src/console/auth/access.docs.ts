import { Type, type TSchema } from 'typebox'
import { exampleOf } from '../../http/wire/example.ts'
import { Input } from '../../http/wire/input.ts'
import { documentEndpoint } from '../../http/openapi/openapi.ts'
import type { Readable } from '../../http/wire/readable.ts'
import type { ConsoleRole } from '../console.rules.ts'

/** What a route of the console says of itself. Examples are made of the fields' own where none is given. */
export type ConsoleDocs = {
  operationId: string
  summary: string
  description: string
  /** The schema of `data`; absent when the answer has none. */
  data?: TSchema
  isList?: boolean
  /** 201 instead of 200. */
  creates?: boolean
  example?: unknown
  exampleBody?: unknown
}

/** Who may: roles at the institute, whoever is signed in, or anyone. Stands in the reference as `x-roles`. */
export type Reach = readonly ConsoleRole[] | 'signed in' | 'anyone'

type Documented = {
  docs: ConsoleDocs
  method?: string
  params?: Readable | undefined
  query?: Readable
  body?: Readable
}

const CSRF_HEADER = Type.Object({
  'x-csrf': Type.Optional(Type.String({ description: '`csrf` of GET /console/api/session.' })),
})

export function documentConsole(shape: Documented, reach: Reach): Record<string, unknown> {
  const { docs, method, params, query, body } = shape
  const { operationId, summary, description, data, isList = false, creates = false } = docs
  const value = {
    status: 'success',
    ...(data === undefined ? {} : { data: docs.example ?? exampleOf(data) }),
    ...(isList ? { has_more: false } : {}),
  }
  const answer = { description: 'Done.', ...(data === undefined ? {} : { data }), example: value, isList }
  const schema = documentEndpoint({
    docs: {
      operationId,
      tag: 'Console',
      summary,
      description: `${description} ${reachText(reach)}`,
      answers: creates ? { 201: answer } : { 200: answer },
      ...(body === undefined
        ? {}
        : { exampleBody: docs.exampleBody ?? (body instanceof Input ? body.example : exampleOf(body)) }),
      errors: [404, 409],
    },
    ...(method === undefined ? {} : { method }),
    ...(params === undefined ? {} : { params }),
    ...(query === undefined ? {} : { query }),
    ...(body === undefined ? {} : { body }),
  })
  return {
    ...schema,
    ...(method === undefined ? {} : { headers: CSRF_HEADER }),
    security: reach === 'anyone' ? [] : [{ session: [] }],
    'x-roles': reach,
  }
}

function reachText(reach: Reach): string {
  if (reach === 'anyone') return 'For anyone.'
  return reach === 'signed in' ? 'For whoever is signed in.' : `For the roles ${reach.join(', ')}.`
}
