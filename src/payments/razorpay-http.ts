import { type Dispatcher, request } from 'undici'
import { unavailable } from '../platform/errors.ts'
import { ProviderRefused } from './provider-refused.ts'
import { AnswerError, parseJson, readRefusal } from './razorpay-shapes.ts'

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
  const authorization = `Basic ${Buffer.from(`${keyId}:${keySecret}`).toString('base64')}`
  const root = baseUrl.replace(/\/+$/, '')
  return () => {
    const signal = AbortSignal.timeout(timeoutMs)
    return async (method, path, read, { body, headers, maxBytes = ANSWER_BYTES } = {}) => {
      const answer = await exchange(`${root}${path}`, maxBytes, {
        method,
        signal,
        headers: {
          ...headers,
          authorization,
          accept: 'application/json',
          'content-type': 'application/json',
        },
        body: body === undefined ? null : JSON.stringify(body),
      }).catch((error: unknown) => {
        if (error instanceof AnswerError) throw misunderstood(error)
        if (signal.aborted) throw unavailable(`Razorpay did not answer within ${timeoutMs} ms.`)
        throw unavailable('Razorpay cannot be reached.', error)
      })
      return understand(answer, read, text => text.replaceAll(keySecret, '…'))
    }
  }
}

type Answer = { statusCode: number; bytes: Buffer }
type RequestOptions = Omit<Dispatcher.RequestOptions, 'origin' | 'path'> & { signal: AbortSignal }

/** Follows no redirect: `request` never does, and our credentials go nowhere else. */
async function exchange(url: string, maxBytes: number, options: RequestOptions): Promise<Answer> {
  const { statusCode, body } = await request(url, options)
  const chunks: Buffer[] = []
  let length = 0
  // Leaving the loop early destroys the body and with it the connection.
  for await (const chunk of body as AsyncIterable<Buffer>) {
    length += chunk.length
    if (length > maxBytes) throw new AnswerError('answer', `at most ${maxBytes} bytes`)
    chunks.push(chunk)
  }
  return { statusCode, bytes: Buffer.concat(chunks) }
}

function understand<T>(answer: Answer, read: (answer: unknown) => T, redact: (text: string) => string): T {
  const { statusCode, bytes } = answer
  try {
    if (statusCode >= 200 && statusCode < 300) return read(parseJson(bytes))
    if (statusCode < 400 || statusCode >= 500)
      throw unavailable(`Razorpay answered with status ${statusCode}.`)
    // Wrong keys are ours to mend: no payment or refund is at fault, and each works once they are right.
    if (statusCode === 401) throw unavailable('Razorpay does not accept the configured key.')
    const refusal = readRefusal(parseJson(bytes))
    if (refusal === null || mayPass(statusCode, refusal.description)) {
      throw unavailable(`Razorpay answered with status ${statusCode}.`)
    }
    throw new ProviderRefused(redact(refusal.description), refusal.code)
  } catch (error) {
    throw error instanceof AnswerError ? misunderstood(error) : error
  }
}

/** Refusals for now only: too many requests, or the same refund still under way. */
function mayPass(statusCode: number, description: string): boolean {
  return (
    statusCode === 408 ||
    statusCode === 429 ||
    (statusCode === 409 && !/different request/i.test(description))
  )
}

function misunderstood(error: AnswerError): Error {
  return unavailable(`Razorpay's answer cannot be used: ${error.message}.`, error)
}
