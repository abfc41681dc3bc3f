import type { Command } from 'commander'
import { EVENT_CODES, InvalidRequestError } from '../../../sdk/node/src/index.ts'
import {
  addExamples,
  InputError,
  readHttpUrl,
  formatTimeOfDay,
  showLine,
  wantsJson,
  writeError,
} from '../../../src/cli/terminal.ts'
import { addApiOptions, explain, inSandbox, isAway, withApi, type Api, type ApiOptions } from '../api.ts'
import { closeConnections, deliver, type Outcome } from '../deliver.ts'
import { signingSecret } from '../profiles.ts'
import { pause, untilStopped } from '../stopping.ts'
import { oneOf } from '../suggest.ts'

/**
 * Brings a sandbox's events to a receiver on the developer's machine, without a subscription: it follows the list of
 * events and posts each as a delivery would be posted. Events come one after the other, in order.
 */
type ListenOptions = ApiOptions & {
  forwardTo?: string
  events?: ReadonlySet<string>
  branch?: string
  signingSecret?: string
  header: Record<string, string>
  insecure: boolean
  print: boolean
}

type Event = {
  event_id: string
  event: string
  timestamp: number
  version: string
  sequence: number
  payload: unknown
}
type EventPage = { data: Event[]; has_more: boolean }

const EVENTS_PATH = '/api/v1/integrations/erp/events'
const PAGE_SIZE = 100
const POLL_MS = 500
/** The waits between tries; a developer's receiver is back soon or not at all. */
const RETRY_MS = [1_000, 5_000]

export function addListenCommand(program: Command): void {
  const listen = program
    .command('listen')
    .description("forward a running sandbox's events to your receiver, signed as real deliveries are")
    .option('--forward-to <url>', 'address of your receiver; without it events are only shown', readHttpUrl)
    .option('--events <codes>', 'only these event codes, separated by commas', readEventCodes)
    .option('--branch <code>', 'only events of this branch')
    .option('--signing-secret <secret>', 'signs what is sent (default: one that is kept for you)', readSecret)
    .option(
      '--header <name:value>',
      'sent to your receiver besides; may be given several times',
      addHeader,
      {},
    )
    .option('--insecure', 'take any certificate of your receiver, such as a self-signed one', false)
    .option('--print', 'show the payload of each event', false)
  addApiOptions(listen).action(runListen)
  addExamples(listen, [
    'bursar-cli listen --forward-to http://localhost:3000/hooks',
    'bursar-cli listen --forward-to https://localhost:3443/hooks --insecure --header "X-Tenant: green-park"',
    'bursar-cli listen --print --events pay.payment.debited,refund.processed',
  ])
}

function readEventCodes(text: string): ReadonlySet<string> {
  return new Set(text.split(',').map(code => oneOf(code.trim(), EVENT_CODES, 'an event code')))
}

function readSecret(text: string): string {
  const isRight = text.startsWith('whsec_') ? /^whsec_[\w+/-]+={0,2}$/.test(text) : text !== ''
  if (isRight) return text
  throw new InputError('A signing secret is any text, or whsec_ and valid base64.')
}

