import { randomUUID } from 'node:crypto'
import { ApiError, ConnectionError, TimeoutError, toError, type FieldProblem } from './errors.ts'
import { parseJson } from './json.ts'

export type ClientOptions = {
  /** Of the installation, such as https://fees.example.in. */
  baseUrl: string
  apiKey: string
  apiSecret: string
  /** Of one attempt. */
  timeoutMs?: number
  /** Attempts after the first; 0 sends once. */
  maxRetries?: number
  /** Called after every attempt, for logs and figures. */
  onAttempt?: (attempt: Attempt) => void
}

export type RequestOptions = {
  /** Kept over all retries; a random one when absent. Your own lets a repeat after a crash be recognised. */
  idempotencyKey?: string
  timeoutMs?: number
  maxRetries?: number
  signal?: AbortSignal
}

export type Attempt = {
  method: string
  path: string
  number: number
  /** Absent when no answer came. */
  httpStatus?: number
  requestId?: string
}

export type Call = {
  method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'
  path: string
  query?: object | undefined
  body?: object | undefined
  /** A file as the body. */
  file?: { bytes: Uint8Array; contentType: string }
  /** The answer is a file, or JSON whose amounts are to be read exactly. */
  accept?: 'file' | 'exact'
}

type Success = {
  status: 'success'
  data?: unknown
  message?: string
  next_cursor?: string
  has_more?: boolean
}

export type Answer = { body: Success; bytes: Uint8Array; headers: Headers }

const TIMEOUT_MS = 30_000
const MAX_RETRIES = 4
const FIRST_WAIT_MS = 500
const LONGEST_WAIT_MS = 8_000
/** Who is asked to wait longer than this is told so instead. */
const LONGEST_RETRY_AFTER_MS = 60_000
const RETRIED = new Set([429, 502, 503, 504])

/** One HTTP exchange with its retries. */
export class Transport {
  readonly #options: ClientOptions
  readonly #baseUrl: string
  readonly #authorization: string

  constructor(options: ClientOptions) {
    this.#options = options
    this.#baseUrl = options.baseUrl.replace(/\/$/, '')
    const credentials = Buffer.from(`${options.apiKey}:${options.apiSecret}`).toString('base64')
    this.#authorization = `Basic ${credentials}`
  }

  async send(call: Call, options: RequestOptions = {}): Promise<Answer> {
    const maxRetries = options.maxRetries ?? this.#options.maxRetries ?? MAX_RETRIES
    const headers = this.#headersOf(call, options)
    for (let number = 1; ; number += 1) {
      const isLast = number > maxRetries
      try {
        return await this.#attempt(call, { number, headers, options })
      } catch (error) {
        const waitMs = isLast ? null : waitBefore(error, number)
        if (waitMs === null) throw error instanceof Retryable ? error.error : error
        await pause(waitMs, options.signal)
      }
    }
  }

  #headersOf({ method, body, file, accept }: Call, options: RequestOptions): Record<string, string> {
    return {
      authorization: this.#authorization,
      accept: accept === 'file' ? '*/*' : 'application/json',
      ...(method === 'GET' ? {} : { 'idempotency-key': options.idempotencyKey ?? randomUUID() }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(file === undefined ? {} : { 'content-type': file.contentType }),
    }
  }

