import type { Socket } from 'node:net'
import type { Dispatcher } from 'undici'
import type { AddressPolicy } from './addresses.ts'
import { Agent, createConnector, Names } from './connections.ts'
import { explain, OutboundFailure, type FailureReason } from './failure.ts'
import { traceCall } from '../tracing/spans.ts'
import { Turns } from '../concurrency.ts'
import { HARMLESS_BYTES } from '../json.rules.ts'

export type HttpRequest = {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'PATCH'
  /** http or https; a user and password in it are not sent. */
  url: string
  headers: Record<string, string>
  body?: string | Buffer | null
  /** Covers everything from the name lookup to the last byte of the answer. */
  timeoutMs: number
  /** Longer answer bodies are cut here. */
  maxBytes: number
}

export type HttpResult = OutboundAnswer | OutboundProblem

export type OutboundAnswer = {
  kind: 'answered'
  httpStatus: number
  /** Names in lower case; one that came more than once has all its values. */
  headers: AnswerHeaders
  /** The body as it was sent, never decompressed. */
  body: Buffer
  isTruncated: boolean
  durationMs: number
}

type AnswerHeaders = Readonly<Record<string, string | string[] | undefined>>

export type OutboundProblem = {
  kind: 'failed'
  reason: FailureReason
  /** Can be shown to the person who chose the address. */
  message: string
  durationMs: number
}

type OnResult = (result: HttpResult) => void

type HttpClientOptions = {
  policy: AddressPolicy
  /** Name servers to use instead of the system's, each as `address` or `address:port`. */
  nameServers?: readonly string[]
  connectionsPerOrigin?: number
}

const CONNECTIONS_PER_ORIGIN = 64
const MAX_HEADER_BYTES = 16 * 1024
/** So many pieces of an answer are joined to one: a server that sends it byte by byte takes memory for each. */
const PIECES = 1_024
/** Long answers that arrive together are read in one turn of the event loop each, with other work in between. */
const turns = new Turns()
// Shorter than servers keep theirs: one closed just as we use it is a failed request, as nothing is ever sent twice.
const IDLE_MS = 4_000
const LONGEST_IDLE_MS = 10_000
const BEFORE_PEER_CLOSES_MS = 1_000
/** How long an origin gets a new connection for each request after a request was lost on a kept one. */
const CAREFUL_MS = 60_000

/**
 * Every HTTP request that leaves the process. It follows no redirect, obeys no proxy of the environment, sends nothing a
 * second time, and answers trouble at the other side as a result; only a request that is itself wrong throws.
 */
export class HttpClient {
  readonly #names: Names
  readonly #sockets = new Set<Socket>()
  readonly #agent: InstanceType<typeof Agent>
  /** Origins that closed a connection without having said so, and until when none of theirs is kept. */
  readonly #careful = new Map<string, number>()

  constructor({ policy, nameServers, connectionsPerOrigin = CONNECTIONS_PER_ORIGIN }: HttpClientOptions) {
    this.#names = new Names(nameServers)
    this.#agent = new Agent({
      connections: connectionsPerOrigin,
      connect: createConnector({ policy, names: this.#names, sockets: this.#sockets }),
      // Two requests on one connection would be a second one lost with the first.
      pipelining: 1,
      allowH2: false,
      maxHeaderSize: MAX_HEADER_BYTES,
      keepAliveTimeout: IDLE_MS,
      keepAliveMaxTimeout: LONGEST_IDLE_MS,
      keepAliveTimeoutThreshold: BEFORE_PEER_CLOSES_MS,
      // The deadline of each request is the only one.
      headersTimeout: 0,
      bodyTimeout: 0,
    })
  }

  send(request: HttpRequest): Promise<HttpResult> {
    const traced = traceCall(request, `${request.method} ${URL.parse(request.url)?.hostname}`)
    return new Promise(resolve => this.exchange(request, result => resolve(traced(result))))
  }

