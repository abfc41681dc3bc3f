import assert from 'node:assert/strict'

/** An ERP's HTTP client: Basic auth, JSON both ways, nothing hidden. */
export type Credentials = { key: string; secret: string }

export const DEMO: Credentials = { key: 'key_test_demo', secret: 'secret_test_demo' }
export const GROUP: Credentials = { key: 'key_test_group', secret: 'secret_test_group' }

// Answers are read as a test expects them; a wrong expectation fails its assertion.
// oxlint-disable-next-line typescript/no-explicit-any
export type Json = any

export type Answer = { status: number; headers: Headers; text: string; body: Json }

/** What an answer holds that has to be a success. */
export function dataOf({ status, text, body }: Answer): Json {
  assert.ok(status < 300, `${status} ${text}`)
  return body.data
}

/** The same; null where it was refused for a reason of the state that a person would be told. */
export function dataUnlessRefused(answer: Answer): Json {
  return [400, 409].includes(answer.status) ? null : dataOf(answer)
}

export class Client {
  readonly url: string
  readonly #credentials: Credentials

  constructor(url: string, credentials: Credentials) {
    this.url = url
    this.#credentials = credentials
  }

  get(path: string, headers: Record<string, string> = {}): Promise<Answer> {
    return this.send('GET', path, undefined, headers)
  }

  post(path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    return this.send('POST', path, body, headers)
  }

  patch(path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    return this.send('PATCH', path, body, headers)
  }

  delete(path: string, headers: Record<string, string> = {}): Promise<Answer> {
    return this.send('DELETE', path, undefined, headers)
  }

  /** A string or bytes are sent as they are, anything else as JSON. */
  async send(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const { key, secret } = this.#credentials
    const response = await fetch(`${this.url}${path}`, {
      method,
      redirect: 'manual',
      headers: {
        authorization: `Basic ${Buffer.from(`${key}:${secret}`).toString('base64')}`,
        'content-type': 'application/json',
        ...headers,
      },
      ...(body === undefined ? {} : { body: isRaw(body) ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    return { status: response.status, headers: response.headers, text, body: parse(text) }
  }
}

function parse(text: string): Json {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isRaw(body: unknown): body is string | Uint8Array<ArrayBuffer> {
  return typeof body === 'string' || body instanceof Uint8Array
}
