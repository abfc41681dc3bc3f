import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { HttpResult } from '../../../src/platform/http-client/http-client.ts'
import {
  CIRCUIT_OPENS_AT,
  excerptOf,
  healthAfter,
  judge,
  maskOf,
  probePauseMs,
  readRetryAfter,
  RETRY_SECONDS,
  stepAfter,
  type Health,
  type NoticeKind,
  type Verdict,
} from '../../../src/webhooks/delivery-log/deliveries.rules.ts'

const NOW = new Date('2026-11-15T04:30:00.000Z')
const [DAY_MS, HOUR_MS] = [86_400_000, 3_600_000]
const FAILED: Verdict = { kind: 'failed', httpStatus: 500, problem: 'It failed.', retryAfterMs: null }
const DELIVERED: Verdict = { kind: 'delivered', httpStatus: 200 }
const GONE: Verdict = { kind: 'gone' }
const WELL: Health = { failuresInRow: 0, failingSince: null }

const chance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })
const schedule = fc.array(fc.integer({ min: 1, max: 100_000 }), { minLength: 1, maxLength: 12 })

function answered(httpStatus: number, headers: Record<string, string> = {}): HttpResult {
  return { kind: 'answered', httpStatus, headers, body: Buffer.alloc(0), isTruncated: false, durationMs: 1 }
}

test('every status from 200 to 299 counts as received, 410 as gone, and no other as either', () => {
  fc.assert(
    fc.property(fc.integer({ min: 200, max: 599 }), status => {
      const { kind } = judge(answered(status), NOW)
      assert.equal(kind, status < 300 ? 'delivered' : status === 410 ? 'gone' : 'failed')
    }),
  )
  const broken: HttpResult = { kind: 'failed', reason: 'timeout', message: 'No answer.', durationMs: 1 }
  assert.deepEqual(judge(broken, NOW), { ...FAILED, httpStatus: null, problem: 'No answer.' })
})

test('the schedule is 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h, and each wait is kept within a fifth', () => {
  assert.deepEqual(RETRY_SECONDS, [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400])
  fc.assert(
    fc.property(schedule, chance, fc.nat(11), (retrySeconds, chance, before) => {
      const step = stepAfter(before, FAILED, { retrySeconds, chance })
      const wait = retrySeconds[before]
      if (wait === undefined) return
      assert.equal(step.state, 'retrying')
      assert.equal(step.failures, before + 1)
      assert.ok(step.nextInMs !== null)
      assert.ok(step.nextInMs >= wait * 800 && step.nextInMs <= wait * 1_200, String(step.nextInMs))
    }),
  )
  const ends = [0, 0.5, 0.999_999].map(chance =>
    stepAfter(0, FAILED, { retrySeconds: RETRY_SECONDS, chance }),
  )
  assert.deepEqual(
    ends.map(({ nextInMs }) => nextInMs),
    [4_000, 5_000, 6_000],
  )
})

test('a delivery is given up at its tenth failure, after nine waits, and at no other', () => {
  fc.assert(
    fc.property(chance, chance => {
      let failures = 0
      for (let attempt = 1; attempt <= 10; attempt++) {
        const step = stepAfter(failures, FAILED, { retrySeconds: RETRY_SECONDS, chance })
        assert.equal(step.state, attempt < 10 ? 'retrying' : 'exhausted')
        assert.equal(step.nextInMs === null, attempt === 10)
        failures = step.failures
      }
      assert.equal(failures, 10)
    }),
  )
})

test('a delivery that arrived waits for nothing and keeps its count', () => {
  fc.assert(
    fc.property(fc.nat(20), chance, (before, chance) => {
      const step = stepAfter(before, DELIVERED, { retrySeconds: RETRY_SECONDS, chance })
      assert.deepEqual(step, { state: 'delivered', failures: before, nextInMs: null })
    }),
  )
})

test('a delivery answered 410 is cancelled, wherever it stands', () => {
  fc.assert(
    fc.property(fc.nat(20), chance, (before, chance) => {
      const step = stepAfter(before, GONE, { retrySeconds: RETRY_SECONDS, chance })
      assert.deepEqual([step.state, step.nextInMs], ['cancelled', null])
    }),
  )
})

test('a retry never comes before the moment that Retry-After names', () => {
  fc.assert(
    fc.property(fc.nat(8), chance, fc.nat(DAY_MS), (before, chance, retryAfterMs) => {
      const verdict: Verdict = { ...FAILED, retryAfterMs }
      const { nextInMs } = stepAfter(before, verdict, { retrySeconds: RETRY_SECONDS, chance })
      const own = stepAfter(before, FAILED, { retrySeconds: RETRY_SECONDS, chance }).nextInMs
      assert.equal(nextInMs, Math.max(own ?? Infinity, retryAfterMs))
    }),
  )
})

