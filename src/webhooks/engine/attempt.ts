import type { HttpResult } from '../../platform/http-client/http-client.ts'
import type { Verdict } from '../delivery-log/deliveries.rules.ts'
import type { AttemptRecord, Claimed, Finish } from './delivery-engine.store.ts'
import type { Keys } from './delivery-request.ts'

/** How a claim ended; no verdict when nothing was sent. */
export type Ended = { finish: Finish; verdict: Verdict | null }

/** Its subscription was disabled. */
export function unsent(claimed: Claimed): Ended {
  const { failures } = claimed
  return {
    finish: { claimed, state: 'cancelled', failures, nextInMs: null, attempt: null },
    verdict: null,
  }
}

/** Null when no answer came. */
export function answerMsOf({ finish: { attempt } }: Ended): number | null {
  return attempt?.http_status === undefined ? null : (attempt.duration_ms ?? null)
}

let lastMoment = { ms: 0, iso: '' }

/** Under load many attempts begin in one millisecond, and to write a moment down costs as much as to judge an answer. */
function isoOf(at: Date): string {
  const ms = at.getTime()
  if (ms !== lastMoment.ms) lastMoment = { ms, iso: at.toISOString() }
  return lastMoment.iso
}

export function attemptRecord(
  at: Date,
  result: HttpResult,
  verdict: Verdict,
  keys: Keys | null,
): AttemptRecord {
  const record: AttemptRecord = { attempted_at: isoOf(at), duration_ms: result.durationMs }
  if (result.kind === 'answered') {
    record.http_status = result.httpStatus
    if (result.body.length > 0 && keys !== null) record.response = keys.excerptOf(result.body)
  }
  if (verdict.kind === 'failed') record.problem = verdict.problem
  if (verdict.kind === 'gone')
    record.problem = 'The endpoint answered 410 Gone, which disables the subscription.'
  return record
}
