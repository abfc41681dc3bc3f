import { Type, type TObject, type TSchema } from 'typebox'
import { documentEndpoint } from '../http/openapi.ts'
import type { ConsoleRole } from './console.rules.ts'

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
  params?: TObject | undefined
  query?: TObject
  body?: TObject
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
      ...(body === undefined ? {} : { exampleBody: docs.exampleBody ?? exampleOf(body) }),
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

type Schema = {
  type?: string | string[]
  format?: string
  properties?: Record<string, Schema>
  items?: Schema
  enum?: readonly unknown[]
  const?: unknown
  examples?: readonly unknown[]
  anyOf?: readonly Schema[]
}

const BY_FORMAT: Record<string, unknown> = {
  'date-time': '2026-11-15T04:00:00.000Z',
  'range-start': '2026-11-01',
  'range-end': '2026-11-30',
  date: '2026-11-15',
  email: 'asha@example.in',
  phone: '9876543210',
  rupees: 1500,
  year: 2026,
}

/** A value that fits, from the examples that fields are described with. */
function exampleOf(schema: TSchema): unknown {
  return example(schema)
}

function example(schema: Schema): unknown {
  const [first] = schema.examples ?? []
  if (first !== undefined) return first
  if (schema.const !== undefined) return schema.const
  if (schema.enum !== undefined) return schema.enum[0]
  if (schema.anyOf?.[0] !== undefined) return example(schema.anyOf[0])
  if (schema.format !== undefined && schema.format in BY_FORMAT) return BY_FORMAT[schema.format]
  switch ([schema.type].flat()[0]) {
    case 'object':
      return Object.fromEntries(
        Object.entries(schema.properties ?? {}).map(([name, field]) => [name, example(field)]),
      )
    case 'array':
      return schema.items === undefined ? [] : [example(schema.items)]
    case 'boolean':
      return true
    case 'integer':
    case 'number':
      return 1
    default:
      return 'text'
  }
}
