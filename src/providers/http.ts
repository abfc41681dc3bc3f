import type { CallOutcome } from '../platform/http-client/call-counts.ts'
import { unavailable } from '../platform/errors.ts'
import { anyAddress } from '../platform/http-client/addresses.ts'
import { HttpClient, type OutboundAnswer, type OutboundProblem } from '../platform/http-client/http-client.ts'
import { parseAnswer } from '../platform/json.rules.ts'
import { ProviderRefused } from './port.ts'

/** One request to a provider: its answer as `read` understands it, or an error that says what the caller may do. */
export type Call = <T>(
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  path: string,
  read: (answer: unknown) => T,
  extras?: { body?: unknown; headers?: Record<string, string>; maxBytes?: number },
) => Promise<T>

export type Refusal = { code: string | null; description: string }

export type CallerOptions = {
  /** The provider's name in what an operator reads. */
  title: string
  baseUrl: string
  timeoutMs: number
  /** Includes the credentials. */
  headers: Readonly<Record<string, string>>
  /** Cut out of what the provider says before it is logged or shown. */
  secret: string
  /** What a refusal says; null when the answer is not one of theirs (a proxy's page, say). */
  readRefusal(answer: unknown): Refusal | null
  /** Refusals for now only, beyond too many requests: the same request may be taken later. */
  mayPass?(httpStatus: number, refusal: Refusal): boolean
  /** Told of every call. */
  onCall?: ((outcome: CallOutcome) => void) | undefined
}

const ANSWER_BYTES = 1024 * 1024
/** A page of settled items. It is parsed in one turn of the event loop, so it must not be longer. */
export const RECON_PAGE = { items: 250, bytes: 2 * ANSWER_BYTES } as const

/**
 * Gives out callers; the requests made with one share its deadline. No answer, or none that can be understood, is
 * `unavailable`: what happened is unknown and the caller asks again. A refusal with a reason is `ProviderRefused`.
 */
export function createCaller(options: CallerOptions): () => Call {
  const { title, baseUrl, timeoutMs } = options
  // The operator chose where the provider is. Nothing has to close it: an idle connection keeps no process alive.
  const httpClient = new HttpClient({ policy: anyAddress })
  const root = baseUrl.replace(/(?<!\/)\/+$/, '')
  return () => {
    const deadline = performance.now() + timeoutMs
    return async (method, path, read, { body, headers, maxBytes = ANSWER_BYTES } = {}) => {
      const remainingMs = deadline - performance.now()
      if (remainingMs <= 0) throw tooLate(options)
      try {
        const result = await httpClient.send({
          method,
          url: `${root}${path}`,
          headers: {
            ...options.headers,
            ...headers,
            accept: 'application/json',
            'content-type': 'application/json',
          },
          body: body === undefined ? null : JSON.stringify(body),
          timeoutMs: Math.ceil(remainingMs),
          maxBytes,
        })
        if (result.kind === 'failed') throw unanswered(result, options)
        if (result.isTruncated)
          throw misunderstood(title, new AnswerError('answer', `at most ${maxBytes} bytes`))
        const answer = understand(result, read, options)
        options.onCall?.('answered')
        return answer
      } catch (error) {
        options.onCall?.(error instanceof ProviderRefused ? 'refused' : 'failed')
        throw error
      }
    }
  }
}

function unanswered({ reason, message }: OutboundProblem, options: CallerOptions): Error {
  if (reason === 'timeout') return tooLate(options)
  return unavailable(`${options.title} cannot be reached.`, new Error(message))
}

function tooLate({ title, timeoutMs }: CallerOptions): Error {
  return unavailable(`${title} did not answer within ${timeoutMs} ms.`)
}

function understand<T>(answer: OutboundAnswer, read: (answer: unknown) => T, options: CallerOptions): T {
  const { httpStatus, body } = answer
  const { title, secret } = options
  try {
    if (httpStatus >= 200 && httpStatus < 300) return read(parseJson(body))
    if (httpStatus < 400 || httpStatus >= 500)
      throw unavailable(`${title} answered with status ${httpStatus}.`)
    // Wrong keys are ours to mend: no payment or refund is at fault, and each works once they are right.
    if (httpStatus === 401) throw unavailable(`${title} does not accept the configured key.`)
    const refusal = options.readRefusal(parseJson(body))
    const isTransient = httpStatus === 408 || httpStatus === 429
    if (refusal === null || isTransient || options.mayPass?.(httpStatus, refusal) === true)
      throw unavailable(`${title} answered with status ${httpStatus}.`)
    throw new ProviderRefused(refusal.description.replaceAll(secret, '…'), refusal.code, httpStatus)
  } catch (error) {
    throw error instanceof AnswerError ? misunderstood(title, error) : error
  }
}

function misunderstood(title: string, error: AnswerError): Error {
  return unavailable(`${title}'s answer cannot be used: ${error.message}.`, error)
}

/**
 * A provider's JSON, read by hand into our types. Only the fields we use are read, each strictly: a wrong one is an
 * `AnswerError` that names its place, so that nothing half-understood gets near money.
 */
export class AnswerError extends Error {
  override readonly name = 'AnswerError'
  readonly field: string

  constructor(field: string, expected: string) {
    super(`${field} must be ${expected}`)
    this.field = field
  }
}

export type Fields = Readonly<Record<string, unknown>>

export function parseJson(bytes: Buffer): unknown {
  try {
    return parseAnswer(bytes)
  } catch {
    // The parser's own message quotes the text, and the text may name a payer.
    throw new AnswerError('answer', 'JSON')
  }
}

export function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function readObject(value: unknown, at: string): Fields {
  if (!isObject(value)) throw new AnswerError(at, 'an object')
  return value
}

export function readText(fields: Fields, key: string, at: string): string {
  const value = fields[key]
  if (typeof value !== 'string' || value === '') throw new AnswerError(`${at}.${key}`, 'a text')
  return value
}

export function readOptionalText(fields: Fields, key: string, at: string): string | null {
  const value = fields[key] ?? ''
  if (typeof value !== 'string') throw new AnswerError(`${at}.${key}`, 'a text or null')
  return value === '' ? null : value
}

export function readBoolean(fields: Fields, key: string, at: string): boolean {
  const value = fields[key]
  if (typeof value !== 'boolean') throw new AnswerError(`${at}.${key}`, 'true or false')
  return value
}

export function readOneOf<const T extends string>(
  fields: Fields,
  key: string,
  choices: readonly T[],
  at: string,
): T {
  const found = choices.find(choice => choice === fields[key])
  if (found === undefined) throw new AnswerError(`${at}.${key}`, `one of ${choices.join(', ')}`)
  return found
}

export function readList(fields: Fields, key: string, at: string): readonly unknown[] {
  const value = fields[key]
  if (!Array.isArray(value)) throw new AnswerError(`${at}.${key}`, 'a list')
  return value
}

export function readOptionalList(fields: Fields, key: string, at: string): readonly unknown[] {
  return fields[key] === null || fields[key] === undefined ? [] : readList(fields, key, at)
}

/**
 * The payer's browser is sent there, so a script or a file in its place must not pass. An emulator on this machine has
 * no certificate.
 */
export function readPageUrl(fields: Fields, key: string, at: string): string {
  const text = readText(fields, key, at)
  const url = URL.canParse(text) ? new URL(text) : null
  const isLoopback = url?.protocol === 'http:' && ['127.0.0.1', 'localhost'].includes(url.hostname)
  if (url?.protocol !== 'https:' && !isLoopback) throw new AnswerError(`${at}.${key}`, 'an https address')
  return text
}