  /** Calls back instead of making a promise: it is called for every delivery. */
  exchange(request: HttpRequest, onResult: OnResult): void {
    const address = readAddress(request.url)
    assertHeaders(request.headers)
    const { method, headers, body = null } = request
    const { origin, path } = address
    const exchange = new Exchange(request, { address, onResult, onLost: () => this.#beCareful(origin) })
    this.#agent.dispatch({ origin, path, method, headers, body, reset: this.#isCareful(origin) }, exchange)
  }

  #isCareful(origin: string): boolean {
    const until = this.#careful.get(origin)
    if (until === undefined) return false
    if (performance.now() < until) return true
    this.#careful.delete(origin)
    return false
  }

  /** A server that closes kept connections without a word would take another request with each of them. */
  #beCareful(origin: string): void {
    if (this.#careful.size >= MOST_KNOWN) this.#careful.clear()
    this.#careful.set(origin, performance.now() + CAREFUL_MS)
  }

  /** Ends every connection at once; what was under way is answered as stopped. */
  async close(): Promise<void> {
    this.#names.close()
    const isClosed = this.#agent.destroy()
    for (const socket of this.#sockets) socket.destroy()
    await isClosed
  }
}

type ExchangeOptions = {
  address: Address
  onResult: OnResult
  /** Called when the connection was closed before anything of an answer came. */
  onLost: () => void
}

/** One request on its way; undici calls it as things happen. Settled once, whatever else happens after. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #request: HttpRequest
  readonly #options: ExchangeOptions
  readonly #startedAt = performance.now()
  readonly #joined: Buffer[] = []
  #pieces: Buffer[] = []
  #timer: NodeJS.Timeout
  #controller: Dispatcher.DispatchController | null = null
  #httpStatus = 0
  #headers: AnswerHeaders = {}
  #length = 0
  #isSettled = false

  constructor(request: HttpRequest, options: ExchangeOptions) {
    this.#request = request
    this.#options = options
    this.#timer = setTimeout(() => this.#giveUp(), request.timeoutMs)
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // Its time passed while it waited for a connection: it is never sent.
    // Thrown and not aborted, as undici ends the connection under a request that is aborted.
    if (this.#isSettled) throw new OutboundFailure('timeout', '')
    this.#controller = controller
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: AnswerHeaders): void {
    // 1xx come ahead of the answer.
    if (status < 200) return
    this.#httpStatus = status
    this.#headers = headers
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#pieces.push(chunk) >= PIECES) {
      this.#joined.push(Buffer.concat(this.#pieces))
      this.#pieces = []
    }
    this.#length += chunk.length
    if (this.#length <= this.#request.maxBytes) return
    this.#succeed(true)
    controller.abort(new OutboundFailure('broken_answer', 'The answer is too long.'))
  }

  onResponseEnd(): void {
    this.#succeed(false)
  }

  onResponseError(_: Dispatcher.DispatchController | null, error: Error): void {
    if (this.#isSettled) return
    const isSent = this.#controller !== null
    if (isSent && this.#httpStatus === 0) this.#options.onLost()
    this.#fail(explain(error, { isSent, isTls: this.#options.address.isTls }))
  }

  #giveUp(): void {
    // A timer counts from the beginning of the turn of the event loop in which it was set.
    const leftMs = this.#startedAt + this.#request.timeoutMs - performance.now()
    if (leftMs > 0) {
      this.#timer = setTimeout(() => this.#giveUp(), Math.ceil(leftMs))
      return
    }
    const within = `within ${this.#request.timeoutMs} ms.`
    const failure = new OutboundFailure('timeout', this.#waitingFor() + within)
    this.#fail(failure)
    this.#controller?.abort(failure)
  }

  #waitingFor(): string {
    if (this.#controller === null) return 'No connection was made '
    return this.#httpStatus === 0 ? 'No answer came ' : 'The answer was not complete '
  }

  #succeed(isTruncated: boolean): void {
    this.#end({
      kind: 'answered',
      httpStatus: this.#httpStatus,
      headers: this.#headers,
      body: this.#body(),
      isTruncated,
      durationMs: this.#elapsedMs(),
    })
  }

  #body(): Buffer {
    const chunks = this.#joined.length === 0 ? this.#pieces : [...this.#joined, ...this.#pieces]
    const length = Math.min(this.#length, this.#request.maxBytes)
    return chunks[0]?.length === length ? chunks[0] : Buffer.concat(chunks, length)
  }

  #fail({ reason, message }: OutboundFailure): void {
    this.#end({ kind: 'failed', reason, message, durationMs: this.#elapsedMs() })
  }

  #end(result: HttpResult): void {
    if (this.#isSettled) return
    this.#isSettled = true
    clearTimeout(this.#timer)
    // A failure may come before `exchange` has returned; with one in the wake of another there would be no end of it.
    if (result.kind === 'failed') queueMicrotask(() => this.#options.onResult(result))
    else if (this.#length < HARMLESS_BYTES) this.#tellNow(result)
    else turns.take(() => this.#tellNow(result))
  }

  #tellNow(result: HttpResult): void {
    try {
      this.#options.onResult(result)
    } catch (error) {
      // A fault of ours, which undici would take for one of the connection and tell nobody.
      queueMicrotask(() => {
        throw error
      })
    }
  }

  #elapsedMs(): number {
    return Math.round(performance.now() - this.#startedAt)
  }
}

/** Ours, in lower case, but for those that theirs have too, however they spell them. */
export function mergeHeaders(
  ours: Readonly<Record<string, string>>,
  theirs: Readonly<Record<string, string>>,
): Record<string, string> {
  const taken = new Set(Object.keys(theirs).map(name => name.toLowerCase()))
  return { ...Object.fromEntries(Object.entries(ours).filter(([name]) => !taken.has(name))), ...theirs }
}

type Address = { origin: string; path: string; isTls: boolean }

/** Most requests go where many went before: what was read of an address, and which names of headers were found good. */
const MOST_KNOWN = 1_000
const knownAddresses = new Map<string, Address>()
const knownNames = new Set<string>()

function readAddress(text: string): Address {
  const known = knownAddresses.get(text)
  if (known !== undefined) return known
  const url = URL.parse(text)
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw new Error('the address of an outgoing request is neither http nor https')
  }
  const address = { origin: url.origin, path: url.pathname + url.search, isTls: url.protocol === 'https:' }
  if (knownAddresses.size >= MOST_KNOWN) knownAddresses.clear()
  knownAddresses.set(text, address)
  return address
}

const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9a-z-]+$/i
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/
/** They belong to the connection; by `host` undici would even choose the name that a certificate must have. */
const NOT_THE_CALLERS =
  /^(?:host|connection|content-length|expect|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade)$/i

/** A line break in one would begin another header, or another request. */
function assertHeaders(headers: Record<string, string>): void {
  for (const name in headers) {
    if (!knownNames.has(name)) assertName(name)
    if (!HEADER_VALUE.test(headers[name] ?? ''))
      throw new Error(`the value of the header ${name} cannot be sent`)
  }
}

function assertName(name: string): void {
  if (!HEADER_NAME.test(name) || NOT_THE_CALLERS.test(name)) {
    throw new Error(`${JSON.stringify(name)} cannot be a header of an outgoing request`)
  }
  if (knownNames.size >= MOST_KNOWN) knownNames.clear()
  knownNames.add(name)
}
