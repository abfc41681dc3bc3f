import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import pg from 'pg'
import { addressPolicy } from '../../../src/platform/http-client/addresses.ts'
import { HttpClient } from '../../../src/platform/http-client/http-client.ts'
import { ClusterSemaphore } from '../../../src/platform/db/cluster-semaphore.ts'
import { ErpCallLimiter, type CallLimit } from '../../../src/erp/context.ts'
import { fetchStudent } from '../../../src/erp/erp.client.ts'
import { unavailableBecause, type ErpAnswer } from '../../../src/erp/erp.rules.ts'
import { cloneDatabase } from '../../harness/postgres/databases.ts'
import {
  found,
  json,
  refusal,
  sampleRecord,
  startFakeErp,
  type Disturbance,
  type FakeErp,
} from '../../harness/fakes/erp.ts'
import { NOBODY } from '../../harness/nobody.ts'
import { scratch } from '../../platform/embedded-postgres/fixtures/support.ts'
import { waitFor } from '../../harness/wait.ts'

/** What an ERP may do to us, over real sockets. */
const ASKED = { identifier: 'ADM-1042' }
const DEMANDS = { isBranchRequired: false, isScheduleRequired: false }

type Ask = (url?: string, timeoutMs?: number) => Promise<ErpAnswer>

async function open(t: TestContext): Promise<{ erp: FakeErp; ask: Ask; httpClient: HttpClient }> {
  const erp = await startFakeErp(t)
  erp.put(sampleRecord())
  const httpClient = new HttpClient({ policy: addressPolicy({ mode: 'sandbox', allowed: [] }) })
  t.after(() => httpClient.close())
  const ask: Ask = (url = erp.url, timeoutMs = 10_000) =>
    fetchStudent(httpClient, {
      url: `${url}?identifier=${ASKED.identifier}`,
      headers: {},
      asked: ASKED,
      demands: DEMANDS,
      timeoutMs,
    })
  return { erp, ask, httpClient }
}

function assertUnavailable(answer: ErpAnswer, reason: string, message: RegExp): void {
  assert.ok(answer.kind === 'unavailable', JSON.stringify(answer))
  assert.equal(answer.reason, reason)
  assert.match(answer.message, message)
}

test('half an answer that never ends is given up at the limit', async t => {
  const { erp, ask } = await open(t)
  erp.disturb(() => 'drip')
  assertUnavailable(await ask(erp.url, 300), 'timeout', /not complete within 300 ms/)
})

const TROUBLES: [what: string, how: Disturbance, reason: string, message: RegExp][] = [
  ['half an answer', 'close-mid-answer', 'broken_answer', /closed before the answer was complete/],
  ['half a JSON text', { body: '{"status":"success","data":{"stu' }, 'not_json', /not whole JSON/],
  ['no answer at all', 'destroy', 'broken_answer', /closed/],
  ['something that is not HTTP', { raw: 'hello\r\n\r\n' }, 'broken_answer', /not valid HTTP/],
  ['an HTML page', { body: '<!doctype html><h1>Log in</h1>' }, 'not_json', /with HTML or XML/],
  ['nothing with 200', {}, 'not_json', /with nothing/],
  ['JSON null', json(200, null), 'wrong_record', /body must be a JSON object/],
  ['401', json(401, { status: 'error' }), 'not_authorised', /does not accept our credentials/],
  ['403', json(403, {}), 'not_authorised', /does not accept our credentials/],
  [
    'a redirect',
    { status: 302, headers: { location: 'https://erp.example.in/' } },
    'redirect',
    /none is followed/,
  ],
  [
    '404',
    json(404, { status: 'error', code: 'student_not_found', message: 'x' }),
    'http_status',
    /answered 404/,
  ],
  ['201 with a record', { ...(found(sampleRecord()) as object), status: 201 }, 'http_status', /answered 201/],
  ['500', { status: 500, body: 'oops' }, 'http_status', /answered 500/],
  ['10 MB', 'flood', 'too_large', /larger than 256 KiB/],
  [
    'another student',
    found(sampleRecord({ identifier: 'ADM-1043' })),
    'another_student',
    /must be ADM-1042.*it is ADM-1043/,
  ],
  ['422 without a code', json(422, { status: 'error', message: 'No.' }), 'wrong_refusal', /code is required/],
  ['422 that is HTML', { status: 422, body: '<p>Unprocessable</p>' }, 'not_json', /HTML/],
]
for (const [what, how, reason, message] of TROUBLES) {
  test(`${what}: unavailable as ${reason}`, async t => {
    const { erp, ask } = await open(t)
    erp.disturb(() => how)
    assertUnavailable(await ask(), reason, message)
    assert.equal(erp.requests.length, 1, 'nothing is asked twice')
  })
}

