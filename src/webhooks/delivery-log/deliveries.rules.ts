import { DAY_MS } from '../../platform/calendar.ts'

/**
 * What an attempt means for its delivery and for the subscription behind it. Each attempt is judged by itself; the
 * delivery then moves by its own count of failures, and the subscription by the count over all its deliveries.
 */
export const DELIVERY_STATES = ['pending', 'retrying', 'delivered', 'exhausted', 'cancelled'] as const
export type DeliveryState = (typeof DELIVERY_STATES)[number]

type Header = string | string[] | undefined

/** What came back. */
type Reply =
  | { kind: 'answered'; httpStatus: number; headers: Readonly<Record<string, Header>> }
  | { kind: 'failed'; message: string }

export type Verdict =
  | { kind: 'delivered'; httpStatus: number }
  | { kind: 'gone' }
  | { kind: 'failed'; httpStatus: number | null; problem: string; retryAfterMs: number | null }

const SECOND_MS = 1_000
const HOUR_MS = 3_600 * SECOND_MS

/** The waits after the first failure, the second, and so on: about three days. */
export const RETRY_SECONDS: readonly number[] = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400]
const JITTER = 0.2
const LONGEST_RETRY_AFTER_MS = DAY_MS
const LONGEST_PAUSE_MS = HOUR_MS

export function judge(reply: Reply, now: Date): Verdict {
  if (reply.kind === 'failed') {
    return { kind: 'failed', httpStatus: null, problem: reply.message, retryAfterMs: null }
  }
  const { httpStatus, headers } = reply
  if (httpStatus >= 200 && httpStatus < 300) return { kind: 'delivered', httpStatus }
  if (httpStatus === 410) return { kind: 'gone' }
  const mayAskToWait = httpStatus === 429 || httpStatus === 503
  return {
    kind: 'failed',
    httpStatus,
    problem: problemOf(httpStatus),
    retryAfterMs: mayAskToWait ? readRetryAfter(headers['retry-after'], now) : null,
  }
}

function problemOf(httpStatus: number): string {
  if (httpStatus >= 300 && httpStatus < 400) {
    return `The endpoint answered with a redirect (${httpStatus}); redirects are not followed.`
  }
  return `The endpoint answered with status ${httpStatus}.`
}

/** The oldest of the three ways to write an HTTP date, the only one that does not say its zone. */
const ASCTIME = /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/

/** Receivers send seconds or an HTTP date; anything else is as good as none. */
export function readRetryAfter(text: Header, now: Date): number | null {
  // A header that stands twice is ignored.
  if (typeof text !== 'string') return null
  const trimmed = text.trim()
  const zoned = ASCTIME.test(trimmed) ? `${trimmed} GMT` : trimmed
  const waitMs = /^\d+$/.test(trimmed)
    ? Number(trimmed) * SECOND_MS
    : zoned.endsWith(' GMT')
      ? Date.parse(zoned) - now.getTime()
      : Number.NaN
  if (Number.isNaN(waitMs)) return null
  return Math.min(Math.max(waitMs, 0), LONGEST_RETRY_AFTER_MS)
}

export type Step = { state: DeliveryState; failures: number; nextInMs: number | null }

/** Where a delivery goes from here; `chance` in [0, 1) spreads retries so that many do not come back at once. */
export function stepAfter(
  failuresBefore: number,
  verdict: Verdict,
  { retrySeconds, chance }: { retrySeconds: readonly number[]; chance: number },
): Step {
  if (verdict.kind === 'delivered') return { state: 'delivered', failures: failuresBefore, nextInMs: null }
  const failures = failuresBefore + 1
  if (verdict.kind === 'gone') return { state: 'cancelled', failures, nextInMs: null }
  const waitS = retrySeconds[failures - 1]
  if (waitS === undefined) return { state: 'exhausted', failures, nextInMs: null }
  const jittered = waitS * SECOND_MS * (1 - JITTER + 2 * JITTER * chance)
  return {
    state: 'retrying',
    failures,
    nextInMs: Math.round(Math.max(jittered, verdict.retryAfterMs ?? 0)),
  }
}

/** How a subscription fares: failed attempts since its last success, and since when. */
export type Health = { failuresInRow: number; failingSince: Date | null }

export type NoticeKind = 'failing' | 'exhausted' | 'disabled' | 'recovered'

export type HealthChange = Health & {
  /** Nothing is sent for so long. */
  pauseMs: number | null
  /** A longer pause that another answer asked for stays; a success lifts it, and the circuit has its own. */
  keepsPause: boolean
  disable: 'gone' | 'failures' | null
  notices: NoticeKind[]
}

