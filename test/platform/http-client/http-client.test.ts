import assert from 'node:assert/strict'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { test, type TestContext } from 'node:test'
import { gzipSync } from 'node:zlib'
import { addressPolicy } from '../../../src/platform/http-client/addresses.ts'
import {
  HttpClient,
  type HttpRequest,
  type HttpResult,
} from '../../../src/platform/http-client/http-client.ts'
import { NOBODY } from '../../harness/nobody.ts'
import { type Behaviour, FLOOD_BYTES, startReceiver } from '../../harness/receiver.ts'
import { waitFor } from '../../harness/wait.ts'

/** What the other side of a connection may do to us. */
const SHORT_MS = 300
const LONG_MS = 10_000

type Send = (url: string, changes?: Partial<HttpRequest>) => Promise<HttpResult>

function open(t: TestContext, connectionsPerOrigin?: number): { httpClient: HttpClient; send: Send } {
  const policy = addressPolicy({ mode: 'sandbox', allowed: [] })
  const httpClient = new HttpClient({
    policy,
    ...(connectionsPerOrigin === undefined ? {} : { connectionsPerOrigin }),
  })
  t.after(() => httpClient.close())
  const send: Send = (url, changes = {}) =>
    httpClient.send({
      method: 'POST',
      url,
      headers: { 'content-type': 'application/json' },
      body: '{"a":1}',
      timeoutMs: LONG_MS,
      maxBytes: 1_000,
      ...changes,
    })
  return { httpClient, send }
}

function assertFailed(result: HttpResult, reason: string, message: RegExp): void {
  assert.ok(result.kind === 'failed', JSON.stringify(result))
  assert.equal(result.reason, reason)
  assert.match(result.message, message)
}

function assertAnswered(result: HttpResult, status: number, text: string): void {
  assert.ok(result.kind === 'answered', JSON.stringify(result))
  assert.equal(result.httpStatus, status)
  assert.equal(result.body.toString(), text)
  assert.equal(result.isTruncated, false)
}

test('what is sent arrives as it was given, and what is answered comes back with its headers', async t => {
  const receiver = await startReceiver(t)
  receiver.answer(() => ({ status: 503, headers: { 'Retry-After': '7', 'X-Two': 'a' }, body: 'later' }))
  const { send } = open(t)
  const result = await send(`${receiver.origin}/a/b?c=d%20e&f`, { headers: { 'X-Mine': 'yes' } })
  assertAnswered(result, 503, 'later')
  assert.ok(result.kind === 'answered' && result.headers['retry-after'] === '7')
  assert.equal(result.headers['content-type'], 'text/plain')
  const [request] = receiver.requests
  assert.deepEqual([request?.method, request?.path, request?.body], ['POST', '/a/b?c=d%20e&f', '{"a":1}'])
  assert.equal(request?.headers['x-mine'], 'yes')
  assert.equal(request?.headers.host, new URL(receiver.url).host)
})

test('a body is given as it was sent, never decompressed', async t => {
  const receiver = await startReceiver(t)
  const packed = gzipSync(Buffer.alloc(100_000))
  receiver.answer(() => ({ headers: { 'content-encoding': 'gzip' }, body: packed }))
  const result = await open(t).send(receiver.url)
  assert.ok(result.kind === 'answered' && result.body.equals(packed))
})

const SLOW: [Behaviour, RegExp][] = [
  ['hang', /^No answer came within 300 ms\.$/],
  ['drip', /^The answer was not complete within 300 ms\.$/],
]
for (const [behaviour, message] of SLOW) {
  test(`a receiver that does ${JSON.stringify(behaviour)} is left at the deadline, and its connection ended`, async t => {
    const receiver = await startReceiver(t)
    receiver.answer(() => behaviour)
    const result = await open(t).send(receiver.url, { timeoutMs: SHORT_MS })
    assertFailed(result, 'timeout', message)
    assert.ok(result.durationMs >= SHORT_MS - 1 && result.durationMs < SHORT_MS + 1_000)
    await waitFor(async () => receiver.openConnections === 0, 'the connection to end')
  })
}

const OVERSIZE = `HTTP/1.1 200 OK\r\nx-long: ${'y'.repeat(20_000)}\r\n\r\n`
const BROKEN: [string, Behaviour, RegExp][] = [
  ['closes in the middle of its answer', 'close-mid-answer', /closed before the answer was complete/],
  ['closes without an answer', 'destroy', /closed before the answer was complete/],
  ['speaks something else', { raw: 'SSH-2.0-OpenSSH_9.6\r\n' }, /not valid HTTP/],
  ['sends headers without end', { raw: OVERSIZE }, /headers of the answer are too large/],
]
for (const [what, behaviour, message] of BROKEN) {
  test(`a receiver that ${what} is a broken answer`, async t => {
    const receiver = await startReceiver(t)
    receiver.answer(() => behaviour)
    assertFailed(await open(t).send(receiver.url), 'broken_answer', message)
  })
}