test('wrong types are named by their keys, every one of them', async t => {
  const { erp, ask } = await open(t)
  const wrong = sampleRecord(
    {
      grade: 5,
      new_admission: 'no',
      academic_year_start: '26',
      primary_contact_email: 'none',
      fullname: null,
    },
    { fee_components: [{ component_type: 'TUITION_FEE', fee_amount: 'many' }, { fee_amount: 1 }] },
  )
  erp.disturb(() => found(wrong))
  const answer = await ask()
  assertUnavailable(answer, 'wrong_record', /data\.student\.grade must be a string \(and 6 more\)/)
  assert.ok(answer.kind === 'unavailable')
  assert.deepEqual(
    new Set(answer.problems.map(problem => problem.key)),
    new Set([
      'data.student.fullname',
      'data.student.grade',
      'data.student.new_admission',
      'data.student.academic_year_start',
      'data.student.primary_contact_email',
      'data.fee_components.0.fee_amount',
      'data.fee_components.1.component_type',
    ]),
  )
})

test('the four codes of a refusal act as themselves, any other as data_error', async t => {
  const { erp, ask } = await open(t)
  const codes = [
    'student_not_found',
    'student_discontinued',
    'student_transferred',
    'data_error',
    'LIBRARY_DUES',
  ]
  for (const code of codes) {
    erp.disturb(() => refusal(code, 'See the office.'))
    const answer = await ask()
    assert.ok(answer.kind === 'refused')
    const acts = code === 'LIBRARY_DUES' ? 'data_error' : code
    assert.deepEqual([answer.code, answer.actsAs, answer.message], [code, acts, 'See the office.'])
  }
})

test('an answer of 256 KiB is read, one byte more is not', async t => {
  const { erp, ask } = await open(t)
  const text = JSON.stringify({ status: 'success', data: sampleRecord() })
  erp.disturb(() => ({ body: text.padEnd(256 * 1_024) }))
  assert.equal((await ask()).kind, 'found')
  erp.disturb(() => ({ body: text.padEnd(256 * 1_024 + 1) }))
  assertUnavailable(await ask(), 'too_large', /256 KiB/)
})

test('a port that nobody answers at and a metadata address are unavailable', async t => {
  const { ask } = await open(t)
  assertUnavailable(await ask(`http://${NOBODY}`), 'not_reachable', /refused/)
  assertUnavailable(await ask('http://169.254.169.254/latest'), 'address_refused', /link-local/)
})

test('wrong TLS is unavailable: a certificate nobody vouches for, and a server that speaks none', async t => {
  const { erp, ask } = await open(t)
  assertUnavailable(await ask(erp.url.replace('http:', 'https:')), 'tls', /TLS handshake failed/)
  const folder = scratch(t)
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  const request = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=localhost']
  execFileSync('openssl', [...request, '-keyout', key, '-out', cert], { stdio: 'ignore' })
  const tls = { key: readFileSync(key), cert: readFileSync(cert) }
  const secure = await startFakeErp(t, { tls })
  assertUnavailable(await ask(secure.url), 'tls', /certificate is not trusted/)
  assert.equal(secure.requests.length, 0)
})