export const CIRCUIT_OPENS_AT = 10
const TELL_AT = 3
const DISABLE_AT = 100
const DISABLE_AFTER_MS = DAY_MS
const FIRST_PROBE_MS = 5 * SECOND_MS
const SLOWEST_PROBE_MS = 60 * SECOND_MS

/** Takes verdicts in the order in which they came. */
export function healthAfter(before: Health, verdicts: readonly Verdict[], now: Date): HealthChange {
  let { failuresInRow, failingSince } = before
  let isGone = false
  let hasArrived = false
  let askedToWaitMs = 0
  const notices = new Set<NoticeKind>()
  for (const verdict of verdicts) {
    if (verdict.kind === 'delivered') {
      if (failuresInRow >= TELL_AT) notices.add('recovered')
      failuresInRow = 0
      failingSince = null
      hasArrived = true
      continue
    }
    failuresInRow += 1
    failingSince ??= now
    if (failuresInRow === TELL_AT) notices.add('failing')
    if (verdict.kind === 'gone') isGone = true
    else askedToWaitMs = Math.max(askedToWaitMs, verdict.retryAfterMs ?? 0)
  }
  const isHopeless =
    failuresInRow >= DISABLE_AT &&
    failingSince !== null &&
    now.getTime() - failingSince.getTime() >= DISABLE_AFTER_MS
  const disable = isGone ? 'gone' : isHopeless ? 'failures' : null
  if (disable !== null) notices.add('disabled')
  const pauseMs = Math.max(Math.min(askedToWaitMs, LONGEST_PAUSE_MS), probePauseMs(failuresInRow))
  return {
    failuresInRow,
    failingSince,
    pauseMs: pauseMs === 0 ? null : pauseMs,
    keepsPause: !hasArrived && failuresInRow < CIRCUIT_OPENS_AT,
    disable,
    notices: [...notices],
  }
}

/** An open circuit lets one probe out at a time, more rarely the longer nothing answers. */
export function probePauseMs(failuresInRow: number): number {
  if (failuresInRow < CIRCUIT_OPENS_AT) return 0
  const doublings = Math.min(failuresInRow - CIRCUIT_OPENS_AT, 8)
  return Math.min(FIRST_PROBE_MS * 2 ** doublings, SLOWEST_PROBE_MS)
}

const SHOWN_CHARACTERS = 1_000
/** Its parts are bounded, because the receiver chooses the text that it is tried on. */
const SECRET_FIELD =
  /("?(?:password|passwd|secret|token|authorization|api[_-]?key)[^"':=]{0,40}"?\s{0,4}[:=]\s{0,4}"?(?:(?:basic|bearer)\s)?)[^"\s,;&}]+/gi

/** How a secret may stand in an answer: as it is, in JSON, in an address. */
export function spellingsOf(secret: string): string[] {
  return [
    ...new Set([secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret.toWellFormed())]),
  ]
}

/** Finds any of these; the longest first, as one that another begins with would leave the other's end to be read. */
export function maskOf(secrets: readonly string[]): RegExp | null {
  const sorted = secrets
    .filter(secret => secret !== '')
    .toSorted((one, other) => other.length - one.length)
    .map(secret => RegExp.escape(secret))
  return sorted.length === 0 ? null : new RegExp(sorted.join('|'), 'g')
}

/** The first of an answer as it may be shown: what we know to be secret, and what calls itself so, is masked. */
export function excerptOf(body: Buffer, secrets: RegExp | null): string {
  let text = body.toString('utf8').replaceAll(/[^\P{Cc}\n\t]/gu, '\ufffd')
  // Before the cut, which may go through one of them.
  if (secrets !== null) text = text.replaceAll(secrets, '•••')
  const shown = text.slice(0, SHOWN_CHARACTERS).replaceAll(SECRET_FIELD, '$1•••')
  // A cut may go through a character of two halves, and half of one is not text that a database takes.
  return shown.slice(0, SHOWN_CHARACTERS).toWellFormed()
}

/** An event as it is recorded, ready to be sent. */
export type DeliverableEvent = {
  eventId: string
  eventCode: string
  /** When it happened, in seconds since 1970. */
  timestamp: number
  sequence: number
  /** JSON as recorded: a snapshot is sent as it was written down, byte for byte. */
  payloadJson: string
}

/** The body of a delivery; the same on every attempt. Ids and codes are plain, nothing in them has to be escaped. */
export function deliveryBody({
  eventId,
  eventCode,
  timestamp,
  sequence,
  payloadJson,
}: DeliverableEvent): string {
  return `{"event_id":"${eventId}","event":"${eventCode}","timestamp":${timestamp},"version":"1.0","sequence":${sequence},"payload":${payloadJson}}`
}
