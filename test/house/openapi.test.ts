import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { EVENT_CODES } from '../../src/journal/event-codes.ts'
import { startBursar } from '../harness/bursar.ts'
import type { Json } from '../harness/client.ts'

const bursar = await startBursar({ after })
const { body: document } = await bursar.demo.get('/openapi.json')
const operations: [string, Json][] = Object.entries<Json>(document.paths).flatMap(([path, item]) =>
  Object.entries<Json>(item).map(([method, operation]): [string, Json] => [
    `${method.toUpperCase()} ${path}`,
    operation,
  ]),
)

/** Paths of fields without a description, below a schema. */
function undescribed(schema: Json, path: string): string[] {
  const here: string[] = []
  for (const [name, field] of Object.entries<Json>(schema?.properties ?? {})) {
    const isConstant = field.const !== undefined
    const isContainer = field.type === 'object' || field.type === 'array'
    if (!isConstant && !isContainer && field.description === undefined) here.push(`${path}.${name}`)
    here.push(...undescribed(field, `${path}.${name}`))
  }
  if (schema?.items !== undefined) here.push(...undescribed(schema.items, `${path}[]`))
  return here
}

test('the committed document is the one the code generates; `npm run openapi` writes it', () => {
  const committed = JSON.parse(readFileSync(new URL('../../docs/openapi.json', import.meta.url), 'utf8'))
  // Not one comparison of the whole: to show how two such documents differ takes minutes.
  const differing = Object.keys({ ...document.paths, ...committed.paths }).filter(
    path => !isDeepStrictEqual(document.paths[path], committed.paths[path]),
  )
  assert.deepEqual(differing, [])
  assert.ok(isDeepStrictEqual({ ...document, servers: committed.servers }, committed))
})

test('it is OpenAPI 3.1 with every route of the API, Basic authentication and a licence', () => {
  assert.match(document.openapi, /^3\.1\./)
  assert.ok(operations.length >= 18, `${operations.length} operations`)
  assert.equal(document.components.securitySchemes.basic.scheme, 'basic')
  assert.equal(document.info.license.identifier, 'Apache-2.0')
  for (const [name] of operations)
    assert.match(name, /^(GET|POST|PATCH|DELETE|PUT) \/(api\/v1|console\/api)\//)
})

test('every operation has a name, a summary, a description, and an example of each success and of its body', () => {
  const names = new Set<string>()
  for (const [name, operation] of operations) {
    assert.ok(operation.operationId && operation.summary && operation.description, name)
    assert.ok(!names.has(operation.operationId), `${operation.operationId} stands twice`)
    names.add(operation.operationId)
    for (const [status, answer] of Object.entries<Json>(operation.responses)) {
      const content = answer.content?.['application/json']
      assert.ok(answer.description, `${name} ${status}`)
      const isFile = content === undefined
      if (status.startsWith('2') && !isFile)
        assert.ok(content.examples.answer.value, `${name} ${status} has no example`)
    }
    const body = operation.requestBody?.content['application/json']
    if (body !== undefined) assert.ok(body.example, `${name} has no example body`)
  }
})

test('every field of every request, answer and event is described', () => {
  const gaps = operations.flatMap(([name, operation]) => [
    ...undescribed(operation.requestBody?.content['application/json']?.schema, name),
    ...(operation.parameters ?? [])
      .filter((one: Json) => !one.description)
      .map((one: Json) => `${name} ${one.name}`),
    ...Object.entries<Json>(operation.responses).flatMap(([status, answer]) =>
      undescribed(answer.content?.['application/json']?.schema, `${name} ${status}`),
    ),
  ])
  const events = Object.entries<Json>(document.webhooks).flatMap(([code, item]) =>
    undescribed(item.post.requestBody.content['application/json'].schema, code),
  )
  assert.deepEqual([...gaps, ...events], [])
})

test('the webhooks section has every event code', () => {
  assert.deepEqual(Object.keys(document.webhooks).toSorted(), [...EVENT_CODES].toSorted())
})

test('the reference is a page of our own that asks no other host', async () => {
  const page = await bursar.demo.get('/docs/')
  assert.equal(page.status, 200)
  assert.match(page.text, /openapi\.json/)
  assert.doesNotMatch(page.text, /(src|href)="https?:/)
})
