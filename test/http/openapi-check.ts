import assert from 'node:assert/strict'
import { Client, type Answer, type Credentials, type Json } from '../harness/client.ts'
import { readInlined } from '../harness/openapi/openapi.ts'

/** Holds answers against the OpenAPI document that the service serves of itself. */
export type Document = {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema> }
}

type Operation = { responses: Record<string, { content?: Record<string, { schema: Schema }> }> }

type Schema = {
  type?: string | string[]
  properties?: Record<string, Schema>
  additionalProperties?: Schema
  patternProperties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  enum?: unknown[]
  const?: unknown
  anyOf?: Schema[]
}

/** Words about a value that its structure does not depend on. */
const ANNOTATIONS = ['description', 'examples', 'example', 'format', 'minimum', 'title']
const STRUCTURE = [
  'patternProperties',
  'type',
  'properties',
  'additionalProperties',
  'required',
  'items',
  'enum',
  'const',
  'anyOf',
]
const KNOWN_WORDS = new Set([...ANNOTATIONS, ...STRUCTURE])

export async function readDocument(url: string): Promise<Document> {
  return (await readInlined(url)) as Document
}

/** A client each of whose answers must be as the document says. */
export class CheckedClient extends Client {
  readonly #document: Document

  constructor(document: Document, url: string, credentials: Credentials) {
    super(url, credentials)
    this.#document = document
  }

  override async send(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const answer = await super.send(method, path, body, headers)
    assertDocumented(this.#document, method, path, answer)
    return answer
  }
}

/** Where the document knows no such operation, the answer must at least wear the error envelope. */
export function assertDocumented(document: Document, method: string, path: string, answer: Answer): void {
  const what = `${method} ${path} answered ${answer.status}`
  assert.match(answer.headers.get('content-type') ?? '', /^application\/json\b/, `${what} without JSON`)
  const found = findOperation(document, method, path)
  const schema = found === null ? errorSchema(document) : schemaOf(found.operation, answer.status)
  assert.ok(schema, `${what}, which the document does not mention for ${found?.template}`)
  const problems = check(schema, answer.body, 'body')
  assert.deepEqual(problems, [], `${what}, not as documented: ${answer.text}`)
}

export function findOperation(
  document: Document,
  method: string,
  path: string,
): { template: string; operation: Operation } | null {
  const parts = (path.split('?')[0] ?? '').split('/')
  for (const [template, operations] of Object.entries(document.paths)) {
    const wanted = template.split('/')
    const fits = wanted.length === parts.length && wanted.every((part, at) => isSame(part, parts[at]))
    const operation = operations[method.toLowerCase()]
    if (fits && operation !== undefined) return { template, operation }
  }
  return null
}

function isSame(wanted: string, part: string | undefined): boolean {
  return wanted === part || /^\{\w+\}$/.test(wanted)
}

function schemaOf(operation: Operation, status: number): Schema | undefined {
  return operation.responses[String(status)]?.content?.['application/json']?.schema
}

function errorSchema(document: Document): Schema | undefined {
  return document.components.schemas['Error']
}

/** Everything in which the value differs from the schema; fields that it does not list are differences. */
function check(schema: Schema, value: Json, at: string): string[] {
  const unknown = Object.keys(schema).filter(word => !KNOWN_WORDS.has(word))
  assert.deepEqual(unknown, [], `the schema of ${at} uses words that this check does not know`)
  if (schema.anyOf !== undefined) {
    const fits = schema.anyOf.some(option => check(option, value, at).length === 0)
    return fits ? [] : [`${at} fits none of its alternatives`]
  }
  if ('const' in schema && value !== schema.const) return [`${at} is not ${JSON.stringify(schema.const)}`]
  if (schema.enum !== undefined && !schema.enum.includes(value))
    return [`${at} is not one of ${schema.enum.join(', ')}`]
  const types = [schema.type ?? []].flat()
  if (types.length > 0 && !types.some(type => isOfType(type, value)))
    return [`${at} is not ${types.join(' or ')}`]
  if (Array.isArray(value)) {
    const { items } = schema
    return items === undefined ? [] : value.flatMap((item, no) => check(items, item, `${at}.${no}`))
  }
  return typeof value === 'object' && value !== null ? checkFields(schema, value, at) : []
}

function checkFields(schema: Schema, value: Record<string, Json>, at: string): string[] {
  const { properties, additionalProperties, patternProperties = {}, required = [] } = schema
  const byPattern = (name: string): Schema | undefined =>
    Object.entries(patternProperties).find(([pattern]) => new RegExp(pattern).test(name))?.[1]
  const missing = required.filter(name => !Object.hasOwn(value, name)).map(name => `${at}.${name} is missing`)
  const wrong = Object.entries(value).flatMap(([name, field]) => {
    const own = properties?.[name] ?? byPattern(name) ?? additionalProperties
    if (own !== undefined) return check(own, field, `${at}.${name}`)
    return properties === undefined ? [] : [`${at}.${name} is not documented`]
  })
  return [...missing, ...wrong]
}

function isOfType(type: string, value: Json): boolean {
  switch (type) {
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value)
    case 'array':
      return Array.isArray(value)
    case 'integer':
      return Number.isInteger(value)
    case 'null':
      return value === null
    default:
      return typeof value === type
  }
}