test('of an answer of 10 MB only as much as asked for is read, and the connection dropped', async t => {
  const receiver = await startReceiver(t)
  receiver.answer(() => 'flood')
  const result = await open(t).send(receiver.url, { maxBytes: 65_536 })
  assert.ok(result.kind === 'answered' && result.isTruncated)
  assert.equal(result.headers['content-length'], String(FLOOD_BYTES))
  assert.equal(result.body.length, 65_536)
  await waitFor(async () => receiver.unfinishedAnswers === 1, 'the answer to be broken off')
})

test('an answer of exactly the limit is whole, one byte more is not', async t => {
  const receiver = await startReceiver(t)
  receiver.answer(() => ({ body: 'x'.repeat(1_000) }))
  const { send } = open(t)
  assertAnswered(await send(receiver.url), 200, 'x'.repeat(1_000))
  const cut = await send(receiver.url, { maxBytes: 999 })
  assert.ok(cut.kind === 'answered' && cut.isTruncated && cut.body.length === 999)
})

test('a redirect is an answer like any other and is not followed', async t => {
  const [receiver, elsewhere] = [await startReceiver(t), await startReceiver(t)]
  const { send } = open(t)
  for (const location of ['http://169.254.169.254/latest/meta-data/', elsewhere.url]) {
    receiver.answer(() => ({ status: 307, headers: { location } }))
    const result = await send(receiver.url)
    assertAnswered(result, 307, '')
    assert.ok(result.kind === 'answered' && result.headers['location'] === location)
  }
  assert.equal(receiver.requests.length, 2)
  assert.equal(elsewhere.connections, 0)
})

test('interim answers are passed over', async t => {
  const receiver = await startReceiver(t)
  const hints = 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'
  receiver.answer(() => ({ raw: `${hints}HTTP/1.1 201 Created\r\ncontent-length: 2\r\n\r\nok` }))
  const result = await open(t).send(receiver.url)
  assertAnswered(result, 201, 'ok')
  assert.ok(result.kind === 'answered' && result.headers['link'] === undefined)
})

test('requests that began one after the other have their whole time each, and no more', async t => {
  const receiver = await startReceiver(t)
  const { send } = open(t)
  receiver.answer((_, n) => (n % 2 === 0 ? { body: 'ok' } : 'hang'))
  const hanging: Promise<HttpResult>[] = []
  for (let n = 0; n < 10; n++) {
    hanging.push(send(receiver.url, { timeoutMs: SHORT_MS }))
    await waitFor(async () => receiver.requests.length === 2 * n + 1, 'the one that hangs')
    assertAnswered(await send(receiver.url, { timeoutMs: SHORT_MS }), 200, 'ok')
  }
  for (const result of await Promise.all(hanging)) {
    assertFailed(result, 'timeout', /No answer came/)
    assert.ok(
      result.durationMs >= SHORT_MS && result.durationMs < SHORT_MS + 1_000,
      `${result.durationMs} ms`,
    )
  }
})

test('where nobody listens is not reachable', async t => {
  assertFailed(await open(t).send(`http://${NOBODY}`), 'not_reachable', /^The connection was refused\.$/)
})

test('connections are kept and used again, and one that its peer closed meanwhile costs no request', async t => {
  const receiver = await startReceiver(t)
  const { send } = open(t, 1)
  for (let n = 0; n < 20; n++) assertAnswered(await send(receiver.url), 200, 'ok')
  assert.equal(receiver.connections, 1)
  receiver.answer(() => ({ raw: 'HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nlast' }))
  assertAnswered(await send(receiver.url), 200, 'last')
  await waitFor(async () => receiver.openConnections === 0, 'the peer to close')
  receiver.answer(() => ({ body: 'again' }))
  assertAnswered(await send(receiver.url), 200, 'again')
  assert.equal(receiver.connections, 2)
})

for (const method of ['POST', 'GET', 'PUT'] as const) {
  test(`a ${method} whose kept connection is lost is a failure and is not sent a second time`, async t => {
    const receiver = await startReceiver(t)
    const { send } = open(t)
    const body = method === 'GET' ? null : '{}'
    assertAnswered(await send(receiver.url, { method, body }), 200, 'ok')
    receiver.answer(() => 'destroy')
    assertFailed(await send(receiver.url, { method, body }), 'broken_answer', /closed before/)
    receiver.answer(() => ({ body: 'fine' }))
    assertAnswered(await send(receiver.url, { method, body }), 200, 'fine')
    assert.equal(receiver.requests.length, 3)
  })
}