function addHeader(text: string, before: Record<string, string>): Record<string, string> {
  const colon = text.indexOf(':')
  const name = text.slice(0, colon).trim().toLowerCase()
  if (colon < 0 || !/^[\w!#$%&'*+.^`|~-]+$/.test(name))
    throw new InputError(`"${text}" is not a header: write "Name: value".`)
  return { ...before, [name]: text.slice(colon + 1).trim() }
}

async function runListen(options: ListenOptions): Promise<void> {
  await withApi(options, api =>
    untilStopped(async signal => {
      try {
        await listen(api, options, signal)
      } finally {
        closeConnections()
      }
    }),
  )
}

async function listen(api: Api, options: ListenOptions, signal: AbortSignal): Promise<void> {
  const { forwardTo, branch } = options
  // Only a sandbox has a clock: a live Bursar is refused here.
  await inSandbox(api, () => api.bursar.getSandboxClock({ signal }))
  const secret = options.signingSecret ?? signingSecret()
  const cursor = await readNewest(api, branch)
  if (forwardTo === undefined) showLine({ url: api.url }, `Events of ${api.url}. Ctrl-C ends.`)
  else
    showLine(
      { url: api.url, forward_to: forwardTo, signing_secret: secret },
      `Forwarding events of ${api.url} to ${forwardTo}. Ctrl-C ends.\nSigning secret: ${secret}`,
    )
  await follow(api, { cursor, branch }, signal, async event => {
    if (options.events?.has(event.event) === false) return
    if (forwardTo === undefined) report(event)
    if (options.print && !wantsJson()) showLine(event, JSON.stringify(event, null, 2))
    if (forwardTo !== undefined) await forward(event, { ...options, forwardTo, secret, signal })
  })
}

/** Undefined while there is none yet. */
async function readNewest(api: Api, branch: string | undefined): Promise<string | undefined> {
  const { data } = await readPage(api, { limit: 1, collector_code: branch })
  return data[0]?.event_id
}

/** Hands over every event after the one seen last, until it is stopped; a Bursar that is away is waited for. */
async function follow(
  api: Api,
  filter: { cursor: string | undefined; branch: string | undefined },
  signal: AbortSignal,
  handle: (event: Event) => Promise<void>,
): Promise<void> {
  let { cursor } = filter
  let wasAway = false
  while (!signal.aborted) {
    try {
      const query = { order: 'oldest', limit: PAGE_SIZE, cursor, collector_code: filter.branch }
      const page = await readPage(api, query, signal)
      if (wasAway) notice(`Bursar is back at ${api.url}.`)
      wasAway = false
      for (const event of page.data) {
        await handle(event)
        if (signal.aborted) return
        cursor = event.event_id
      }
      if (!page.has_more) await pause(POLL_MS, signal)
    } catch (error) {
      if (signal.aborted) return
      if (isUnknownCursor(error) && cursor !== undefined) {
        // It came back with a new database, in which every event is one that we have not seen.
        cursor = undefined
        continue
      }
      if (!isAway(error)) throw error
      if (!wasAway) notice(`${(explain(error, api) as Error).message} Waiting for it.`)
      wasAway = true
      await pause(POLL_MS, signal)
    }
  }
}

function isUnknownCursor(error: unknown): boolean {
  return error instanceof InvalidRequestError && error.fields.some(({ key }) => key === 'cursor')
}

/** As JSON has it, not as the client's types do: what is forwarded is what Bursar would send. */
async function readPage(api: Api, query: object, signal?: AbortSignal): Promise<EventPage> {
  const options = signal === undefined ? {} : { signal }
  return (await api.bursar.request(
    { method: 'GET', path: EVENTS_PATH, query },
    options,
  )) as unknown as EventPage
}

type ForwardTarget = {
  forwardTo: string
  secret: string
  header: Record<string, string>
  insecure: boolean
  print: boolean
  signal: AbortSignal
}

/** Posts an event as a delivery would, and says what came of each try. */
async function forward(event: Event, target: ForwardTarget): Promise<void> {
  const { event_id: eventId, event: code, timestamp, version, sequence, payload } = event
  const body = Buffer.from(
    JSON.stringify({ event_id: eventId, event: code, timestamp, version, sequence, payload }),
  )
  const { forwardTo: url, header: headers, secret, insecure, signal } = target
  for (let tries = 1; !signal.aborted; tries++) {
    const outcome = await deliver({ url, eventId, body, secret, headers, insecure, signal })
    if (signal.aborted && outcome.kind === 'failed') return
    const waitMs = RETRY_MS[tries - 1]
    report(event, { outcome, waitMs, payload: target.print ? { payload } : {} })
    if (isDelivered(outcome) || waitMs === undefined) return
    await pause(waitMs, signal)
  }
}

function isDelivered(outcome: Outcome): boolean {
  return outcome.kind === 'answered' && outcome.httpStatus >= 200 && outcome.httpStatus < 300
}

function report(
  event: Event,
  sent?: { outcome: Outcome; waitMs: number | undefined; payload: object },
): void {
  const { event_id, event: code } = event
  const line = `${formatTimeOfDay(new Date())}  ${code}  ${event_id}`
  if (sent === undefined) {
    showLine(event, line)
    return
  }
  const { outcome, waitMs, payload } = sent
  const answer = outcome.kind === 'answered' ? { status: outcome.httpStatus } : { problem: outcome.message }
  const next =
    waitMs === undefined ? ` Given up after ${RETRY_MS.length + 1} tries.` : ` Again in ${waitMs / 1_000} s.`
  showLine(
    { event_id, event: code, ...answer, duration_ms: outcome.durationMs, ...payload },
    `${line}  -> ${describe(outcome)}${isDelivered(outcome) ? '' : next}`,
  )
}

function describe(outcome: Outcome): string {
  if (outcome.kind === 'failed') return `failed: ${outcome.message}`
  const { httpStatus, durationMs } = outcome
  if (isDelivered(outcome)) return `${httpStatus} in ${durationMs} ms`
  const isRedirect = httpStatus >= 300 && httpStatus < 400
  return `${httpStatus} in ${durationMs} ms${isRedirect ? '; redirects are not followed' : ''}.`
}

function notice(text: string): void {
  writeError(wantsJson() ? JSON.stringify({ notice: text }) : text)
}
