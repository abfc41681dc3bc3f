import type { Command } from 'commander'
import { ApiError, Bursar, ConnectionError, TimeoutError } from '../../../sdk/node/src/index.ts'
import { readConfig } from '../../app/config.ts'
import type { HttpClient } from '../../platform/http-client/http-client.ts'
import { InputError } from '../input.ts'

/** A running Bursar, asked over HTTP as an ERP would ask it. */

/** Nobody answers, or not now; to ask again later may help. */
export class BursarAway extends InputError {}

/** The request was refused because of these fields. */
export class FieldsRefused extends InputError {
  readonly fields: readonly string[]

  constructor(message: string, fields: readonly string[]) {
    super(message)
    this.fields = fields
  }
}

export type ApiOptions = { url?: string; key?: string; secret?: string }

/** Published with every sandbox, see sandbox/seed.service.ts. */
const DEMO = { keyId: 'key_test_demo', secret: 'secret_test_demo' }

const TIMEOUT_MS = 15_000

export function addApiOptions(command: Command): Command {
  return command
    .option('--url <url>', 'where Bursar runs (default: PUBLIC_URL, or http://HOST:PORT)', readHttpUrl)
    .option('--key <id>', `API key (default: BURSAR_API_KEY, or ${DEMO.keyId})`)
    .option('--secret <secret>', 'its secret (default: BURSAR_API_SECRET, or that of the test key)')
}

export function readHttpUrl(text: string): string {
  if (/^https?:\/\//i.test(text) && URL.canParse(text)) return text
  throw new InputError(`"${text}" is not an address: write one such as http://127.0.0.1:3000/hooks.`)
}

export async function openApi(options: ApiOptions): Promise<ApiClient> {
  if ((options.key === undefined) !== (options.secret === undefined))
    throw new InputError('--key and --secret go together; give both or neither.')
  const config = readConfig(process.env)
  const given = { keyId: options.key ?? '', secret: options.secret ?? '' }
  const credentials = options.key === undefined ? (config.apiKey ?? DEMO) : given
  // Loaded here, because every other command would start slower for it.
  const [{ HttpClient }, { anyAddress }] = await Promise.all([
    import('../../platform/http-client/http-client.ts'),
    import('../../platform/http-client/addresses.ts'),
  ])
  const url = (options.url ?? config.publicUrl).replace(/(?<!\/)\/+$/, '')
  return new ApiClient(url, credentials, new HttpClient({ policy: anyAddress }))
}

export class ApiClient {
  readonly url: string
  readonly outbound: HttpClient
  readonly #bursar: Bursar
  readonly #keyId: string

  constructor(url: string, { keyId, secret }: { keyId: string; secret: string }, outbound: HttpClient) {
    this.url = url
    this.outbound = outbound
    this.#keyId = keyId
    // A person waits: what fails is shown at once, and `listen` asks again by itself.
    this.#bursar = new Bursar({ baseUrl: url, apiKey: keyId, apiSecret: secret, maxRetries: 0 })
  }

  /** The caller says what the address answers with. */
  get<Answer>(path: string): Promise<Answer> {
    return this.#ask({ method: 'GET', path })
  }

  post<Answer>(path: string, body: object, timeoutMs = TIMEOUT_MS): Promise<Answer> {
    return this.#ask({ method: 'POST', path, body }, timeoutMs)
  }

  close(): Promise<void> {
    return this.outbound.close()
  }

  async #ask<Answer>(call: Parameters<Bursar['request']>[0], timeoutMs = TIMEOUT_MS): Promise<Answer> {
    try {
      return (await this.#bursar.request(call, { timeoutMs })) as Answer
    } catch (error) {
      if (error instanceof ConnectionError)
        throw new BursarAway(`Bursar does not answer at ${this.url}: ${reasonOf(error)}`)
      throw error instanceof ApiError ? this.#refusal(error) : error
    }
  }

  #refusal({ httpStatus, code, message, fields }: ApiError): InputError {
    if (code === 'UNKNOWN')
      return new InputError(`What answers at ${this.url} is not Bursar (it answered ${httpStatus}).`)
    if (httpStatus === 429 || httpStatus >= 500)
      return new BursarAway(`Bursar at ${this.url} is not ready: ${message}`)
    if (httpStatus === 401) {
      return new InputError(
        `Bursar at ${this.url} does not accept the API key ${this.#keyId} with this secret. Give --key ` +
          'and --secret, or set BURSAR_API_KEY and BURSAR_API_SECRET. In live mode it accepts no test key.',
      )
    }
    return httpStatus === 404
      ? new InputError(`Bursar at ${this.url} runs in live mode; this is only for a sandbox.`)
      : new FieldsRefused(
          message,
          fields.map(({ key }) => key),
        )
  }
}

function reasonOf(error: ConnectionError): string {
  if (error instanceof TimeoutError) return 'There was no answer in time.'
  return error.message.includes('ECONNREFUSED') ? 'The connection was refused.' : error.message
}