test('many requests at once share the connections that an origin is given, and all are answered', async t => {
  const receiver = await startReceiver(t)
  const full = Promise.withResolvers<void>()
  receiver.answer(async (_, n) => {
    if (n === 4) full.resolve()
    await full.promise
    return { body: 'ok' }
  })
  const { send } = open(t, 4)
  for (const result of await Promise.all(Array.from({ length: 100 }, () => send(receiver.url))))
    assertAnswered(result, 200, 'ok')
  assert.deepEqual([receiver.maxInFlight, receiver.maxOpenConnections, receiver.requests.length], [4, 4, 100])
})

test('a request whose time passed while it waited for a connection is never sent', async t => {
  const receiver = await startReceiver(t)
  const release = Promise.withResolvers<Behaviour>()
  receiver.answer(() => release.promise)
  const { send } = open(t, 1)
  const first = send(receiver.url, { body: 'first' })
  await receiver.waitForRequests(1)
  const late = await send(receiver.url, { body: 'late', timeoutMs: SHORT_MS })
  assertFailed(late, 'timeout', /^No connection was made within 300 ms\.$/)
  release.resolve({ body: 'ok' })
  assertAnswered(await first, 200, 'ok')
  assertAnswered(await send(receiver.url, { body: 'third' }), 200, 'ok')
  assert.deepEqual(
    receiver.requests.map(request => request.body),
    ['first', 'third'],
  )
  assert.equal(receiver.connections, 1)
})

test('a receiver that hangs holds up nobody else', async t => {
  const [hanging, well] = [await startReceiver(t), await startReceiver(t)]
  hanging.answer(() => 'hang')
  const { send } = open(t, 2)
  const stuck = Array.from({ length: 50 }, () => send(hanging.url, { timeoutMs: 3_000 }))
  await hanging.waitForRequests(2)
  assertAnswered(await send(well.url, { timeoutMs: 2_000 }), 200, 'ok')
  for (const result of await Promise.all(stuck)) assertFailed(result, 'timeout', /within 3000 ms/)
})

test('a header that would begin another, or that belongs to the connection, is refused before anything is sent', async t => {
  const receiver = await startReceiver(t)
  const { send } = open(t)
  const forged: Record<string, string>[] = [
    { 'x-a': 'b\r\nx-admin: yes' },
    { 'x-a': 'b\nx-admin: yes' },
    { 'x-a': 'b\0' },
    { 'x-a': 'b\r' },
    { 'x-a': 'पैसा' },
    { 'x-a\r\nx-admin': 'yes' },
    { 'x-a: b\r\nx-admin': 'yes' },
    { 'x a': 'b' },
    { '': 'b' },
    { Host: 'elsewhere.example' },
    { 'Content-Length': '3' },
    { 'transfer-encoding': 'chunked' },
    { connection: 'close' },
  ]
  for (const headers of forged) await assert.rejects(send(receiver.url, { headers }), JSON.stringify(headers))
  for (const url of ['ftp://127.0.0.1/', 'file:///etc/passwd', 'hook', 'http://'])
    await assert.rejects(send(url), /neither http nor https/, url)
  assert.equal(receiver.connections, 0)
  assertAnswered(await send(receiver.url, { headers: { 'x-a': 'b\tc d é' } }), 200, 'ok')
})

test('closing ends every connection at once and answers what was under way', async t => {
  const receiver = await startReceiver(t)
  receiver.answer(() => 'hang')
  const { httpClient, send } = open(t, 2)
  const underWay = [send(receiver.url), send(receiver.url), send(receiver.url)]
  await receiver.waitForRequests(2)
  await httpClient.close()
  for (const result of await Promise.all(underWay)) assertFailed(result, 'stopped', /Bursar was stopping/)
  assertFailed(await send(receiver.url), 'stopped', /Bursar was stopping/)
  await waitFor(async () => receiver.openConnections === 0, 'the connections to end')
})

test('closing also ends connections that are still being made', async t => {
  const sockets = new Set<Socket>()
  const silent = createServer(socket => {
    sockets.add(socket.resume())
    socket.on('error', () => {}).once('close', () => sockets.delete(socket))
  })
  await new Promise<void>(resolve => silent.listen(0, '127.0.0.1', resolve))
  t.after(() => void silent.close())
  const { httpClient, send } = open(t)
  const handshake = send(`https://127.0.0.1:${(silent.address() as AddressInfo).port}/`)
  await waitFor(async () => sockets.size === 1, 'the handshake to begin')
  await httpClient.close()
  assertFailed(await handshake, 'stopped', /Bursar was stopping/)
  // undici gives up a handshake by itself after 10 s.
  await waitFor(async () => sockets.size === 0, 'the handshake to end', { limitMs: 5_000 })
})
