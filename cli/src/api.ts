import type { Command } from 'commander'
import {
  ApiError,
  AuthenticationError,
  Bursar,
  ConnectionError,
  NotFoundError,
  RateLimitError,
  ServerError,
  TimeoutError,
} from '../../sdk/node/src/index.ts'
import { InputError, readHttpUrl } from '../../src/cli/terminal.ts'
import { findProfile, type Profile } from './profiles.ts'

/** A running Bursar, asked as an ERP asks it. */
export type Api = { url: string; key: string; bursar: Bursar }
export type ApiOptions = { profile?: string; url?: string; key?: string; secret?: string }

/** Published with every sandbox. */
const DEMO: Profile = {
  url: 'http://127.0.0.1:8080',
  key: 'key_test_demo',
  secret: 'secret_test_demo',
}
const TIMEOUT_MS = 15_000

export function addApiOptions(command: Command): Command {
  return command
    .option('--profile <name>', 'a profile of `bursar-cli login` (default: BURSAR_CLI_PROFILE, or the last)')
    .option('--url <url>', `where Bursar runs (default: BURSAR_API_URL, or ${DEMO.url})`, readHttpUrl)
    .option('--key <id>', `API key (default: BURSAR_API_KEY, or ${DEMO.key})`)
    .option('--secret <secret>', 'its secret (default: BURSAR_API_SECRET, or that of the test key)')
}

/** What is typed goes before the environment, and that before a profile. */
export function connect(options: ApiOptions): Api {
  const { url, key, secret } = { ...accessOf(options), ...(options.url && { url: options.url }) }
  const baseUrl = url.replace(/(?<!\/)\/+$/, '')
  // A person waits: what fails is shown at once, and `listen` asks again by itself.
  const bursar = new Bursar({ baseUrl, apiKey: key, apiSecret: secret, maxRetries: 0, timeoutMs: TIMEOUT_MS })
  return { url: baseUrl, key, bursar }
}

function accessOf(options: ApiOptions): Profile {
  const { BURSAR_API_URL: url, BURSAR_API_KEY: key, BURSAR_API_SECRET: secret } = process.env
  const typed = pairOf(options.key, options.secret, '--key and --secret')
  if (options.profile !== undefined) return { ...(findProfile(options.profile) ?? DEMO), ...typed }
  const pair = typed ?? pairOf(key, secret, 'BURSAR_API_KEY and BURSAR_API_SECRET')
  // A key that is given goes to the address that is given, never to that of a profile.
  const base = pair === null ? (findProfile(undefined) ?? DEMO) : DEMO
  return { ...base, ...(url && { url }), ...pair }
}

function pairOf(
  key: string | undefined,
  secret: string | undefined,
  names: string,
): { key: string; secret: string } | null {
  if ((key === undefined) !== (secret === undefined))
    throw new InputError(`${names} go together; give both or neither.`)
  return key === undefined || secret === undefined ? null : { key, secret }
}

/** Nobody answers, or not now; to ask again later may help. */
export function isAway(error: unknown): boolean {
  return error instanceof ConnectionError || error instanceof ServerError || error instanceof RateLimitError
}

/** Runs a command's calls; what fails is said in one sentence with the address in it. */
export async function withApi(options: ApiOptions, run: (api: Api) => Promise<void>): Promise<void> {
  const api = connect(options)
  try {
    await run(api)
  } catch (error) {
    throw explain(error, api)
  }
}

/** Only a sandbox has these addresses. */
export async function inSandbox<Answer>({ url }: Api, ask: () => Promise<Answer>): Promise<Answer> {
  try {
    return await ask()
  } catch (error) {
    if (error instanceof NotFoundError)
      throw new InputError(`Bursar at ${url} runs in live mode; this is only for a sandbox.`)
    throw error
  }
}

export function explain(error: unknown, { url, key }: Api): unknown {
  if (error instanceof ConnectionError)
    return new InputError(`Bursar does not answer at ${url}: ${reasonOf(error)}`)
  if (!(error instanceof ApiError)) return error
  if (error.code === 'UNKNOWN')
    return new InputError(`What answers at ${url} is not Bursar (it answered ${error.httpStatus}).`)
  if (error instanceof AuthenticationError)
    return new InputError(
      `Bursar at ${url} does not accept the API key ${key} with this secret. Check both, give --key and --secret, set ` +
        'BURSAR_API_KEY and BURSAR_API_SECRET, or use bursar-cli login. In live mode it accepts no test key.',
    )
  if (isAway(error)) return new InputError(`Bursar at ${url} is not ready: ${error.message}`)
  const request = error.requestId === undefined ? '' : ` (${error.code}, ${error.requestId})`
  return new InputError(`${error.message}${request}`)
}

function reasonOf(error: ConnectionError): string {
  if (error instanceof TimeoutError) return 'There was no answer in time.'
  return error.message.includes('ECONNREFUSED') ? 'The connection was refused.' : error.message
}
