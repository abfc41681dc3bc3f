import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { type AddressInfo, createServer } from 'node:net'
import { test, type TestContext } from 'node:test'
import { anyAddress } from '../../../src/platform/http-client/addresses.ts'
import {
  HttpClient,
  type HttpRequest,
  type HttpResult,
} from '../../../src/platform/http-client/http-client.ts'
import { startReceiver } from '../../harness/receiver.ts'

/** How connections are lent from one request to the next. */
function open(t: TestContext): HttpClient {
  const httpClient = new HttpClient({ policy: anyAddress, connectionsPerOrigin: 5 })
  t.after(() => httpClient.close())
  return httpClient
}

function requestTo(url: string): HttpRequest {
  return { method: 'POST', url, headers: {}, body: '{}', timeoutMs: 5_000, maxBytes: 1_000 }
}

type Round = { count: number; atOnce: number; stall?: () => void }

/** Each follows as soon as the one before it is told, `atOnce` of them side by side. */
async function sendInTurn(
  httpClient: HttpClient,
  url: string,
  { count, atOnce, stall = () => {} }: Round,
): Promise<HttpResult[]> {
  const results: HttpResult[] = []
  const { promise, resolve } = Promise.withResolvers<void>()
  let begun = 0
  const sendNext = (): void => {
    if (begun++ >= count) return
    httpClient.exchange(requestTo(url), result => {
      if (results.push(result) === count) resolve()
      stall()
      sendNext()
    })
  }
  for (let n = 0; n < atOnce; n++) sendNext()
  await promise
  return results
}

function kindsOf(results: readonly HttpResult[]): string[] {
  return [...new Set(results.map(result => (result.kind === 'failed' ? result.message : result.kind)))]
}

test('requests that follow each other share two connections, one of which is being freed', async t => {
  const receiver = await startReceiver(t)
  const results = await sendInTurn(open(t), receiver.url, { count: 50, atOnce: 1 })
  assert.deepEqual(kindsOf(results), ['answered'])
  assert.ok(receiver.connections <= 2, `${receiver.connections} connections`)
})

/** Closes each connection with or after so many answers, without having said so. */
async function startCloser(
  t: TestContext,
  { answers, afterMs }: { answers: number; afterMs: number },
): Promise<string> {
  const server = createServer(socket => {
    let left = answers
    socket.on('error', () => {})
    socket.on('data', () => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok')
      if (--left > 0) return
      if (afterMs === 0) socket.end()
      else setTimeout(() => socket.end(), afterMs)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

for (const { answers, afterMs } of [
  { answers: 1, afterMs: 0 },
  { answers: 1, afterMs: 1 },
  { answers: 3, afterMs: 0 },
  { answers: 3, afterMs: 1 },
]) {
  test(`a server that closes ${afterMs} ms after ${answers} answers, without having said so, loses at most a request for each connection and then none`, async t => {
    const httpClient = open(t)
    const url = await startCloser(t, { answers, afterMs })
    const first = await sendInTurn(httpClient, url, { count: 100, atOnce: 5 })
    assert.ok(first.filter(({ kind }) => kind === 'failed').length <= 5, kindsOf(first).join())
    // Until one was lost nothing is known of such a server.
    if (first.every(({ kind }) => kind === 'answered')) return
    const second = await sendInTurn(httpClient, url, { count: 100, atOnce: 5 })
    assert.deepEqual(kindsOf(second), ['answered'])
  })
}

/** For longer than a server takes to close. */
function stall(): void {
  for (const until = performance.now() + 20; performance.now() < until;) continue
}

test('a process that stands still after each answer loses no request to a server that closed meanwhile', async t => {
  const url = await startCloser(t, { answers: 1, afterMs: 0 })
  const results = await sendInTurn(open(t), url, { count: 30, atOnce: 10, stall })
  assert.deepEqual(kindsOf(results), ['answered'])
})

test('failures that follow each other at once come one by one, however many', async t => {
  const httpClient = open(t)
  await httpClient.close()
  const results = await sendInTurn(httpClient, 'http://127.0.0.1:1/', { count: 50_000, atOnce: 1 })
  assert.deepEqual(kindsOf(results), ['Bursar was stopping.'])
})

test('an exception in the callback of an answer ends the process and is not taken for a connection error', async t => {
  const receiver = await startReceiver(t)
  const program = `
    import { anyAddress } from './src/platform/http-client/addresses.ts'
    import { HttpClient } from './src/platform/http-client/http-client.ts'
    const request = ${JSON.stringify(requestTo(receiver.url))}
    new HttpClient({ policy: anyAddress }).exchange(request, ({ kind }) => { throw new Error('told: ' + kind) })`
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const [said, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')])
  assert.notEqual(code, 0)
  assert.match(said, /told: answered/)
})
