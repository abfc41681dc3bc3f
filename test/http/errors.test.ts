import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { createKey, revokeKey } from '../../src/institutes/keys.service.ts'
import { SCOPES } from '../../src/institutes/institutes.rules.ts'
import { startBursar } from '../harness/bursar.ts'
import { startTestCluster, stopTestCluster } from '../harness/postgres/cluster.ts'
import { Client, DEMO, type Answer, type Json } from '../harness/client.ts'
import { ERP, PAY, sampleOrder, sampleStudent, sampleWebhook } from '../harness/samples.ts'
import { findOperation } from './openapi-check.ts'
import { assertRefused, assertStatus, clientWith, createLink, openContract, sendRaw } from './support.ts'

const contract = await openContract()
const { demo, url } = contract
const plain = new Client(url, DEMO)
const ORDERS = `${PAY}/orders`

async function withHeader(authorization: string | undefined, path = ORDERS): Promise<Answer> {
  return sendRaw(url, { method: 'GET', path, headers: authorization === undefined ? {} : { authorization } })
}

const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`

test('an error is status, code, message, errors and request_id, and nothing else', async () => {
  const { body } = await demo.post(ORDERS, sampleOrder({ details: [{ component_type: 'A', amount: -1 }] }))
  assert.deepEqual(Object.keys(body).sort(), ['code', 'errors', 'message', 'request_id', 'status'])
  assert.equal(body.status, 'error')
  assert.match(body.request_id, /^req_/)
  assert.deepEqual(Object.keys(body.errors[0]).sort(), ['key', 'message'])
  assert.equal(body.errors[0].key, 'details.0.amount')
})

test('errors stands only where fields have to change', async () => {
  const answers = [
    await demo.get(`${ORDERS}/order_unknown`),
    await demo.post(ORDERS, '{'),
    await demo.delete(`${ERP}/webhooks/wh_unknown`),
    await demo.get('/nowhere'),
  ]
  for (const { body } of answers) {
    assert.deepEqual(Object.keys(body).sort(), ['code', 'message', 'request_id', 'status'])
  }
})

test('every field problem of a request is reported at once', async () => {
  const answer = await demo.post(ORDERS, { phone: 'x', email: 'x', details: [{ amount: 0 }] })
  for (const key of ['name', 'phone', 'email', 'details.0.component_type', 'details.0.amount'])
    assertRefused(answer, 'HUE00000', key)
})

test('request ids differ from request to request', async () => {
  const [one, two] = [await demo.get('/nowhere'), await demo.get('/nowhere')]
  assert.notEqual(one.body.request_id, two.body.request_id)
})

for (const [name, header] of Object.entries({
  'no Authorization': undefined,
  'a wrong secret': basic('key_test_demo:wrong'),
  "another institute's secret": basic('key_test_demo:secret_test_group'),
  'an unknown key': basic('key_test_nobody:secret_test_demo'),
  'no secret': basic('key_test_demo'),
  'another scheme': 'Bearer secret_test_demo',
  'broken base64': 'Basic ***',
  'an empty header': '',
})) {
  test(`${name} is 401 AUE00000 with the challenge`, async () => {
    const answer = await withHeader(header)
    assertRefused(answer, 'AUE00000')
    assert.equal(answer.headers.get('www-authenticate'), 'Basic realm="fee-collection"')
    assert.match(answer.body.request_id, /^req_/)
  })
}

test('authentication comes before anything the request says', async () => {
  assertRefused(await withHeader(undefined, `${ORDERS}/order_unknown`), 'AUE00000')
  assertRefused(await withHeader(undefined, `${ORDERS}/${'x'.repeat(65)}`), 'AUE00000')
  const post = await sendRaw(url, { method: 'POST', path: ORDERS, body: '{' })
  assertRefused(post, 'AUE00000')
})

test('credentials as URL userinfo work', async () => {
  const answer = await sendRaw(url, { method: 'GET', path: ORDERS, auth: 'key_test_demo:secret_test_demo' })
  assertStatus(answer, 200)
})

test('a revoked key is 401', async () => {
  const { ctx } = contract.app
  const key = await createKey(ctx, 'demo-school', { label: 'to revoke', scopes: ['read'] })
  await revokeKey(ctx, key.keyId)
  assertRefused(await withHeader(basic(`${key.keyId}:${key.secret}`)), 'AUE00000')
})

test('a key that may only read reads, and is 403 AUE00001 on every write, which is not done', async () => {
  const link = await createLink(demo)
  const reader = await clientWith(contract, { scopes: ['read'] })
  assertStatus(await reader.get(ORDERS), 200)
  for (const answer of [
    await reader.post(ORDERS, sampleOrder()),
    await reader.delete(`${PAY}/payment_links/${link}`),
    await reader.post(`${ERP}/users/p/students`, { student: sampleStudent() }),
    await reader.patch(`${ERP}/students/student_x/fee`, {}),
    await reader.post(`${ERP}/webhooks`, sampleWebhook()),
    await reader.delete(`${ERP}/webhooks/wh_x`),
  ])
    assertRefused(answer, 'AUE00001')
  assert.equal((await demo.get(`${PAY}/payment_links/${link}`)).body.data.status, 'unpaid')
})

test('a key that may only write is 403 AUE00001 on reads', async () => {
  const writer = await clientWith(contract, { scopes: ['write'] })
  assertStatus(await writer.post(ORDERS, sampleOrder()), 201)
  assertRefused(await writer.get(ORDERS), 'AUE00001')
})

test('each scope opens exactly the operations that the reference gives it, and 403 names what is missing', async () => {
  const { paths } = (await plain.get('/openapi.json')).body
  for (const scope of SCOPES) {
    const client = await clientWith(contract, { scopes: [scope] })
    let opened = 0
    for (const route of contract.app.routes.filter(one => one.scope !== null)) {
      const path = route.url.replaceAll(/:(\w+)/g, '{$1}')
      assert.equal(paths[path][route.method.toLowerCase()]['x-scope'], route.scope, path)
      const answer = await client.send(route.method, route.url.replaceAll(/:\w+/g, 'unknown'))
      if (route.scope === scope) opened += 1
      assert.equal(answer.status !== 403, route.scope === scope, `${scope}: ${route.method} ${route.url}`)
      if (answer.status === 403) assert.match(answer.body.message, new RegExp(`the scope "${route.scope}"`))
    }
    assert.ok(opened > 0, `some operation needs ${scope}`)
  }
})

test('every operation of the API takes a key and names its scope', () => {
  const open = contract.app.routes.filter(({ url, scope }) => url.startsWith('/api/') && scope === null)
  assert.deepEqual(open, [])
})

test('a key that was stored with the scope write does all that it did', async () => {
  const { keyId, secret } = await createKey(contract.app.ctx, 'demo-school', {
    label: 'older',
    scopes: ['read'],
  })
  await contract.sql(`update api_keys set scopes = array['write'] where key_id = $1`, [keyId])
  const older = new Client(url, { key: keyId, secret })
  assertStatus(await older.post(ORDERS, sampleOrder()), 201)
  for (const path of [
    `${ORDERS}/order_x/refunds`,
    `${ERP}/students/student_x/drop`,
    `${ERP}/webhooks/wh_x/test`,
  ])
    assertStatus(await older.post(path, {}), 404)
  assertRefused(await older.get(ORDERS), 'AUE00001')
})

for (const path of ['/nowhere', '/api/v1/nothing', '/api/v2/integrations/pay/orders', `${ORDERS}/a/b/c`]) {
  test(`the unknown route ${path} is 404 HUE00001, with and without a key`, async () => {
    assertRefused(await demo.get(path), 'HUE00001')
    assertRefused(await withHeader(undefined, path), 'HUE00001')
    assertRefused(await demo.post(path, {}), 'HUE00001')
  })
}

for (const [method, path] of [
  ['PUT', ORDERS],
  ['PATCH', ORDERS],
  ['DELETE', ORDERS],
  ['POST', `${ORDERS}/order_x`],
  ['PUT', `${PAY}/payment_links/order_x`],
  ['GET', `${ERP}/users/p/students`],
  ['POST', `${ERP}/students/student_x/fee`],
  ['PUT', `${ERP}/webhooks`],
  ['PATCH', `${ERP}/webhooks/wh_x`],
] as const) {
  test(`${method} ${path} is 405 HUE00003`, async () => {
    const answer = await demo.send(method, path, method === 'GET' ? undefined : {})
    assertRefused(answer, 'HUE00003')
    assert.ok(!(answer.headers.get('allow') ?? method).split(', ').includes(method))
  })
}

const MIB = 1_048_576

/** An order padded to a size by a field that is ignored. */
function orderOf(bytes: number): string {
  const bare = JSON.stringify(sampleOrder({ padding: '' })).length
  return JSON.stringify(sampleOrder({ padding: 'x'.repeat(bytes - bare) }))
}

test('a body of 1 MiB is accepted', async () => {
  assertStatus(await plain.post(ORDERS, orderOf(MIB)), 201)
})

test('a body beyond 1 MiB is 413 HUE00004 in the envelope', async () => {
  const answer = await plain.post(ORDERS, orderOf(MIB + 1))
  assertRefused(answer, 'HUE00004')
  assert.match(answer.body.request_id, /^req_/)
})

test('the reference documents the 413 of every operation that takes a body', async () => {
  for (const [method, path] of [
    ['POST', ORDERS],
    ['POST', `${PAY}/payment_links`],
    ['POST', `${ERP}/users/p/students`],
    ['PATCH', `${ERP}/students/s/fee`],
    ['POST', `${ERP}/webhooks`],
  ] as const)
    assert.ok(findOperation(contract.document, method, path)?.operation.responses['413'], `${method} ${path}`)
})

test('answers state the limit of the key in RateLimit headers, by default a burst of 2000', async () => {
  const { headers } = await demo.get(ORDERS)
  assert.equal(headers.get('ratelimit-limit'), '2000')
  assert.ok(Number(headers.get('ratelimit-remaining')) <= 2000)
  assert.ok(headers.has('ratelimit-reset'))
})

test('a key of one request a second is 429 RLE00000 with Retry-After beyond it, other keys are not', async () => {
  const slow = await clientWith(contract, { ratePerSecond: 1, burst: 1 })
  const [first, second] = [await slow.get(ORDERS), await slow.get(ORDERS)]
  assertStatus(first, 200)
  assertRefused(second, 'RLE00000')
  assert.match(second.headers.get('retry-after') ?? '', /^[1-9]\d*$/)
  assert.equal(second.headers.get('ratelimit-remaining'), '0')
  assertStatus(await demo.get(ORDERS), 200)
})

test('a fault of the service is 500 SYE00000 without stack, SQL or internal names', async () => {
  await contract.sql('alter table webhook_subscriptions rename to elsewhere')
  const answer = await plain.get(`${ERP}/webhooks`)
  await contract.sql('alter table elsewhere rename to webhook_subscriptions')
  assertRefused(answer, 'SYE00000')
  assert.deepEqual(Object.keys(answer.body).sort(), ['code', 'message', 'request_id', 'status'])
  assert.doesNotMatch(answer.text, /webhook_subscriptions|relation|select|\.ts|node_modules|    at /i)
})

test('while the database is away calls are 503 SYE00001, readiness says no and the process lives on', async t => {
  const folder = mkdtempSync(join(tmpdir(), 'bursar-away-'))
  t.after(() => stopTestCluster(folder).finally(() => rmSync(folder, { recursive: true, force: true })))
  const host = encodeURIComponent(await startTestCluster(folder))
  const bursar = await startBursar(t, { DATABASE_URL: `postgres://bursar@localhost/postgres?host=${host}` })
  assertStatus(await bursar.demo.get(`${ORDERS}?limit=1`), 200)
  await stopTestCluster(folder, 'SIGINT')
  for (const path of [ORDERS, `${ORDERS}/order_x`, `${ERP}/webhooks`, `${ERP}/students`])
    assertRefused(await bursar.demo.get(path), 'SYE00001')
  assertRefused(await bursar.demo.post(ORDERS, sampleOrder()), 'SYE00001')
  assertRefused(await bursar.demo.post(`${ERP}/webhooks`, sampleWebhook()), 'SYE00001')
  assertRefused(await bursar.group.get(ORDERS), 'SYE00001')
  assertStatus(await bursar.demo.get('/healthz'), 200)
  assertRefused(await bursar.demo.get('/readyz'), 'SYE00001')
  await startTestCluster(folder)
  assertStatus(await bursar.demo.get(ORDERS), 200)
  assertStatus(await bursar.demo.get('/readyz'), 200)
})

