import { unavailable } from '../../platform/errors.ts'
import { anyAddress } from '../../platform/http-client/addresses.ts'
import {
  HttpClient,
  type OutboundAnswer,
  type OutboundProblem,
} from '../../platform/http-client/http-client.ts'
import { ProviderRefused } from '../refused.ts'
import { AnswerError, parseJson, readRefusal } from './shapes.ts'

export type Credentials = { keyId: string; keySecret: string }

/** One request to Razorpay: its answer as `read` understands it, or an error that says what the caller may do. */
export type Call = <T>(
  method: 'GET' | 'POST',
  path: string,
  read: (answer: unknown) => T,
  extras?: { body?: unknown; headers?: Record<string, string>; maxBytes?: number },
) => Promise<T>

type CallerOptions = Credentials & { baseUrl: string; timeoutMs: number }

const ANSWER_BYTES = 1024 * 1024
export const RECON_BYTES = 16 * ANSWER_BYTES

/** Gives out callers; the requests made with one share its deadline. */
export function createCaller(options: CallerOptions): () => Call {
  const { keyId, keySecret, baseUrl, timeoutMs } = options
  // The operator chose where Razorpay is. Nothing has to close it: an idle connection keeps no process alive.
  const httpClient = new HttpClient({ policy: anyAddress })
  const authorization = `Basic ${Buffer.from(`${keyId}:${keySecret}`).toString('base64')}`
  const root = baseUrl.replace(/(?<!\/)\/+$/, '')
  return () => {
    const deadline = performance.now() + timeoutMs
    return async (method, path, read, { body, headers, maxBytes = ANSWER_BYTES } = {}) => {
      const remainingMs = deadline - performance.now()
      if (remainingMs <= 0) throw tooLate(timeoutMs)
      const result = await httpClient.send({
        method,
        url: `${root}${path}`,
        headers: {
          ...headers,
          authorization,
          accept: 'application/json',
          'content-type': 'application/json',
        },
        body: body === undefined ? null : JSON.stringify(body),
        timeoutMs: Math.ceil(remainingMs),
        maxBytes,
      })
      if (result.kind === 'failed') throw unanswered(result, timeoutMs)
      if (result.isTruncated) throw misunderstood(new AnswerError('answer', `at most ${maxBytes} bytes`))
      return understand(result, read, text => text.replaceAll(keySecret, '…'))
    }
  }
}

function unanswered({ reason, message }: OutboundProblem, timeoutMs: number): Error {
  if (reason === 'timeout') return tooLate(timeoutMs)
  return unavailable('Razorpay cannot be reached.', new Error(message))
}

function tooLate(timeoutMs: number): Error {
  return unavailable(`Razorpay did not answer within ${timeoutMs} ms.`)
}

function understand<T>(
  answer: OutboundAnswer,
  read: (answer: unknown) => T,
  redact: (text: string) => string,
): T {
  const { httpStatus, body } = answer
  try {
    if (httpStatus >= 200 && httpStatus < 300) return read(parseJson(body))
    if (httpStatus < 400 || httpStatus >= 500)
      throw unavailable(`Razorpay answered with status ${httpStatus}.`)
    // Wrong keys are ours to mend: no payment or refund is at fault, and each works once they are right.
    if (httpStatus === 401) throw unavailable('Razorpay does not accept the configured key.')
    const refusal = readRefusal(parseJson(body))
    if (refusal === null || mayPass(httpStatus, refusal.description)) {
      throw unavailable(`Razorpay answered with status ${httpStatus}.`)
    }
    throw new ProviderRefused(redact(refusal.description), refusal.code)
  } catch (error) {
    throw error instanceof AnswerError ? misunderstood(error) : error
  }
}

/** Refusals for now only: too many requests, or the same refund still under way. */
function mayPass(httpStatus: number, description: string): boolean {
  return (
    httpStatus === 408 ||
    httpStatus === 429 ||
    (httpStatus === 409 && !/different request/i.test(description))
  )
}

function misunderstood(error: AnswerError): Error {
  return unavailable(`Razorpay's answer cannot be used: ${error.message}.`, error)
}
