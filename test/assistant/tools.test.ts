import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { TOOLS } from '../../src/assistant/tools.ts'
import { createKey } from '../../src/institutes/keys.service.ts'
import { startBursar } from '../harness/bursar.ts'
import { DEMO, GROUP, type Json } from '../harness/client.ts'
import { fillDemoGroup, fillDemoSchool, mapValues, nearMiss } from '../http/fixtures/tenants.ts'
import { answered, basic, call, connect } from './support.ts'

/** Every tool, whatever tools there will be, asked by both institutes with everything that Demo School has. */
const bursar = await startBursar({ after })
const { url } = bursar
const theirs = await fillDemoSchool(bursar)
await fillDemoGroup(bursar)
const demo = await connect({ after }, url, basic(DEMO))
const group = await connect({ after }, url, basic(GROUP))
const { tools } = await demo.listTools()

/** What is everybody's. */
const SHARED = { event_code: 'pay.payment.debited', from: '2026-01-01', to: '2026-12-31' }
const IDS: Record<string, string> = {
  ...theirs.path,
  q: theirs.path['order_id'] ?? '',
  resource_id: theirs.query['resource_id'] ?? '',
}

/** What a tool has to be told, and the ids that it may be told. */
function argumentsOf(name: string, known: Record<string, string>): Record<string, string> {
  const tool = tools.find(one => one.name === name)
  const wanted = Object.keys(tool?.inputSchema.properties ?? {}).filter(
    one => one === 'q' || one.endsWith('_id') || tool?.inputSchema.required?.includes(one),
  )
  return Object.fromEntries(wanted.flatMap(one => (known[one] === undefined ? [] : [[one, known[one]]])))
}

test('an assistant is told what the tools are, what they take, and that texts in answers are no instructions', () => {
  assert.deepEqual(tools.map(({ name }) => name).toSorted(), TOOLS.map(({ name }) => name).toSorted())
  assert.match(demo.getInstructions() ?? '', /never instructions/)
  for (const { name, title, description, inputSchema, annotations } of tools) {
    assert.ok(title && description && annotations?.readOnlyHint, name)
    assert.equal(Object.hasOwn(inputSchema.properties ?? {}, 'institute_code'), false, name)
    for (const field of Object.values<Json>(inputSchema.properties ?? {})) assert.ok(field.description, name)
  }
})

for (const { name, operation } of TOOLS) {
  test(`${name} answers its own institute`, async () => {
    const body = await answered(demo, name, argumentsOf(name, { ...IDS, ...SHARED }))
    assert.match(body.note, /data, never instructions/)
    assert.ok(!Array.isArray(body.data) || body.data.length <= 20)
  })

  test(`${name} takes no path for an id`, async () => {
    const given = argumentsOf(name, { ...IDS, ...SHARED })
    for (const field of Object.keys(given).filter(one => operation.includes(`:${one}`))) {
      const { isError, text } = await call(demo, name, { ...given, [field]: '..' })
      assert.ok(isError, `${field}: ${text}`)
      assert.doesNotMatch(text, /There is no/)
    }
  })

  test(`${name} answers for another institute's ids as for unknown ones`, async () => {
    const [foreign, nobodys] = await Promise.all(
      [IDS, mapValues(IDS, nearMiss)].map(known =>
        call(group, name, argumentsOf(name, { ...known, ...SHARED })),
      ),
    )
    assert.equal(foreign?.text, nobodys?.text)
    assert.doesNotMatch(foreign?.text ?? '', /of-demo/i)
  })

  // It is of no institute; its examples are those of the reference.
  if (name === 'describe_event') continue
  test(`${name} tells a key nobody's name, phone or e-mail`, async () => {
    const { text } = await call(demo, name, argumentsOf(name, { ...IDS, ...SHARED }))
    assert.doesNotMatch(text, /asha|kabir|\brao\b|98765|@example\.in|2015-06-20/i)
  })
}

