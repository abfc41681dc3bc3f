import { API_VERSION } from '../../platform/api-version.ts'
import type { ServedRoute } from '../endpoint.ts'
import { ERROR_STATUSES, errorAnswers, errorText, TAGS } from './operation.ts'
import { componentOf, nameComponent } from '../wire/input.ts'
import { formats } from '../wire/formats.ts'

const DESCRIPTION = `Fee collection for schools and colleges. JSON over HTTPS, HTTP Basic authentication with API key and secret.
How to use it, by task: [guides](/docs/guides/). As Markdown: [this reference](/docs/reference/index.md), [all pages](/llms.txt).

Amounts are rupees with at most two decimals. Read them as decimals, not as binary fractions: \`1234567.89\` is exact.
Digits in a string (\`"1500.50"\`) are taken as well, and so are four digits for a year.
Date-times are ISO 8601; one without an offset is Indian time, answers are in UTC.
In a request \`null\` or \`""\` in an optional field means that it was not sent; where the type of a change names null, it empties the field.
No text may contain U+0000. In an answer what was not provided is absent, never null.
Send an \`Idempotency-Key\` with every POST, PATCH, PUT and DELETE that you may have to repeat.

**What may change within this version.** We add operations, optional fields of requests, fields of answers and events, enum values, event codes and
error codes without a new version: ignore fields that you do not know, and treat an unknown value or event as "something else". We do not remove or
rename a field, change its type or its meaning, or make an optional field of a request required.`

type Schema = Readonly<Record<string, unknown>>

/** What a route was added with (operation.ts), as far as the document shows it. */
type RouteSchema = {
  operationId: string
  params?: Schema
  querystring?: Schema
  headers?: Schema
  body?: Schema
  response: Record<string, { description: string; content?: Record<string, { schema: Schema }> }>
}

type Webhook = { post: { requestBody: { content: Record<string, { schema: object }> } } }

export type DocumentOptions = { publicUrl: string; webhooks: Readonly<Record<string, Webhook>> }

/** The OpenAPI 3.1 document of the API and the sandbox. The console's operations are its front end's alone. */
export function describeApi(
  routes: readonly ServedRoute[],
  { publicUrl, webhooks }: DocumentOptions,
): Record<string, unknown> {
  const components = new Components()
  const paths: Record<string, Record<string, unknown>> = {}
  const served = routes.filter(({ url }) => url.startsWith('/api/'))
  for (const route of served) {
    const path = route.url.replaceAll(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: describeOperation(route, components) }
  }
  const events = Object.entries(webhooks).map(([code, { post }]) => [
    code,
    { post: { ...post, requestBody: referBody(post.requestBody, `${toPascal(code)}Event`, components) } },
  ])
  const used = new Set(['Events', ...served.flatMap(({ schema }) => schema['tags'] as string[])])
  return {
    openapi: '3.1.0',
    info: {
      title: 'Bursar fee collection API',
      version: API_VERSION,
      description: DESCRIPTION,
      contact: { name: 'The operator of this installation', url: publicUrl },
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: publicUrl }],
    tags: Object.entries(TAGS)
      .filter(([name]) => used.has(name))
      .map(([name, description]) => ({ name, description })),
    security: [{ basic: [] }],
    paths,
    webhooks: Object.fromEntries(events),
    components: {
      securitySchemes: {
        basic: { type: 'http', scheme: 'basic', description: 'API key and secret.' },
      },
      headers: HEADERS,
      responses: describeErrors(components),
      schemas: components.toJson(),
    },
  }
}

function describeOperation({ method, schema }: ServedRoute, components: Components): object {
  const { params, querystring, headers, body, response, ...texts } = schema as RouteSchema
  const name = toPascal(texts.operationId)
  return {
    ...texts,
    ...describeParameters({ path: params, query: querystring, header: headers }),
    ...(isEmpty(body) ? {} : { requestBody: describeBody(body as Schema, `${name}Request`, components) }),
    responses: Object.fromEntries(
      Object.entries(response).map(([status, answer]) => [
        status,
        answer.description === errorText(status)
          ? { $ref: `#/components/responses/Error${status}` }
          : describeAnswer(answer, { status, method, name }, components),
      ]),
    ),
  }
}

type AnswerPlace = { status: string; method: string; name: string }

function describeAnswer(
  answer: RouteSchema['response'][string],
  place: AnswerPlace,
  components: Components,
): object {
  return {
    ...referBody(answer, place.status < '400' ? `${place.name}Envelope` : 'Error', components),
    headers: headersOf(otherHeaders(place, answer)),
  }
}