test('Retry-After is read in seconds and as an HTTP date, is never below zero and at most a day', () => {
  fc.assert(
    fc.property(fc.nat(1_000_000), fc.constantFrom('', ' ', '\t'), (seconds, blank) => {
      const expected = Math.min(seconds * 1_000, DAY_MS)
      assert.equal(readRetryAfter(`${blank}${seconds}${blank}`, NOW), expected)
      const date = new Date(NOW.getTime() + seconds * 1_000).toUTCString()
      assert.equal(readRetryAfter(date, NOW), expected)
      const past = new Date(NOW.getTime() - seconds * 1_000).toUTCString()
      assert.equal(readRetryAfter(past, NOW), 0)
    }),
  )
  assert.equal(readRetryAfter('9'.repeat(500), NOW), DAY_MS)
  // The other ways to write a date; the second does not say its zone.
  for (const way of ['Sunday, 15-Nov-26 04:31:00 GMT', 'Sun Nov 15 04:31:00 2026'])
    assert.equal(readRetryAfter(way, NOW), 60_000, way)
})

test('a Retry-After that is neither is as good as none', () => {
  const garbage = fc
    .string({ unit: 'grapheme' })
    .filter(text => !/^\d+$/.test(text.trim()) && !text.trim().endsWith(' GMT'))
  fc.assert(fc.property(garbage, text => assert.equal(readRetryAfter(text, NOW), null)))
  for (const text of ['', ' ', '-5', '1.5', '1e3', '0x10', 'soon', 'someday GMT', ' GMT', '５'])
    assert.equal(readRetryAfter(text, NOW), null, text)
  assert.equal(readRetryAfter(undefined, NOW), null)
})

test('Retry-After counts on 429 and 503 and on no other status', () => {
  fc.assert(
    fc.property(fc.integer({ min: 300, max: 599 }), status => {
      const verdict = judge(answered(status, { 'retry-after': '60' }), NOW)
      if (verdict.kind !== 'failed') return
      assert.equal(verdict.retryAfterMs, status === 429 || status === 503 ? 60_000 : null)
    }),
  )
})

const verdicts = fc.array(fc.constantFrom(FAILED, FAILED, FAILED, DELIVERED), { maxLength: 40 })
const failuresInRow = fc.nat(150)

/** The plain counting that the rule must equal, one verdict at a time. */
function countPlainly(start: number, list: readonly Verdict[]): { count: number; told: NoticeKind[] } {
  let count = start
  const told: NoticeKind[] = []
  for (const { kind } of list) {
    if (kind === 'delivered' && count >= 3) told.push('recovered')
    count = kind === 'delivered' ? 0 : count + 1
    if (count === 3) told.push('failing')
  }
  return { count, told }
}

test('failures in a row are told at the third and no other, and a recovery only of what was told', () => {
  fc.assert(
    fc.property(failuresInRow, verdicts, (start, list) => {
      const before = { failuresInRow: start, failingSince: start === 0 ? null : NOW }
      const { count, told } = countPlainly(start, list)
      const after = healthAfter(before, list, NOW)
      assert.equal(after.failuresInRow, count)
      assert.deepEqual(new Set(after.notices), new Set(told))
      assert.equal(after.failingSince === null, count === 0)
    }),
  )
})

test('verdicts in one batch count as they would one by one', () => {
  fc.assert(
    fc.property(failuresInRow, verdicts, fc.nat(40), (start, list, cut) => {
      const before = { failuresInRow: start, failingSince: start === 0 ? null : NOW }
      const whole = healthAfter(before, list, NOW)
      const half = healthAfter(before, list.slice(0, cut), NOW)
      const rest = healthAfter(half, list.slice(cut), NOW)
      assert.equal(rest.failuresInRow, whole.failuresInRow)
      assert.deepEqual(rest.failingSince, whole.failingSince)
      assert.deepEqual(new Set([...half.notices, ...rest.notices]), new Set(whole.notices))
    }),
  )
})

test('a subscription is disabled at a hundred failures in a row if the first is a day old, and not a moment earlier', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 150 }), fc.integer({ min: -5_000, max: 5_000 }), (count, offMs) => {
      const failingSince = new Date(NOW.getTime() - DAY_MS + offMs)
      const after = healthAfter({ failuresInRow: count - 1, failingSince }, [FAILED], NOW)
      const isHopeless = count >= 100 && offMs <= 0
      assert.equal(after.disable, isHopeless ? 'failures' : null)
      assert.equal(after.notices.includes('disabled'), isHopeless)
    }),
  )
  const since = new Date(NOW.getTime() - DAY_MS)
  const edge = (count: number) =>
    healthAfter({ failuresInRow: count - 1, failingSince: since }, [FAILED], NOW)
  assert.deepEqual([edge(99).disable, edge(100).disable], [null, 'failures'])
  assert.equal(healthAfter({ failuresInRow: 99, failingSince: since }, [DELIVERED], NOW).disable, null)
})