const GATE: CallLimit = {
  target: 'one',
  maxCalls: 3,
  circuit: 'one',
  version: 1,
  isTest: false,
  isForPerson: false,
}

async function openGate(t: TestContext, now: () => number = () => 0): Promise<ErpCallLimiter> {
  const connectionString = await cloneDatabase(t)
  const semaphore = new ClusterSemaphore(() => new pg.Client({ connectionString, pipeline: true }))
  t.after(() => semaphore.close())
  return new ErpCallLimiter(semaphore, now)
}

test('never more calls at once than the setting, first come first served, and all are made', async t => {
  const { erp, ask } = await open(t)
  const gate = await openGate(t)
  erp.disturb(async () => {
    await waitFor(async () => erp.inFlight === 3 || order.length === 40, 'as many calls as may be', {
      everyMs: 1,
    })
    return null
  })
  const order: number[] = []
  const calls = Array.from({ length: 40 }, (_, n) =>
    gate.run(GATE, () => {
      order.push(n)
      return ask()
    }),
  )
  const kinds = (await Promise.all(calls)).map(answer => answer.kind)
  assert.deepEqual(new Set(kinds), new Set(['found']))
  assert.equal(erp.maxInFlight, 3)
  assert.deepEqual(
    order,
    order.toSorted((one, two) => one - two),
  )
})

test('five failures open the circuit: waiting requests fail at once, a probe goes out after 30 s, its success closes it', async t => {
  const { erp, ask } = await open(t)
  let now = 0
  const gate = await openGate(t, () => now)
  const call = (): Promise<ErpAnswer> => gate.run(GATE, () => ask())
  erp.disturb(() => json(503, {}))
  const first = await Promise.all(Array.from({ length: 20 }, call))
  const reasons = first.map(answer => (answer.kind === 'unavailable' ? answer.reason : answer.kind))
  const made = erp.requests.length
  assert.ok(made >= 5 && made <= 7, `${made} calls: five, and those under way at the fifth`)
  assert.equal(reasons.filter(reason => reason === 'resting').length, 20 - made)
  erp.disturb(null)
  now = 29_999
  assertUnavailable(await call(), 'resting', /has not answered lately/)
  assert.equal(erp.requests.length, made)
  now = 30_000
  const [probe, other] = await Promise.all([call(), call()])
  assert.deepEqual([probe.kind, other.kind], ['found', 'unavailable'], 'one probe at a time')
  assert.equal((await call()).kind, 'found')
})

test('a person who tests gets through an open circuit, and the first success closes it for everybody', async t => {
  const { erp, ask } = await open(t)
  const gate = await openGate(t)
  erp.disturb(() => 'destroy')
  for (let n = 0; n < 5; n++) await gate.run(GATE, () => ask())
  erp.disturb(null)
  assertUnavailable(await gate.run(GATE, () => ask()), 'resting', /lately/)
  assert.equal((await gate.run({ ...GATE, isTest: true }, () => ask())).kind, 'found')
  assert.equal((await gate.run(GATE, () => ask())).kind, 'found')
})

test('a wrong record is no silence of the ERP, other settings have their own circuit, changed ones a new one', async t => {
  const gate = await openGate(t)
  const wrong = unavailableBecause('wrong_record', 'x')
  const away = unavailableBecause('timeout', 'x')
  for (let n = 0; n < 10; n++) assert.equal(await gate.run(GATE, async () => wrong), wrong)
  for (let n = 0; n < 5; n++) await gate.run(GATE, async () => away)
  const reasonOf = async (changes: Partial<CallLimit>) => {
    const answer = await gate.run({ ...GATE, ...changes }, async () => wrong)
    return answer.kind === 'unavailable' ? answer.reason : answer.kind
  }
  assert.equal(await reasonOf({}), 'resting')
  assert.equal(await reasonOf({ circuit: 'two' }), 'wrong_record')
  assert.equal(await reasonOf({ version: 2 }), 'wrong_record')
})