/** The errors that every operation has, written once. */
function describeErrors(components: Components): Record<string, object> {
  const errors = errorAnswers(ERROR_STATUSES) as RouteSchema['response']
  return Object.fromEntries(
    Object.entries(errors).map(([status, answer]) => [
      `Error${status}`,
      describeAnswer(answer, { status, method: '', name: '' }, components),
    ]),
  )
}

function describeParameters(places: Record<string, Schema | undefined>): object {
  const parameters = Object.entries(places).flatMap(([place, whole]) => {
    if (whole === undefined) return []
    const required = new Set(whole['required'] as string[] | undefined)
    const fields = Object.entries(publishParameters(whole)['properties'] as Record<string, Schema>)
    return fields.map(([name, { description, examples, ...schema }]) => ({
      name,
      in: place,
      required: required.has(name),
      description,
      schema,
      example: (examples as unknown[])[0],
    }))
  })
  return parameters.length === 0 ? {} : { parameters }
}

function isEmpty(body: Schema | undefined): boolean {
  return body === undefined || (!('content' in body) && Object.keys(body['properties'] ?? {}).length === 0)
}

function describeBody(body: Schema, name: string, components: Components): object | undefined {
  // The body of an upload is a file, which has content types and no fields.
  if ('content' in body) return { required: true, ...body }
  const { examples, ...fields } = body
  const schema = publishBody(fields)
  const [example] = examples as unknown[]
  return {
    // An empty body is read as {}.
    ...((schema['required'] as string[]).length > 0 ? { required: true } : {}),
    content: { 'application/json': { schema: components.refer(schema, name), example } },
  }
}

type Contents = { content?: Record<string, { schema: object }> }

function referBody<Whole extends Contents>(whole: Whole, name: string, components: Components): Whole {
  const media = Object.entries(whole.content ?? {}).map(([type, { schema, ...rest }]) => [
    type,
    { schema: components.refer(schema as Schema, name), ...rest },
  ])
  return { ...whole, ...(media.length === 0 ? {} : { content: Object.fromEntries(media) }) }
}

function otherHeaders({ status, method }: AnswerPlace, { content }: Contents): readonly HeaderName[] {
  if (status === '429' || status === '503') return ['Retry-After']
  if (status === '409') return ['Retry-After', 'Idempotent-Replayed']
  if (status === '404') return ['Idempotent-Replayed']
  if (status >= '400') return []
  if (content !== undefined && !('application/json' in content)) return ['Content-Disposition', 'ETag']
  return method === 'GET' ? [] : ['Idempotent-Replayed']
}

/** The schemas that the document names: each stands once, and everything else refers to it. */
class Components {
  readonly #schemas = new Map<string, { schema: Schema; text: string }>()

  /** What stands in place of a schema; an object that has no name of its own is called after its `place`. */
  refer(schema: Schema, place: string): Schema {
    if (schema['items'] !== undefined)
      return { ...schema, items: this.refer(schema['items'] as Schema, singular(place)) }
    if (schema['properties'] === undefined) return schema
    const component = componentOf(schema)
    const reference = this.#add(component?.name ?? place, component?.schema ?? schema)
    const description = schema['description']
    return component === undefined || description === component.schema['description']
      ? reference
      : { ...reference, description }
  }