test('every error of every operation wears the envelope in the reference', () => {
  const statuses = Object.values(contract.document.paths)
    .flatMap(operations => Object.values(operations))
    .flatMap(({ responses }) => Object.entries(responses).filter(([status]) => Number(status) >= 400))
  assert.ok(statuses.length > 50)
  for (const [, answer] of statuses) {
    const schema: Json = answer.content?.['application/json']?.schema
    assert.deepEqual(schema, contract.document.components.schemas['Error'])
  }
  const { required } = contract.document.components.schemas['Error'] as Json
  assert.deepEqual(required.toSorted(), ['code', 'message', 'request_id', 'status'])
})

const BROWSER = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' }

test('a person who opens the bare address or a wrong one gets a page with the ways in, a program JSON', async () => {
  const open = async (path: string, headers: Record<string, string>): Promise<[number, string, string]> => {
    const answer = await fetch(`${contract.url}${path}`, { headers })
    return [answer.status, answer.headers.get('content-type') ?? '', await answer.text()]
  }
  const [status, type, page] = await open('/', BROWSER)
  assert.deepEqual([status, type], [200, 'text/html; charset=utf-8'])
  for (const way of ['/console', '/docs', '/sandbox/mailbox']) assert.ok(page.includes(`href="${way}"`), way)
  const [lost, , wrong] = await open('/no/such/page', { ...BROWSER, 'accept-language': 'hi' })
  assert.equal(lost, 404)
  assert.match(wrong, /यह पेज नहीं है/)
  for (const path of ['/', '/no/such/page']) assert.equal((await open(path, {}))[0], 404)
  for (const path of ['/api/v1/no-such', '/console/api/no-such']) {
    const [code, json] = await open(path, BROWSER)
    assert.equal(code, 404)
    assert.match(json, /^application\/json/, path)
  }
  const icon = await fetch(`${contract.url}/favicon.ico`)
  assert.equal(icon.headers.get('content-type'), 'image/svg+xml')
})

test('HEAD is answered as GET is, without the body: by the API, pages, files and health', async () => {
  for (const path of [
    '/healthz',
    '/docs',
    '/openapi.json',
    '/api/v1/integrations/pay/orders',
    '/nothing-here',
  ]) {
    const headers = {
      authorization: basic(`${DEMO.key}:${DEMO.secret}`),
      accept: 'text/html, application/json',
    }
    const [head, get] = await Promise.all(
      ['HEAD', 'GET'].map(method => fetch(`${url}${path}`, { method, headers, redirect: 'manual' })),
    )
    assert.equal(head?.status, get?.status, path)
    assert.equal(head?.headers.get('content-type'), get?.headers.get('content-type'), path)
    assert.equal(await head?.text(), '', path)
  }
})
