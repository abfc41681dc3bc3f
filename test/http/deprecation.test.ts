import assert from 'node:assert/strict'
import { test } from 'node:test'
import Fastify from 'fastify'
import { keepRouteTable } from '../../src/http/endpoint.ts'
import { deprecationHeaders } from '../../src/http/openapi/deprecation.ts'
import { describeApi } from '../../src/http/openapi/document.ts'
import { documentEndpoint } from '../../src/http/openapi/operation.ts'
import type { Json } from '../harness/client.ts'

const LEAVING = { since: '2027-04-01', sunset: '2028-04-01', instead: 'Read `state`.' }

function docs(deprecated: { field?: string }): Record<string, unknown> {
  const texts = { operationId: 'planted', tag: 'Fees', summary: 'Planted', description: 'Planted.' } as const
  return documentEndpoint({
    docs: { ...texts, deprecated: { ...LEAVING, ...deprecated } },
    scope: 'read',
    answers: {},
  })
}

test('what is deprecated says so in the document and, with dates, on every answer', async t => {
  const app = Fastify()
  t.after(() => app.close())
  keepRouteTable(app)
  app.get('/api/v1/whole', { schema: docs({}) }, () => 'served')
  app.get('/api/v1/field', { schema: docs({ field: 'data.old' }) }, () =>
    Promise.reject(new Error('refused')),
  )
  for (const [path, status] of [
    ['whole', 200],
    ['field', 500],
  ] as const) {
    const { statusCode, headers } = await app.inject(`/api/v1/${path}`)
    assert.equal(statusCode, status)
    assert.equal(headers['deprecation'], '@1806537600')
    assert.equal(headers['sunset'], 'Sat, 01 Apr 2028 00:00:00 GMT')
    assert.equal(headers['link'], '</docs/guides/versions>; rel="deprecation"; type="text/html"')
  }
  const document = describeApi(app.routeTable, { publicUrl: 'https://fees.example.in', webhooks: {} })
  const { '/api/v1/whole': whole, '/api/v1/field': field } = document['paths'] as Json
  assert.equal(whole.get.deprecated, true)
  assert.match(
    whole.get.description,
    /Deprecated since 2027-04-01, served at least until 2028-04-01\. Read `state`\./,
  )
  assert.equal(field.get.deprecated, undefined)
  assert.match(field.get.description, /`data\.old` is deprecated since 2027-04-01/)
})

test('nothing is deprecated for less than a year', () => {
  assert.throws(() => deprecationHeaders({ ...LEAVING, sunset: '2028-03-01' }), /for a year at least/)
})
