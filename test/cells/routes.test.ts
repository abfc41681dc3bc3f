import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { Agent, createServer, request as post, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { MAP_NAMES, renderBackends, renderMap, toMaps } from '../../src/cells/maps.rules.ts'
import { startBursar } from '../harness/bursar.ts'
import { CONFIG, prepareProxy, WITHOUT_HAPROXY, type TestProxy } from './proxy.ts'

/** A school in the second cell, with all that leads to it. */
const SCHOOL = { id: 1_000_007, code: 'green-park', cell: 'south' }
const KEY = 'key_test_01k9zq4m0ve8sbn6yt2hw3c5da'
const ACCOUNT = 'pa_01k9zq4m0ve8sbn6yt2hw3c5da'

/** What parameters of a route's address are of a school; the others say nothing about it. */
const PARAMS: Record<string, string> = {
  institute: SCHOOL.code,
  institute_code: SCHOOL.code,
  institute_id: String(SCHOOL.id),
  account_id: ACCOUNT,
}

const BASIC = { authorization: `Basic ${Buffer.from(`${KEY}:secret`).toString('base64')}` }

type Marked = { query?: string; headers?: Record<string, string> }

/** How a request says whose it is, where its path does not. Each is what the product itself writes into links and cookies. */
const MARKS: readonly [prefix: string, mark: Marked][] = [
  ['/api/', { headers: BASIC }],
  ['/mcp', { headers: { authorization: `Bearer ${SCHOOL.code}.Zk3v0cX9mJq1uT5y` } }],
  ['/console/api/institutes/', {}],
  ['/console/api/', { headers: { 'bursar-at': SCHOOL.code } }],
  ['/parents', { headers: { cookie: `lang=hi; parents=${SCHOOL.code}.Zk3v0cX9mJq1uT5y` } }],
  ['/login-redirect', { query: `access_token=${SCHOOL.code}.Zk3v0cX9mJq1uT5y` }],
  ['/callbacks/lenders/', { query: `at=${SCHOOL.code}` }],
  // An account of the installation belongs to the cell.
  ['/callbacks/:provider', { query: 'at=@south' }],
  ['/sandbox/mailbox', { query: 'at=@south' }],
]

/** The same from every cell. */
const ANYWHERE = (
  '/openapi.json /openapi.yaml /lender/openapi.json /docs /docs/guides/search /docs/* /llms.txt /llms-full.txt ' +
  '/healthz /readyz /metrics /.well-known/security.txt /favicon.ico /favicon.svg ' +
  '/ /* /hosted/:provider/* /console /console/*'
).split(' ')

async function startCells(t: TestContext, options: { reloads?: boolean } = {}): Promise<TestProxy> {
  const cells = []
  for (const name of ['north', 'south']) {
    const server = createServer((request, response) => {
      // As after an upgrade of one cell: each has scripts that the other does not know.
      const isElsewhere = request.url?.startsWith('/console/assets/') === true && !request.url.includes(name)
      response.writeHead(isElsewhere ? 404 : 200).end(name)
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    t.after(() => {
      server.closeAllConnections()
      server.close()
    })
    const { port } = server.address() as { port: number }
    cells.push({ name, addresses: [`127.0.0.1:${port}`] })
  }
  const proxy = await prepareProxy(t, options)
  const maps = toMaps(cells, {
    schools: [SCHOOL, { id: 1, code: 'demo-school', cell: 'north' }],
    routes: [
      { kind: 'key', value: KEY, schoolId: SCHOOL.id },
      { kind: 'account', value: ACCOUNT, schoolId: SCHOOL.id },
    ],
  })
  await mkdir(proxy.maps)
  for (const name of MAP_NAMES) await writeFile(join(proxy.maps, `${name}.map`), renderMap(maps[name]))
  await writeFile(join(proxy.maps, 'cells.cfg'), renderBackends(cells))
  await proxy.start()
  return proxy
}

async function ask(
  proxy: TestProxy,
  method: string,
  path: string,
  { query, headers }: Marked,
): Promise<string> {
  const answer = await fetch(`${proxy.url}${path}${query === undefined ? '' : `?${query}`}`, {
    method,
    ...(headers && { headers }),
  })
  return answer.text()
}

const fill = (url: string): string =>
  url.replaceAll(/:(\w+)/g, (_, name: string) => PARAMS[name] ?? 'x1').replace('*', 'x1')

test(
  'the proxy finds the cell of every address of the product, or it is one that every cell answers alike',
  { skip: WITHOUT_HAPROXY },
  async t => {
    const { app } = await startBursar(t)
    const proxy = await startCells(t)
    const lost: string[] = []
    const all = [...app.routes, ...app.pages]
    const isAnywhere = (url: string): boolean => ANYWHERE.includes(url) || /^\/fonts[./]/.test(url)
    assert.deepEqual(
      ANYWHERE.filter(one => !all.some(({ url }) => url === one)),
      [],
      'named here and served no more',
    )
    for (const { method, url } of all) {
      if (isAnywhere(url)) continue
      const mark = MARKS.find(([prefix]) => url.startsWith(prefix))?.[1] ?? {}
      const cell = await ask(proxy, method, fill(url), mark)
      if (cell !== 'south') lost.push(`${method} ${url}`)
    }
    assert.equal(await ask(proxy, 'POST', '/mcp', { headers: BASIC }), 'south', 'also with a key')
    assert.deepEqual(
      lost,
      [],
      'no rule of deploy/haproxy/haproxy.cfg finds the school of these: give them its code in the path, or a mark in their links',
    )
  },
)

const basic = (text: string, form: BufferEncoding): Marked => ({
  headers: { authorization: `basic  ${Buffer.from(text).toString(form)}` },
})

test(
  'what no map knows goes to the first cell, and marks over https and in base64url are read',
  { skip: WITHOUT_HAPROXY },
  async t => {
    const proxy = await startCells(t)
    const cases: [path: string, mark: Marked, cell: string][] = [
      ['/api/v1/integrations/pay/orders', basic(`${KEY}:s~~~???>>>`, 'base64'), 'south'],
      ['/api/v1/integrations/pay/orders', basic(`${KEY}:s~~~???>>>`, 'base64url'), 'south'],
      ['/api/v1/integrations/pay/orders', basic('key_test_nobody:s', 'base64'), 'north'],
      ['/api/v1/integrations/pay/orders', {}, 'north'],
      // A parameter of an ERP's own does not lead its request elsewhere.
      [
        '/api/v1/integrations/pay/orders',
        { ...basic('key_test_nobody:s', 'base64'), query: 'at=@south' },
        'north',
      ],
      ['/pay/nobody/order_1', {}, 'north'],
      ['/pay/green-park', {}, 'south'],
      ['/console/i/green-park/money', {}, 'south'],
      ['/console/join/secret', { query: 'at=green-park' }, 'south'],
      ['/console/api/operator/health', { headers: { 'bursar-at': '@south' } }, 'south'],
      ['/console/api/session', { headers: { 'bursar-at': 'nobody' } }, 'north'],
      ['/parents', { headers: { cookie: '__Host-parents=green-park.x; parents=demo-school.x' } }, 'south'],
      ['/parents', {}, 'north'],
      ['/parentsx', { headers: { cookie: 'parents=green-park.x' } }, 'north'],
    ]
    for (const [path, mark, cell] of cases)
      assert.equal(await ask(proxy, 'GET', path, mark), cell, `${path} ${JSON.stringify(mark)}`)
  },
)

test('a script of the console is found in the cell that has it', { skip: WITHOUT_HAPROXY }, async t => {
  const proxy = await startCells(t)
  for (let no = 0; no < 20; no++)
    for (const cell of ['north', 'south'])
      assert.equal(await ask(proxy, 'GET', `/console/assets/index-${cell}${no}.js`, {}), cell)
  // At once too, as a browser asks for them.
  const many = Array.from({ length: 40 }, (_, no) => (no % 3 === 0 ? 'north' : 'south'))
  const found = await Promise.all(many.map(cell => ask(proxy, 'GET', `/console/assets/index-${cell}.js`, {})))
  assert.deepEqual(found, many)
})

/** One address of each kind that deploy/haproxy/haproxy.cfg treats by rules of its own. */
const KINDS: readonly [method: string, path: string][] = [
  ['POST', `/callbacks/razorpay/${ACCOUNT}`],
  ['POST', `/pay/${SCHOOL.code}/ord_1/start`],
  ['POST', `/sandbox/bank/${SCHOOL.id}/ref_1`],
  ['GET', `/console/i/${SCHOOL.code}/students`],
  ['GET', `/console/api/institutes/${SCHOOL.code}/students`],
  ['GET', '/console/assets/index-south.js'],
]

test('a reload of the proxy cuts off nobody who keeps a connection', { skip: WITHOUT_HAPROXY }, async t => {
  const proxy = await startCells(t, { reloads: true })
  const callers = KINDS.map(([method, path]) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    t.after(() => agent.destroy())
    return async () => {
      const request = post(`${proxy.url}${path}`, { method, agent }).end()
      const [answer] = (await once(request, 'response')) as [IncomingMessage]
      const port = request.socket?.localPort
      const cell = (await answer.setEncoding('utf8').toArray()).join('')
      return { path, port, cell, kept: answer.headers.connection !== 'close' }
    }
  })
  const askAll = () => Promise.all(callers.map(ask => ask()))
  const before = await askAll()
  for (const { path, cell, kept } of before)
    assert.deepEqual({ cell, kept }, { cell: 'south', kept: true }, path)
  await proxy.reload()
  // Once more on the kept connection, by the worker that ends.
  assert.deepEqual(
    await askAll(),
    before.map(one => ({ ...one, kept: false })),
  )
  for (const [index, { path, port, cell }] of (await askAll()).entries()) {
    assert.notEqual(port, before[index]?.port, path)
    assert.equal(cell, 'south', path)
  }
})

test('no proxy closes a connection earlier than Bursar has promised to keep it', async t => {
  const { url } = await startBursar(t)
  const answer = await fetch(`${url}/healthz`)
  const [, promised] = /^timeout=(\d+)$/.exec(answer.headers.get('keep-alive') ?? '') ?? []
  const [, kept] = /^ *timeout http-keep-alive (\d+)s$/m.exec(await readFile(CONFIG, 'utf8')) ?? []
  assert.ok(Number(kept) > Number(promised), `${kept} s, ${promised} s`)
})
