import type { CallOutcome } from '../platform/call-counts.ts'
import { unavailable } from '../platform/errors.ts'
import { anyAddress } from '../platform/http-client/addresses.ts'
import { HttpClient, type OutboundAnswer, type OutboundProblem } from '../platform/http-client/http-client.ts'
import { AnswerError, parseJson } from './answer.ts'
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
            ...headers,
            ...options.headers,
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
