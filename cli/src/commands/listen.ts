import { randomBytes } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { Command } from 'commander'
import { EVENT_CODES, TEST_CODE } from '../../events/codes.ts'
import { INDIA } from '../../platform/calendar.ts'
import type { HttpResult } from '../../platform/http-client/http-client.ts'
import { deliveryRequest, makeKeys } from '../../webhooks/engine/delivery-request.ts'
import { subscriptionProblems } from '../../webhooks/subscriptions/subscriptions.rules.ts'
import {
  addApiOptions,
  BursarAway,
  FieldsRefused,
  openApi,
  readHttpUrl,
  type ApiClient,
  type ApiOptions,
} from './api-client.ts'
import { addExamples } from '../help.ts'
import { InputError, readBranchCode } from '../input.ts'
import { wantsJson, writeError, writeOut } from '../output.ts'

/**
 * Brings a sandbox's events to a receiver on the developer's machine, without a subscription: it follows the list of
 * events and posts each as a delivery would be posted. Events come one after the other, in order.
 */
type ListenOptions = ApiOptions & {
  forwardTo: string
  events?: ReadonlySet<string>
  branch?: string
  signingSecret?: string
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
const CLOCK_PATH = '/api/v1/sandbox/clock'
const PAGE_SIZE = '100'
const POLL_MS = 500
/** The waits between tries; a developer's receiver is back soon or not at all. */
const RETRY_MS = [1_000, 5_000]

export function addListenCommand(program: Command): void {
  const listen = program
    .command('listen')
    .description("forward a running sandbox's events to your receiver, signed as real deliveries are")
    .requiredOption('--forward-to <url>', 'address of your receiver', readHttpUrl)
    .option('--events <codes>', 'only these event codes, separated by commas', readEventCodes)
    .option('--branch <code>', 'only events of this branch', readBranchCode)
    .option('--signing-secret <secret>', 'signs what is sent (default: a new one for each run)', readSecret)
  addApiOptions(listen).action(runListen)
  addExamples(listen, [
    'bursar listen --forward-to http://localhost:3000/hooks',
    'bursar listen --forward-to http://localhost:3000/hooks --events pay.payment.debited,refund.processed',
  ])
}

function readEventCodes(text: string): ReadonlySet<string> {
  const codes = text.split(',').map(code => code.trim())
  const known: readonly string[] = [...EVENT_CODES, TEST_CODE]
  for (const code of codes) {
    if (known.includes(code)) continue
    throw new InputError(`"${code}" is not an event code. Event codes are: ${known.join(', ')}.`)
  }
  return new Set(codes)
}

function readSecret(text: string): string {
  const [problem] = subscriptionProblems({ secretKey: text })
  if (problem === undefined && text !== '') return text
  throw new InputError('A signing secret is any text, or whsec_ and valid base64.')
}

async function runListen(options: ListenOptions): Promise<void> {
  const api = await openApi(options)
  const stopping = new AbortController()
  const stop = (): void => {
    stopping.abort()
    void api.close()
  }
  // Once: a second Ctrl-C ends the process whatever it is doing.
  process.once('SIGINT', stop).once('SIGTERM', stop)
  try {
    await listen(api, options, stopping.signal)
  } catch (error) {
    if (!stopping.signal.aborted) throw error
  } finally {
    process.off('SIGINT', stop).off('SIGTERM', stop)
    await api.close()
  }
}

async function listen(api: ApiClient, options: ListenOptions, signal: AbortSignal): Promise<void> {
  // Only a sandbox has a clock: a live Bursar is refused here.
  await api.get(CLOCK_PATH)
  const secret = options.signingSecret ?? `whsec_${randomBytes(24).toString('base64')}`
  const cursor = await readNewest(api, options.branch)
  tell(
    { url: api.url, forward_to: options.forwardTo, signing_secret: secret },
    `Forwarding events of ${api.url} to ${options.forwardTo}. Ctrl-C ends.\nSigning secret: ${secret}`,
  )
  await follow(api, { cursor, branch: options.branch }, signal, async event => {
    if (options.events?.has(event.event) === false) return
    await forward(api, event, { url: options.forwardTo, secret, signal })
  })
}

/** Undefined while there is none yet. */
async function readNewest(api: ApiClient, branch: string | undefined): Promise<string | undefined> {
  const { data } = await api.get<EventPage>(eventsPath({ limit: '1', collector_code: branch }))
  return data[0]?.event_id
}

/** Hands over every event after the one seen last, until it is stopped; a Bursar that is away is waited for. */
async function follow(
  api: ApiClient,
  filter: { cursor: string | undefined; branch: string | undefined },
  signal: AbortSignal,
  handle: (event: Event) => Promise<void>,
): Promise<void> {
  let { cursor } = filter
  let isAway = false
  while (!signal.aborted) {
    try {
      const query = { order: 'oldest', limit: PAGE_SIZE, cursor, collector_code: filter.branch }
      const page = await api.get<EventPage>(eventsPath(query))
      if (isAway) notice(`Bursar is back at ${api.url}.`)
      isAway = false
      for (const event of page.data) {
        await handle(event)
        if (signal.aborted) return
        cursor = event.event_id
      }
      if (!page.has_more) await pause(POLL_MS, signal)
    } catch (error) {
      if (signal.aborted) return
      if (error instanceof FieldsRefused && error.fields.includes('cursor') && cursor !== undefined) {
        // It came back with a new database, in which every event is one that we have not seen.
        cursor = undefined
        continue
      }
      if (!(error instanceof BursarAway)) throw error
      if (!isAway) notice(`${error.message} Waiting for it.`)
      isAway = true
      await pause(POLL_MS, signal)
    }
  }
}

function eventsPath(query: Record<string, string | undefined>): string {
  const given = Object.entries(query).filter((pair): pair is [string, string] => pair[1] !== undefined)
  return `${EVENTS_PATH}?${new URLSearchParams(given).toString()}`
}

type Target = { url: string; secret: string; signal: AbortSignal }

/** Posts an event as a delivery would, and says what came of each try. */
async function forward(api: ApiClient, event: Event, { url, secret, signal }: Target): Promise<void> {
  const { event_id, event: code, timestamp, version, sequence, payload } = event
  const body = Buffer.from(JSON.stringify({ event_id, event: code, timestamp, version, sequence, payload }))
  const keys = makeKeys([secret], null)
  for (let tries = 1; !signal.aborted; tries++) {
    const request = deliveryRequest({ url, eventId: event_id, body, at: new Date(), keys })
    const result = await api.outbound.send(request)
    if (signal.aborted && result.kind === 'failed') return
    const waitMs = RETRY_MS[tries - 1]
    report(event, result, waitMs)
    if (isDelivered(result) || waitMs === undefined) return
    await pause(waitMs, signal)
  }
}

function isDelivered(result: HttpResult): boolean {
  return result.kind === 'answered' && result.httpStatus >= 200 && result.httpStatus < 300
}

function report(event: Event, result: HttpResult, waitMs: number | undefined): void {
  const answer = result.kind === 'answered' ? { status: result.httpStatus } : { problem: result.message }
  const next =
    waitMs === undefined ? ` Given up after ${RETRY_MS.length + 1} tries.` : ` Again in ${waitMs / 1_000} s.`
  tell(
    { event_id: event.event_id, event: event.event, ...answer, duration_ms: result.durationMs },
    `${clockTime()}  ${event.event}  ${event.event_id}  -> ${describe(result)}${isDelivered(result) ? '' : next}`,
  )
}

function describe(result: HttpResult): string {
  if (result.kind === 'failed') return `failed: ${result.message}`
  const { httpStatus, durationMs } = result
  if (isDelivered(result)) return `${httpStatus} in ${durationMs} ms`
  const isRedirect = httpStatus >= 300 && httpStatus < 400
  return `${httpStatus} in ${durationMs} ms${isRedirect ? '; redirects are not followed' : ''}.`
}

/** 09:30:05 IST */
function clockTime(): string {
  const time = Temporal.Now.zonedDateTimeISO(INDIA).toPlainTime()
  return `${time.toString({ smallestUnit: 'second' })} IST`
}

/** A line at a time, as text for a person or as JSON for a program. */
function tell(data: object, text: string): void {
  writeOut(wantsJson() ? JSON.stringify(data) : text)
}

function notice(text: string): void {
  writeError(wantsJson() ? JSON.stringify({ notice: text }) : text)
}

/** Ends early when it is all over. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await wait(ms, undefined, { signal }).catch(() => {})
}