  #add(name: string, schema: Schema): Schema {
    const properties = Object.entries(schema['properties'] as Record<string, Schema>)
    const whole = {
      ...schema,
      properties: Object.fromEntries(
        properties.map(([key, field]) => [key, this.refer(field, name + toPascal(key))]),
      ),
    }
    const text = JSON.stringify(whole)
    const known = this.#schemas.get(name)
    if (known !== undefined && known.text !== text)
      throw new Error(`two schemas of the reference are called ${name}`)
    if (known === undefined) this.#schemas.set(name, { schema: whole, text })
    return { $ref: `#/components/schemas/${name}` }
  }

  toJson(): Record<string, Schema> {
    const names = [...this.#schemas.keys()].sort()
    return Object.fromEntries(names.map(name => [name, this.#schemas.get(name)?.schema ?? {}]))
  }
}

function toPascal(name: string): string {
  return name
    .split(/[^A-Za-z0-9]+/)
    .map(part => part.slice(0, 1).toUpperCase() + part.slice(1))
    .join('')
}

function singular(name: string): string {
  return name.endsWith('s') && !/(ss|us)$/.test(name) ? name.slice(0, -1) : name
}

/**
 * What a request may carry, in the words of JSON Schema that every tool knows. The reader's own formats become types,
 * bounds and patterns, its own marks are left out. Two leniencies stay words (see document.ts), since a second type
 * would spoil every generated client: digits in a string for an amount or a year, and null or "" for not sent. Null
 * is a type only where it empties a field.
 */

const OWN_MARKS = new Set(['x-kept', 'x-name', 'x-ascending', 'x-distinct'])
/** Not only blanks, which are cut off on both sides. */
const NAME_PATTERN = String.raw`\S`

/** The fields of a query, an address or the headers. */
function publishParameters(schema: Schema): Schema {
  return publishBody(schema)
}

export function publishBody(schema: Schema): Schema {
  const component = componentOf(schema)
  const properties = Object.entries((schema['properties'] ?? {}) as Record<string, Schema>)
  const published: Schema = {
    ...withoutMarks(schema),
    properties: Object.fromEntries(properties.map(([name, field]) => [name, publish(field)])),
  }
  return component === undefined ? published : nameComponent(component.name, published)
}

function publish(schema: Schema): Schema {
  const { format, ...rest } = schema
  const known = typeof format === 'string' ? formats[format]?.published : undefined
  const named = schema['x-name'] === true ? { pattern: NAME_PATTERN } : {}
  const published: Schema =
    known === undefined
      ? { ...schema, ...named }
      : { ...rest, ...boundsOf(known, schema), ...withNull(schema, known) }
  if (published['properties'] !== undefined) return publishBody(published)
  const plain = withoutMarks(published)
  return plain['items'] === undefined ? plain : { ...plain, items: publish(plain['items'] as Schema) }
}

/** A bound that is excluded replaces the one that is not. */
function boundsOf({ minimum, ...known }: Schema, { exclusiveMinimum }: Schema): Schema {
  return minimum === undefined || exclusiveMinimum !== undefined ? known : { minimum, ...known }
}

function withNull({ type }: Schema, known: Schema): Schema {
  return Array.isArray(type) && type.includes('null') ? { type: [known['type'], 'null'] } : {}
}

function withoutMarks(schema: Schema): Schema {
  return Object.fromEntries(Object.entries(schema).filter(([key]) => !OWN_MARKS.has(key)))
}

/** Headers of answers, each documented once. */
const HEADERS = {
  'X-Request-Id': header(
    { type: 'string' },
    'Id of the request; quote it when you ask for help.',
    'req_01k9zq4m0ve8sbn6yt2hw3c5da',
  ),
  'RateLimit-Limit': header({ type: 'integer' }, 'How many requests the API key may send at once.', 100),
  'RateLimit-Remaining': header({ type: 'integer' }, 'How many of them are left now.', 99),
  'RateLimit-Reset': header({ type: 'integer' }, 'In how many seconds all of them are left again.', 1),
  'Retry-After': header({ type: 'integer' }, 'After how many seconds to try again.', 1),
  'Idempotent-Replayed': header(
    { type: 'string', enum: ['true'] },
    'Present when the answer is that of an earlier request with the same Idempotency-Key.',
    'true',
  ),
  'Content-Disposition': header(
    { type: 'string' },
    'The name of the file.',
    'attachment; filename="receipt-order_01k9zq4m0ve8sbn6yt2hw3c5da.pdf"',
  ),
  ETag: header(
    { type: 'string' },
    'Send it as If-None-Match: 304 without a body says that the file is still the same.',
    '"3m1Q0xT5dC7Yk2bRw9Zs4A"',
  ),
} as const

type HeaderName = keyof typeof HEADERS

const EVERY: readonly HeaderName[] = [
  'X-Request-Id',
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
]

function headersOf(others: readonly HeaderName[]): Record<string, unknown> {
  return Object.fromEntries(
    [...EVERY, ...others].map(name => [name, { $ref: `#/components/headers/${name}` }]),
  )
}

/** The four headers of every delivery, after Standard Webhooks, and the plain HMAC. */
export const DELIVERY_HEADERS = [
  deliveryHeader(
    'webhook-id',
    'The `event_id`: the same on every attempt.',
    'evt_01k9zq4m0ve8sbn6yt2hw3c5da',
    true,
  ),
  deliveryHeader('webhook-timestamp', 'When it was sent, Unix seconds.', '1794717130', true),
  deliveryHeader(
    'webhook-signature',
    'Of `{webhook-id}.{webhook-timestamp}.{body}`: `v1,` and the HMAC-SHA256 in base64, several separated by blanks ' +
      'while a key is rotated. Absent when the subscription has no `secret_key`.',
    'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  ),
  deliveryHeader(
    'x-signature',
    'The HMAC-SHA256 of the body alone in hex. Absent when the subscription has no `secret_key`.',
    '5c1e2b0a8f5f0dd4bd1d6f3a2a7f7b8f3a0c9e1d2b3c4d5e6f708192a3b4c5d6',
  ),
]

function header(schema: object, description: string, example: unknown): object {
  return { description, schema, example }
}

function deliveryHeader(name: string, description: string, example: string, required = false): object {
  return { name, in: 'header', required, description, schema: { type: 'string' }, example }
}