  async #attempt(
    call: Call,
    {
      number,
      headers,
      options,
    }: { number: number; headers: Record<string, string>; options: RequestOptions },
  ): Promise<Answer> {
    const { method, path } = call
    const timeout = AbortSignal.timeout(options.timeoutMs ?? this.#options.timeoutMs ?? TIMEOUT_MS)
    const signal = options.signal === undefined ? timeout : AbortSignal.any([timeout, options.signal])
    const body = call.file?.bytes ?? (call.body === undefined ? undefined : JSON.stringify(call.body))
    let response: Response
    let bytes: Uint8Array
    try {
      response = await fetch(this.#baseUrl + path + queryOf(call.query), {
        method,
        headers,
        signal,
        redirect: 'manual',
        ...(body === undefined ? {} : { body: body as RequestInit['body'] & {} }),
      })
      bytes = new Uint8Array(await response.arrayBuffer())
    } catch (error) {
      this.#options.onAttempt?.({ method, path, number })
      if (options.signal?.aborted === true) throw error
      throw new Retryable(noAnswer(call, timeout.aborted, error), null)
    }
    const requestId = response.headers.get('x-request-id') ?? undefined
    const httpStatus = response.status
    this.#options.onAttempt?.({ method, path, number, httpStatus, ...(requestId && { requestId }) })
    return readAnswer(call, response, bytes)
  }
}

class Retryable extends Error {
  readonly error: Error
  readonly retryAfterMs: number | null

  constructor(error: Error, retryAfterMs: number | null) {
    super(error.message)
    this.error = error
    this.retryAfterMs = retryAfterMs
  }
}

function noAnswer({ method, path }: Call, isTimeout: boolean, cause: unknown): ConnectionError {
  const what = `${method} ${path}`
  return isTimeout
    ? new TimeoutError(`${what}: no answer in time`, { cause })
    : new ConnectionError(`${what}: no answer (${describe(cause)})`, { cause })
}

function describe(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  return cause instanceof Error ? cause.message : String(cause)
}

function readAnswer(call: Call, response: Response, bytes: Uint8Array): Answer {
  const { status: httpStatus, headers } = response
  if (response.ok && call.accept === 'file') return { body: { status: 'success' }, bytes, headers }
  const body = readEnvelope(bytes, call.accept === 'exact' ? parseJson : JSON.parse)
  if (response.ok && body?.['status'] === 'success')
    return { body: body as unknown as Success, bytes, headers }
  const error = toError({
    httpStatus,
    code: textOf(body?.['code']) ?? 'UNKNOWN',
    message:
      textOf(body?.['message']) ?? `${call.method} ${call.path} was answered by ${httpStatus}, not by Bursar`,
    requestId: textOf(body?.['request_id']) ?? headers.get('x-request-id') ?? undefined,
    fields: body?.['errors'] as FieldProblem[] | undefined,
    data: body?.['data'] as Record<string, string> | undefined,
  })
  throw isRetried(error) ? new Retryable(error, retryAfterOf(headers)) : error
}

/** Never a refusal: that would be refused again. */
function isRetried({ httpStatus, code }: ApiError): boolean {
  return RETRIED.has(httpStatus) || code === 'IDE00001'
}

function readEnvelope(bytes: Uint8Array, parse: (text: string) => unknown): Record<string, unknown> | null {
  try {
    const read = parse(new TextDecoder().decode(bytes))
    return typeof read === 'object' && read !== null ? (read as Record<string, unknown>) : null
  } catch {
    return null
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

function retryAfterOf(headers: Headers): number | null {
  const seconds = Number(headers.get('retry-after') ?? Number.NaN)
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1_000 : null
}

/** Null: it is not tried again. The wait doubles, with jitter, so that many clients do not come back at once. */
function waitBefore(error: unknown, number: number): number | null {
  if (!(error instanceof Retryable)) return null
  const { retryAfterMs } = error
  if (retryAfterMs !== null && retryAfterMs > LONGEST_RETRY_AFTER_MS) return null
  const longest = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (number - 1))
  return (retryAfterMs ?? longest / 2) + (Math.random() * longest) / 2
}

function pause(waitMs: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, waitMs)
    signal?.addEventListener('abort', () => {
      clearTimeout(timer)
      reject(signal.reason as Error)
    })
  })
}

function queryOf(query: object | undefined): string {
  const sent = Object.entries(query ?? {}).filter(([, value]) => value !== undefined && value !== null)
  return sent.length === 0
    ? ''
    : `?${new URLSearchParams(sent.map(([name, value]) => [name, String(value)]))}`
}