test('a 410 disables at once, whatever else came with it', () => {
  fc.assert(
    fc.property(failuresInRow, verdicts, verdicts, (start, before, after) => {
      const health = { failuresInRow: start, failingSince: start === 0 ? null : NOW }
      const change = healthAfter(health, [...before, GONE, ...after], NOW)
      assert.equal(change.disable, 'gone')
      assert.ok(change.notices.includes('disabled'))
    }),
  )
  assert.equal(healthAfter(WELL, [FAILED], NOW).disable, null)
})

test('a pause stays through a failure, is lifted by a success, and the circuit sets its own', () => {
  fc.assert(
    fc.property(failuresInRow, verdicts, (start, list) => {
      const before = { failuresInRow: start, failingSince: start === 0 ? null : NOW }
      const { failuresInRow, keepsPause, pauseMs } = healthAfter(before, list, NOW)
      assert.equal(keepsPause, !list.includes(DELIVERED) && failuresInRow < CIRCUIT_OPENS_AT)
      assert.equal(pauseMs ?? 0, probePauseMs(failuresInRow))
    }),
  )
})

test('pauses between probes begin at the tenth failure, never shrink and stay within a minute', () => {
  assert.equal(probePauseMs(CIRCUIT_OPENS_AT - 1), 0)
  assert.equal(probePauseMs(CIRCUIT_OPENS_AT), 5_000)
  fc.assert(
    fc.property(fc.nat(100_000), fc.nat(100_000), (one, other) => {
      const [less, more] = [Math.min(one, other), Math.max(one, other)]
      assert.ok(probePauseMs(less) <= probePauseMs(more))
      assert.ok(probePauseMs(more) <= 60_000)
    }),
  )
  assert.equal(probePauseMs(100_000), 60_000)
})

test('a pause that the receiver asks for holds for the whole subscription, at most an hour', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: DAY_MS }), fc.nat(8), (retryAfterMs, start) => {
      const asked: Verdict = { ...FAILED, retryAfterMs }
      const health = { failuresInRow: start, failingSince: start === 0 ? null : NOW }
      assert.equal(healthAfter(health, [asked], NOW).pauseMs, Math.min(retryAfterMs, HOUR_MS))
    }),
  )
  assert.equal(healthAfter(WELL, [FAILED], NOW).pauseMs, null)
})

const secret = fc
  .string({ unit: 'grapheme', minLength: 4, maxLength: 40 })
  .filter(text => !/[•\p{C}\s]/u.test(text))
const noise = fc.string({ unit: 'grapheme', maxLength: 600 })

test('an excerpt never shows a secret, in whatever company it comes', () => {
  fc.assert(
    fc.property(fc.array(secret, { minLength: 1, maxLength: 3 }), noise, noise, (secrets, before, after) => {
      for (const each of secrets) {
        const shown = excerptOf(Buffer.from(`${before}${each}${after}`), maskOf(secrets))
        const around = before.includes(each) || after.includes(each)
        assert.ok(around || !shown.includes(each), `${each} in ${shown}`)
      }
    }),
  )
})

test('an excerpt hides a key that begins with another key to its end', () => {
  const secrets = ['key-of-old', 'key-of-old-and-more']
  assert.equal(excerptOf(Buffer.from('you sent key-of-old-and-more'), maskOf(secrets)), 'you sent •••')
})

test('an excerpt hides what calls itself a secret', () => {
  for (const text of [
    '{"password":"hunter2"}',
    'token=hunter2&x=1',
    'Authorization: hunter2',
    'api_key = "hunter2"',
  ])
    assert.doesNotMatch(excerptOf(Buffer.from(text), null), /hunter2/, text)
})

test('an excerpt of any bytes is at most 1,000 characters that a database can store', () => {
  const bytes = fc.uint8Array({ maxLength: 3_000 }).map(array => Buffer.from(array))
  const text = fc.string({ unit: 'grapheme', maxLength: 1_500 }).map(each => Buffer.from(each))
  fc.assert(
    fc.property(fc.oneof(bytes, text), body => {
      const shown = excerptOf(body, maskOf(['x']))
      assert.ok(shown.length <= 1_000)
      assert.equal(shown.includes('\0'), false)
      assert.ok(shown.isWellFormed())
    }),
  )
  const cutInTwo = excerptOf(Buffer.from(`${'a'.repeat(999)}😀`), null)
  assert.ok(cutInTwo.isWellFormed() && cutInTwo.startsWith('a'.repeat(999)))
  assert.equal(excerptOf(Buffer.from([0x61, 0, 0xff, 0x62]), null), 'a\ufffd\ufffdb')
})
