import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { parseYaml } from '@redocly/openapi-core'
import { formats } from '../../src/http/wire/formats.ts'
import { startBursar } from '../harness/bursar.ts'
import type { Json } from '../harness/client.ts'
import { readInlined } from '../harness/openapi/openapi.ts'
import { flawsOf } from '../harness/openapi/example-check.ts'

const bursar = await startBursar({ after })
const { body: document } = await bursar.demo.get('/openapi.json')
const inlined = await readInlined(bursar.url)
const operationsIn = (whole: Json): Json[] =>
  Object.values<Json>(whole.paths).flatMap(path => Object.values<Json>(path))

/** Every schema below a value, with where it stands. */
function schemasIn(value: Json, at = ''): { at: string; schema: Json }[] {
  if (typeof value !== 'object' || value === null) return []
  const below = Object.entries<Json>(value).flatMap(([key, one]) =>
    key === 'example' || key === 'examples' ? [] : schemasIn(one, `${at}/${key}`),
  )
  return value.type === undefined || at.endsWith('/properties') ? below : [{ at, schema: value }, ...below]
}

test('what an operation answers with is a named schema, and so is every object in a schema', () => {
  for (const { operationId, responses } of operationsIn(document)) {
    for (const [status, { content }] of Object.entries<Json>(responses)) {
      const schema = content?.['application/json']?.schema
      if (status.startsWith('2') && schema !== undefined)
        assert.match(schema.$ref, /^#\/components\/schemas\/\w+Envelope$/, operationId)
    }
  }
  const names = Object.keys(document.components.schemas)
  for (const noun of 'PayOrder PaymentLink Student Plan Refund Settlement Webhook OrderPaymentDebitedEvent'.split(
    ' ',
  ))
    assert.ok(names.includes(noun), noun)
  assert.deepEqual(
    names.filter(name => name.endsWith('EnvelopeData') || !/^[A-Z][A-Za-z0-9]*$/.test(name)),
    [],
  )
  for (const [name, whole] of Object.entries<Json>(document.components.schemas)) {
    const inner = schemasIn(whole.properties).filter(({ schema }) => schema.properties !== undefined)
    assert.deepEqual(inner, [], `an object without a name stands in ${name}`)
  }
})

test('a field has one type, amounts are doubles, and no format is our own', () => {
  const own = new Set(Object.keys(formats).filter(name => !['date', 'date-time', 'email'].includes(name)))
  for (const { at, schema } of schemasIn({ ...document, components: document.components.schemas })) {
    const types = [schema.type].flat().filter(type => type !== 'null')
    assert.equal(types.length, 1, at)
    if (schema.type === 'number') assert.equal(schema.format, 'double', at)
    if (schema.enum !== undefined) assert.equal(types[0], 'string', at)
    assert.ok(!own.has(schema.format), `${at}: ${schema.format}`)
    assert.deepEqual(
      Object.keys(schema).filter(word => word.startsWith('x-')),
      [],
      at,
    )
  }
})

test('every parameter has an example that fits it', () => {
  for (const { operationId, parameters = [] } of operationsIn(inlined))
    for (const { name, schema, example } of parameters) {
      assert.notEqual(example, undefined, `${operationId} ${name}`)
      assert.deepEqual(flawsOf(schema, example, name), [], operationId)
    }
})

test('a body is required where one of its fields is, and only there', () => {
  for (const { operationId, requestBody } of operationsIn(inlined)) {
    const schema = requestBody?.content['application/json']?.schema
    if (schema !== undefined)
      assert.equal(requestBody.required === true, schema.required.length > 0, operationId)
  }
})

test('the headers of answers are documented, and those that come are among them', async () => {
  const known = Object.keys(document.components.headers).map(name => name.toLowerCase())
  const { headers } = operationsIn(inlined).find(({ operationId }) => operationId === 'listPayOrders')
    .responses['200']
  const answer = await bursar.demo.get('/api/v1/integrations/pay/orders')
  for (const name of Object.keys(headers)) assert.ok(answer.headers.has(name), name)
  for (const name of answer.headers.keys())
    if (/^(x-request-id|ratelimit|retry|idempotent)/.test(name)) assert.ok(known.includes(name), name)
  for (const { operationId, responses } of operationsIn(inlined)) {
    assert.ok(responses['429'].headers['Retry-After'] && responses['503'].headers['Retry-After'], operationId)
    if ('409' in responses) assert.ok(responses['409'].headers['Idempotent-Replayed'], operationId)
  }
})

test('a webhook has an id that fits in an address, no API key, and the headers that deliveries have', () => {
  for (const [code, { post }] of Object.entries<Json>(document.webhooks)) {
    assert.match(post.operationId, /^on[A-Z][A-Za-z]+$/, code)
    assert.deepEqual(post.security, [], code)
    assert.deepEqual(
      post.parameters.map(({ name }: Json) => name),
      ['webhook-id', 'webhook-timestamp', 'webhook-signature', 'x-signature'],
    )
    assert.equal(post.requestBody.content['application/json'].example.event, code)
    assert.match(post.requestBody.content['application/json'].schema.$ref, /Event$/)
  }
})

test('every operation has a tag, and every tag a description', () => {
  const described = new Map(document.tags.map(({ name, description }: Json) => [name, description]))
  for (const { operationId, tags } of operationsIn(document))
    assert.ok(tags.length === 1 && described.get(tags[0]), operationId)
})

test('the document as YAML says the same as the one in JSON', async () => {
  const yaml = await fetch(`${bursar.url}/openapi.yaml`)
  assert.match(yaml.headers.get('content-type') ?? '', /^application\/yaml/)
  assert.deepEqual(parseYaml(await yaml.text()), document)
})
