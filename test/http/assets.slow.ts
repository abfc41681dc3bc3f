import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import { after, test } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { request } from 'undici'
import { createServer as createHttpServer } from 'node:http'
import { once } from 'node:events'
import { MAX_STALL_MS, SlowReaders } from '../../src/http/limits/slow-connections.ts'
import { startBursar } from '../harness/bursar.ts'
import { PAY } from '../harness/samples.ts'
import { waitFor } from '../harness/wait.ts'
import { exchange, type Reply } from './fixtures/exchange.ts'

const bursar = await startBursar({ after })
const { url } = bursar
const SCRIPT = `${url}/docs/js/scalar.js`

test('the reference, its script and the document are compressed as the reader accepts, and the same in every form', async () => {
  for (const address of [`${url}/docs/`, SCRIPT, `${url}/openapi.json`, `${url}/openapi.yaml`]) {
    const plain = await fetchAs(address, 'identity')
    assert.equal(plain.headers['content-encoding'], undefined)
    const br = await fetchAs(address, 'gzip, deflate, br')
    assert.equal(br.headers['content-encoding'], 'br')
    assert.deepEqual(brotliDecompressSync(br.body), plain.body)
    const gzip = await fetchAs(address, 'br;q=0, gzip')
    assert.equal(gzip.headers['content-encoding'], 'gzip')
    assert.deepEqual(gunzipSync(gzip.body), plain.body)
    assert.equal(Number(gzip.headers['content-length']), gzip.body.length)
  }
})

test('a reader that has them already gets 304 by their ETag', async () => {
  for (const address of [`${url}/docs/`, SCRIPT, `${url}/openapi.json`, `${url}/openapi.yaml`]) {
    const { headers } = await fetchAs(address, 'br')
    const again = await request(address, { headers: { 'if-none-match': String(headers['etag']) } })
    assert.equal(again.statusCode, 304)
    assert.equal(await again.body.text(), '')
  }
})

test('the reference is framed by nobody and runs only its own scripts', async () => {
  const { headers } = await fetchAs(`${url}/docs/`, 'identity')
  const policy = String(headers['content-security-policy'])
  assert.match(policy, /default-src 'none'/)
  assert.match(policy, /script-src 'self' 'sha256-[^']+'(?: 'sha256-[^']+')*;/)
  assert.match(policy, /frame-ancestors 'none'/)
})

test('300 connections that read nothing of the script hold little memory', async () => {
  await fetchAs(SCRIPT, 'br')
  const before = process.memoryUsage().rss
  const sockets = await Promise.all(Array.from({ length: 300 }, () => askAndNotRead(SCRIPT)))
  const grown = (process.memoryUsage().rss - before) / 2 ** 20
  for (const socket of sockets) socket.destroy()
  assert.ok(grown < 200, `${grown.toFixed(0)} MiB for 300 connections`)
})

test('a connection whose reader stops is closed after its time, and one that reads is not', async () => {
  const server = createHttpServer((_request, response) => response.end(Buffer.alloc(32 * 2 ** 20)))
  const readers = new SlowReaders(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  const stalled = await askAndNotRead(`http://127.0.0.1:${port}/`)
  const reading = connect(port, '127.0.0.1').on('error', () => {})
  reading.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')
  await new Promise<void>(resolve => {
    let bytes = 0
    reading.on('data', (chunk: Buffer) => (bytes += chunk.length) > 32 * 2 ** 20 && resolve())
  })
  assert.equal(readers.sweep(0), 0)
  assert.equal(readers.sweep(MAX_STALL_MS - 1), 0)
  assert.equal(readers.sweep(MAX_STALL_MS), 1)
  // What the kernel had taken still comes; then the connection ends.
  stalled.resume()
  await waitFor(async () => stalled.closed, 'the end of the connection')
  assert.equal(reading.closed, false)
  reading.destroy()
  server.close()
})

async function fetchAs(address: string, encoding: string) {
  const answer = await request(address, { headers: { 'accept-encoding': encoding } })
  assert.equal(answer.statusCode, 200)
  return { headers: answer.headers, body: Buffer.from(await answer.body.arrayBuffer()) }
}

/** Sends the request and waits for the first bytes only. */
async function askAndNotRead(address: string): Promise<Socket> {
  const { port, pathname } = new URL(address)
  const socket = connect(Number(port), '127.0.0.1').on('error', () => {})
  socket.write(`GET ${pathname} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
  await once(socket, 'readable')
  return socket
}

async function getAs(host: string, path: string): Promise<Reply> {
  return exchange(bursar.url, `GET ${path} HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`)
}

test('a Host that is no name is a 400 in our envelope', async () => {
  for (const host of ['[', '[]', 'a b', 'http://localhost', 'localhost:port', ''])
    for (const path of ['/docs', '/docs/', '/console', '/healthz']) {
      const reply = await getAs(host, path)
      assert.equal(reply.status, 400, `${host}: ${reply.text}`)
      assert.match(reply.text, /"code":"HUE00000"/)
    }
})

test('a sandbox answers nobody whose name was made to point to it, and everybody under its own', async () => {
  for (const host of ['evil.example', 'localhost.evil.example', '127.0.0.1.evil.example:80']) {
    for (const path of ['/docs', '/console/api/session', `${PAY}/orders`, '/sandbox/mailbox']) {
      const reply = await getAs(host, path)
      assert.equal(reply.status, 400, `${host}: ${reply.text}`)
      assert.match(reply.text, path === '/sandbox/mailbox' ? /<h1>/ : /set PUBLIC_URL/)
    }
    assert.equal((await getAs(host, '/healthz')).status, 200)
  }
  const { port } = new URL(bursar.url)
  for (const host of [
    'localhost',
    `LOCALHOST:${port}`,
    'bursar.localhost',
    `127.0.0.1:${port}`,
    '[::1]:80',
    '192.168.1.5',
  ])
    assert.equal((await getAs(host, '/console/api/session')).status, 200, host)
})