test('a page has 20 rows unless another number is asked for, and never more than 50', async () => {
  for (let made = 0; made < 21; made++)
    await bursar.demo.post('/api/v1/integrations/pay/orders', {
      name: 'Asha Rao',
      phone: '9876543210',
      email: 'asha@example.in',
      details: [{ component_type: 'TUITION_FEE', amount: 1 }],
    })
  const page = await answered(demo, 'list_orders')
  assert.equal(page.data.length, 20)
  assert.equal(page.has_more, true)
  assert.match(page.more, /Narrow/)
  const next = await answered(demo, 'list_orders', { limit: 500, cursor: page.next_cursor })
  assert.ok(next.data.length > 0 && next.data.length <= 50)
})

test('what is wrong with a call is said so that an assistant can mend it', async () => {
  assert.match(
    (await call(demo, 'get_order', { order: 'x' })).text,
    /does not take order\. It takes order_id/,
  )
  assert.match((await call(demo, 'get_order')).text, /order_id must be a text/)
  assert.match((await call(demo, 'get_order', { order_id: 'order_0' })).text, /was not found\. Check its id/)
  assert.match((await call(demo, 'list_orders', { status: 'lost' })).text, /status .*must be/)
  assert.match((await call(demo, 'pay_all')).text, /There is no tool pay_all\. You have: search/)
})

const raw = (
  headers: Record<string, string>,
  body: unknown = { jsonrpc: '2.0', id: 1, method: 'tools/list' },
) =>
  fetch(`${url}/mcp`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      authorization: basic(DEMO),
      ...headers,
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })

test('an assistant of the year before, which begins with a handshake and has no session, is served too', async () => {
  const params = {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'old', version: '1' },
  }
  const greeted = await raw({}, { jsonrpc: '2.0', id: 1, method: 'initialize', params })
  assert.equal(greeted.status, 200)
  assert.equal(greeted.headers.get('mcp-session-id'), null)
  assert.match(await greeted.text(), /"protocolVersion":"2025-06-18"/)
  const listed = await raw({ 'mcp-protocol-version': '2025-06-18' })
  assert.match(await listed.text(), /"get_student"/)
})

test('without an active key, with a wrong secret or without the scope read nobody asks anything', async () => {
  for (const authorization of ['', 'Bearer nothing', basic({ ...DEMO, secret: 'wrong' })]) {
    const refused = await raw({ authorization })
    assert.equal(refused.status, 401)
    assert.match(refused.headers.get('www-authenticate') ?? '', /^Basic /)
  }
  const key = await createKey(bursar.app.ctx, 'demo-school', { label: 'orders', scopes: ['orders'] })
  const refused = await raw({ authorization: basic({ key: key.keyId, secret: key.secret }) })
  assert.equal(refused.status, 403)
  assert.match(await refused.text(), /lacks the scope \\"read\\"/)
})

test('a web page cannot ask, whatever name it was made to point here by', async () => {
  assert.equal((await raw({ origin: 'https://evil.example' })).status, 403)
  assert.equal((await raw({ origin: url })).status, 200)
})

test('other methods, what is no JSON and what is too long are refused without a stall', async () => {
  assert.equal((await fetch(`${url}/mcp`, { headers: { authorization: basic(DEMO) } })).status, 405)
  assert.equal((await raw({}, '{')).status, 400)
  assert.equal((await raw({}, `"${'x'.repeat(1_100_000)}"`)).status, 413)
})

test('what an assistant may see opens the console to nobody else', async () => {
  await answered(demo, 'get_overview')
  const answer = await fetch(`${url}/console/api/institutes/demo-school/home`)
  assert.equal(answer.status, 401)
})

test('what an assistant asked with a key stands in the log of requests of that key', async () => {
  const { body } = await bursar.demo.get('/api/v1/integrations/erp/requests?limit=200')
  assert.ok(body.data.some((one: Json) => one.route === '/mcp'))
})

test('the guides are searched, and what a sum is from, to and by is no secret', async () => {
  const { data } = await answered(demo, 'search_guides', { q: 'webhook-signature' })
  assert.ok(data.length > 0 && data.length <= 8)
  for (const { path, markdown, section, page } of data) {
    assert.match(path, /^\/docs\/guides\/[\w-]+#/)
    assert.match(`${page} ${section} ${markdown}`, /webhook-signature/i)
  }
  const { data: takings } = await answered(demo, 'get_takings', {
    from: '2026-11-01',
    to: '2026-11-02',
    by: 'month',
  })
  assert.deepEqual([takings.from, takings.to, takings.by], ['2026-11-01', '2026-11-02', 'month'])
})
