import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { compileReader } from '../../src/http/wire/reader.ts'
import { startBursar } from '../harness/bursar.ts'
import type { Json } from '../harness/client.ts'
import { operationsOf } from '../harness/openapi/operations.ts'
import { readDocument } from './openapi-check.ts'

/** Each field of each body is replaced by each of these, and left out: the document and the reader must agree. */
const VALUES: readonly Json[] = [
  null, '', 'x', ' ', '\n', 'é', 0, -1, 1, 1.5, 1.25, 7, 99, 150, 366, 2026, 10_000, 1e11, 1e11 + 1, 1e16, true, false, [], [{}], [1], ['x'], {},
  'x'.repeat(64), 'x'.repeat(65), 'x'.repeat(128), 'x'.repeat(129), '😀'.repeat(64), 'x'.repeat(500), 'x'.repeat(501), 'x'.repeat(2_049),
  '2026-02-28', '2026-02-30', '2026-02-28T10:00:00Z', '2026-02-28T10:00:00+05:30', '2026-02-28T25:00:00Z', 'P1D',
  'asha@example.in', 'a@b', 'a b@c.in', 'a@b@c.in', 'a@example.in, b@example.in', 'a@example.in,', '9876543210', '+91 98765-43210', '123456', '1'.repeat(16),
  'https://erp.example.in/x', 'ftp://erp.example.in', 'https://', 'erp.example.in', 'TUITION_FEE', 'success', 'MAIN', 'a/b',
] // prettier-ignore

const bursar = await startBursar({ after })
const document: Json = await readDocument(bursar.url)
const ajv = new Ajv2020({ strict: false, logger: false })
formats.default(ajv)

type Verdict = { documented: boolean; read: boolean }

function publishedBody(path: string, method: string): Json {
  return document.paths[path]?.[method.toLowerCase()]?.requestBody?.content['application/json']?.schema
}

function accepts(read: (value: unknown) => unknown, body: Json): boolean {
  try {
    read(body)
    return true
  } catch {
    return false
  }
}

type SchemaPlace = { path: string[]; schema: Json; isRequired: boolean }

function placesOf(schema: Json, path: string[] = []): SchemaPlace[] {
  const required = new Set(schema.required)
  return Object.entries<Json>(schema.properties ?? {}).flatMap(([name, field]) => {
    const place = { path: [...path, name], schema: field, isRequired: required.has(name) }
    const inner = field.items === undefined ? field : field.items
    return [place, ...placesOf(inner, field.items === undefined ? place.path : [...place.path, '0'])]
  })
}

function withValue(valid: Json, path: readonly string[], value: Json): Json {
  const body = structuredClone(valid)
  const parent = path.slice(0, -1).reduce<Json>((inner, key) => inner?.[key], body)
  const last = path.at(-1) ?? ''
  if (typeof parent !== 'object' || parent === null) return body
  if (value === undefined) delete parent[last]
  else parent[last] = value
  return body
}

/** What the document says in words because no schema says it without spoiling generated clients. */
function isSaidInWords(
  { schema, isRequired }: SchemaPlace,
  value: Json,
  { documented, read }: Verdict,
): boolean {
  const format: string = schema.format ?? ''
  if (value === '' || value === null) return !isRequired && read && !documented
  if (format === 'rupees' || format === 'year') return typeof value === 'string' && read && !documented
  // Real moments and addresses: a pattern cannot tell them apart from what only looks like one.
  if (!documented || read) return false
  return (
    (format === 'http-url' && value === 'https://') || (format === 'date-or-time' && /-30|T25/.test(value))
  )
}

const operations = operationsOf(bursar, '/api/').filter(
  ({ schema }) => Object.keys(schema?.properties ?? {}).length > 0,
)

test('the document has bodies to compare', () => assert.ok(operations.length > 30, String(operations.length)))

for (const { method, path, schema, body } of operations) {
  test(`${method} ${path}: what the document refuses is refused, and what it allows is read`, () => {
    const validate = ajv.compile(publishedBody(path, method))
    const read = compileReader(schema)
    assert.ok(validate(body), `its example: ${ajv.errorsText(validate.errors)}`)
    for (const place of placesOf(schema)) {
      for (const value of [...VALUES, undefined]) {
        const sent = withValue(body, place.path, value)
        const verdict = { documented: validate(sent), read: accepts(read, sent) }
        if (verdict.documented === verdict.read || isSaidInWords(place, value, verdict)) continue
        assert.fail(
          `${place.path.join('.')} = ${JSON.stringify(value)?.slice(0, 80)}: ${JSON.stringify(verdict)}`,
        )
      }
    }
  })
}
