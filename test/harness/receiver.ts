import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'

/** Somebody else's HTTP server on a real socket that behaves as a test tells it to. */
export type Received = {
  method: string
  path: string
  headers: IncomingHttpHeaders
  body: string
  /** When the whole request was there, in ms of the real clock. */
  at: number
}

export type Behaviour =
  | { status?: number; headers?: Record<string, string>; body?: string | Buffer }
  /** Sent as it stands in place of an HTTP answer; then the connection ends. */
  | { raw: string | Buffer }
  | 'hang'
  /** Promises more than it sends, then closes the connection. */
  | 'close-mid-answer'
  /** One byte at once and one each second, without end. */
  | 'drip'
  /** An answer of FLOOD_BYTES. */
  | 'flood'
  /** Drops the connection without an answer. */
  | 'destroy'

/** `n` counts the requests from 1. A promise holds the answer back until it is resolved. */
export type Answering = (request: Received, n: number) => Behaviour | Promise<Behaviour>

export type Receiver = {
  origin: string
  /** An address below the origin, for tests to which the path does not matter. */
  url: string
  port: number
  requests: Received[]
  /** From now on; until it is called everything is answered 200 `ok`. */
  answer(how: Answering): void
  /** Connections are dropped as soon as they are made. */
  dropConnections(isDropping: boolean): void
  /** Requests that came and are not answered yet. */
  readonly inFlight: number
  readonly maxInFlight: number
  /** Connections ever made, those open now, and the most that were open at once. */
  readonly connections: number
  readonly openConnections: number
  readonly maxOpenConnections: number
  /** Answers whose connection was lost before they were sent whole. */
  readonly unfinishedAnswers: number
  /** Resolves when so many have come in all; gives up loudly. */
  waitForRequests(count: number, limitMs?: number): Promise<Received[]>
}

type Owner = { after(done: () => Promise<void> | void): void }
type Options = { tls?: { cert: string | Buffer; key: string | Buffer }; host?: string; port?: number }

export const FLOOD_BYTES = 10 * 1024 * 1024
const FLOOD_CHUNK = Buffer.alloc(64 * 1024, 'x')
const DRIP_MS = 1_000
const WAIT_LIMIT_MS = 15_000

export async function startReceiver(owner: Owner, options: Options = {}): Promise<Receiver> {
  const { host = '127.0.0.1', tls, port = 0 } = options
  const requests: Received[] = []
  const waiting = new Set<() => void>()
  const sockets = new Set<Socket>()
  const counts = { inFlight: 0, maxInFlight: 0, connections: 0, maxOpenConnections: 0, unfinishedAnswers: 0 }
  let answering: Answering = answerOk
  let isDropping = false

  const receive = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    counts.inFlight++
    counts.maxInFlight = Math.max(counts.maxInFlight, counts.inFlight)
    response.once('close', () => {
      counts.inFlight--
      if (!response.writableFinished) counts.unfinishedAnswers++
    })
    const received = await readRequest(request)
    const n = requests.push(received)
    for (const tell of waiting) tell()
    behave(await answering(received, n), response)
  }
  const listener = (request: IncomingMessage, response: ServerResponse): void => {
    // A request given up half-way fails here, and so does a test's own answer: neither may end the process.
    receive(request, response).catch(() => response.destroy())
  }
  const server = tls === undefined ? createServer(listener) : createTlsServer(tls, listener)
  server.on('connection', (socket: Socket) => {
    counts.connections++
    sockets.add(socket)
    counts.maxOpenConnections = Math.max(counts.maxOpenConnections, sockets.size)
    socket.on('error', () => {}).once('close', () => sockets.delete(socket))
    if (isDropping) socket.destroy()
  })
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, host, resolve))

  const close = async (): Promise<void> => {
    const closed = new Promise<void>(resolve => server.close(() => resolve()))
    for (const socket of sockets) socket.destroy()
    await closed
  }
  owner.after(close)
  const at = (server.address() as AddressInfo).port
  const origin = `http${tls === undefined ? '' : 's'}://${host.includes(':') ? `[${host}]` : host}:${at}`
  return {
    origin,
    url: `${origin}/hook`,
    port: at,
    requests,
    answer: how => void (answering = how),
    dropConnections: value => void (isDropping = value),
    get inFlight() {
      return counts.inFlight
    },
    get maxInFlight() {
      return counts.maxInFlight
    },
    get connections() {
      return counts.connections
    },
    get openConnections() {
      return sockets.size
    },
    get maxOpenConnections() {
      return counts.maxOpenConnections
    },
    get unfinishedAnswers() {
      return counts.unfinishedAnswers
    },
    waitForRequests: (count, limitMs) => waitForRequests(requests, waiting, count, limitMs),
  }
}

const answerOk: Answering = () => ({ body: 'ok' })

async function readRequest(request: IncomingMessage): Promise<Received> {
  const chunks: Buffer[] = []
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
  const { method = '', url: path = '', headers } = request
  return { method, path, headers, body: Buffer.concat(chunks).toString(), at: Date.now() }
}

async function waitForRequests(
  requests: Received[],
  waiting: Set<() => void>,
  count: number,
  limitMs = WAIT_LIMIT_MS,
): Promise<Received[]> {
  if (requests.length >= count) return requests
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const tell = (): void => {
    if (requests.length >= count) resolve()
  }
  const giveUp = new Error(`waited ${limitMs} ms for ${count} requests`)
  const timer = setTimeout(() => {
    giveUp.message += ` and got ${requests.length}`
    reject(giveUp)
  }, limitMs)
  waiting.add(tell)
  try {
    await promise
  } finally {
    clearTimeout(timer)
    waiting.delete(tell)
  }
  return requests
}

function behave(behaviour: Behaviour, response: ServerResponse): void {
  if (typeof behaviour !== 'string') {
    if ('raw' in behaviour) return void response.socket?.end(behaviour.raw)
    const { status = 200, headers = {}, body = '' } = behaviour
    return void response.writeHead(status, { 'content-type': 'text/plain', ...headers }).end(body)
  }
  switch (behaviour) {
    case 'hang':
      return
    case 'close-mid-answer':
      response.writeHead(200, { 'content-length': '1000' })
      return void response.write('only the beginning', () => response.destroy())
    case 'drip':
      return drip(response)
    case 'flood':
      return flood(response)
    case 'destroy':
      return void response.destroy()
  }
}

function drip(response: ServerResponse): void {
  response.writeHead(200).write('.')
  const timer = setInterval(() => response.write('.'), DRIP_MS)
  response.once('close', () => clearInterval(timer))
}

function flood(response: ServerResponse): void {
  response.writeHead(200, { 'content-length': String(FLOOD_BYTES) })
  let left = FLOOD_BYTES
  const pour = (): void => {
    while (left > 0 && !response.destroyed) {
      left -= FLOOD_CHUNK.length
      if (!response.write(FLOOD_CHUNK)) return void response.once('drain', pour)
    }
    response.end()
  }
  pour()
}
