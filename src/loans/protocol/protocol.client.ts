import { badRequest, BursarError, unavailable } from '../../platform/errors.ts'
import { anyAddress } from '../../platform/http-client/addresses.ts'
import { HttpClient } from '../../platform/http-client/http-client.ts'
import { newId } from '../../platform/ids.ts'
import { parseAnswer } from '../../platform/json.rules.ts'
import type { Lender } from '../lender-port.ts'
import {
  historyAnswer,
  startedAnswer,
  toReports,
  toUpdate,
  updateMessage,
  acceptOutput,
  endOutput,
  pingOutput,
  statusOutput,
  submitOutput,
} from './protocol.schemas.ts'
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

/** A lender that implements the lender protocol (docs/lender/protocol.md). */
type CallOptions = {
  apiUrl: string
  /** The current one first. */
  secrets: readonly string[]
}

type ProtocolOptions = CallOptions & {
  /** Finds the institute of an application that was sent to this lender. */
  findInstituteOf(applicationId: string): Promise<number | null>
}

export const PATHS = {
  submit: '/applications/submit',
  status: '/applications/status',
  accept: '/applications/accept',
  end: '/applications/end',
  ping: '/ping',
} as const

const TIMEOUT_MS = 15_000
const ANSWER_BYTES = 1024 * 1024
// The operator chose the lender's address. Nothing has to close it: an idle connection keeps no process alive.
const httpClient = new HttpClient({ policy: anyAddress })

export function createProtocolLender(
  known: Pick<Lender, 'name' | 'title' | 'limits' | 'terms'>,
  options: ProtocolOptions,
): Lender {
  const history = (key: ApplicationKey, path: string, message: object) =>
    call(options, path, message, answer => toReports(key, historyAnswer.read(answer)))
  return {
    ...known,
    start: request =>
      call(options, PATHS.submit, submitOutput.toJson(request), answer => {
        const { lenderRef, redirectUrl } = startedAnswer.read(answer)
        return { lenderRef, lenderUrl: redirectUrl }
      }),
    accept: ({ applicationId }, acceptance) =>
      call(options, PATHS.accept, acceptOutput.toJson({ applicationId, ...acceptance }), () => {}),
    status: application => history(application, PATHS.status, statusOutput.toJson(application)),
    end: (application, how) => history(application, PATHS.end, endOutput.toJson({ ...application, how })),
    async readCallback({ headers, rawBody }) {
      if (!isSigned(options.secrets, { headers, rawBody, now: realTime() })) return null
      const { applicationId, lenderRef, update } = updateMessage.read(parseJson(rawBody))
      const instituteId = await options.findInstituteOf(applicationId)
      if (instituteId === null) throw badRequest(`The application ${applicationId} was not sent to you.`)
      return [{ instituteId, applicationId, lenderRef, update: toUpdate(update) }]
    },
  }
}

type ApplicationKey = { instituteId: number; applicationId: string }

/** What is wrong with the lender's address or secret; null when it answers. */
export async function pingLender(options: CallOptions): Promise<string | null> {
  try {
    await call(options, PATHS.ping, pingOutput.toJson({}), () => {})
    return null
  } catch (error) {
    if (error instanceof BursarError) return error.message
    throw error
  }
}

/** Signatures carry the real time: the lender knows nothing of a sandbox's clock. */
function realTime(): Date {
  return new Date()
}

async function call<Answer>(
  { apiUrl, secrets }: CallOptions,
  path: string,
  message: object,
  read: (answer: unknown) => Answer,
): Promise<Answer> {
  const body = JSON.stringify(message)
  const result = await httpClient.send({
    method: 'POST',
    url: apiUrl.replace(/(?<!\/)\/+$/, '') + path,
    headers: {
      'content-type': 'application/json',
      accept: 'application/json',
      ...signMessage(secrets, { id: newId('msg'), at: realTime(), body }),
    },
    body,
    timeoutMs: TIMEOUT_MS,
    maxBytes: ANSWER_BYTES,
  })
  if (result.kind === 'failed') throw unavailable(`The lender cannot be reached: ${result.message}`)
  if (result.isTruncated) throw unavailable('The lender answered with too much.')
  if (result.httpStatus === 401) throw unavailable('The lender does not accept our signature.')
  if (result.httpStatus < 200 || result.httpStatus > 299)
    throw unavailable(`The lender answered with status ${result.httpStatus}.`)
  try {
    return read(result.body.length === 0 ? {} : parseJson(result.body))
  } catch (error) {
    if (!(error instanceof BursarError)) throw error
    throw unavailable(`The lender's answer cannot be used: ${error.message}`, error)
  }
}

function parseJson(body: Buffer): unknown {
  try {
    return parseAnswer(body)
  } catch {
    throw badRequest('The body is not valid JSON.')
  }
}

/** Messages signed as Standard Webhooks has it (standardwebhooks.com), for exchanges that are signed both ways. */
const PREFIX = 'whsec_'
const KEY_BYTES = 32
const TOLERANCE_S = 5 * 60
/** A header has one signature a key, and a lender has two keys while it changes them. */
const MAX_SIGNATURES = 10

type SignedHeaders = Readonly<Record<string, string | undefined>>

export function newSigningSecret(): string {
  return PREFIX + randomBytes(KEY_BYTES).toString('base64')
}

/** One signature per secret: during a rotation the receiver may know only one of them. */
function signMessage(
  secrets: readonly string[],
  { id, at, body }: { id: string; at: Date; body: string },
): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / 1_000))
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': secrets.map(secret => `v1,${macOf(secret, id, timestamp, body)}`).join(' '),
  }
}

/** Whether one of the secrets signed exactly these bytes within five minutes of `now`. */
function isSigned(
  secrets: readonly string[],
  { headers, rawBody, now }: { headers: SignedHeaders; rawBody: Buffer; now: Date },
): boolean {
  const id = headers['webhook-id'] ?? ''
  const timestamp = headers['webhook-timestamp'] ?? ''
  if (id === '' || !/^\d{1,12}$/.test(timestamp)) return false
  if (Math.abs(now.getTime() / 1_000 - Number(timestamp)) > TOLERANCE_S) return false
  const sent = (headers['webhook-signature'] ?? '').split(' ').slice(0, MAX_SIGNATURES)
  return secrets.some(secret => {
    const expected = Buffer.from(`v1,${macOf(secret, id, timestamp, rawBody)}`)
    return sent.some(one => {
      const given = Buffer.from(one)
      return given.length === expected.length && timingSafeEqual(given, expected)
    })
  })
}

function macOf(secret: string, id: string, timestamp: string, body: string | Buffer): string {
  const key = Buffer.from(secret.slice(PREFIX.length), 'base64')
  return createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64')
}
