import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test, type TestContext } from 'node:test'
import { readConfig } from '../../src/app/config.ts'
import { createBursar } from '../../src/app/bursar.ts'
import { createLog, type LogFormat } from '../../src/platform/log.ts'
import { TEST_MASTER_KEY } from '../harness/bursar.ts'
import { cloneDatabase } from '../harness/postgres/databases.ts'
import { Client, DEMO, type Answer } from '../harness/client.ts'
import { ERP, PAY, sampleOrder, sampleStudent, sampleWebhook } from '../harness/samples.ts'
import { waitFor } from '../harness/wait.ts'

/** What the log says of a request, and what it never says: secrets, people, and anything they sent. */
const PAYER = {
  name: 'Zubeida Quillfeather',
  phone: '+91 90000 11223',
  email: 'zubeida.quillfeather@payer.example',
}
const IDENTIFIER = 'ADM-77-CONFIDENTIAL'
const REGISTRATION = 'REG-PARENT-9000011223'
const WEBHOOK = { secret_key: 'webhook-signing-secret', header_value: 'webhook-header-value' }
const IDEMPOTENCY_KEY = 'once-for-zubeida'
const WRONG_SECRET = 'a-mistyped-secret'

const NEVER = [
  DEMO.secret,
  WRONG_SECRET,
  TEST_MASTER_KEY,
  'Basic ',
  'authorization',
  IDEMPOTENCY_KEY,
  basic(DEMO.secret),
  basic(WRONG_SECRET),
  'Zubeida',
  'Quillfeather',
  '90000 11223',
  '9000011223',
  'payer.example',
  'Noor',
  '2014-02-03',
  IDENTIFIER,
  'CONFIDENTIAL',
  'REG-PARENT',
  WEBHOOK.secret_key,
  WEBHOOK.header_value,
  'hooks.erp.example',
  'it@erp.example',
  'SECRETIVE_FEE',
  'a note about',
  'postgres://',
]

type Line = Record<string, unknown>
type Bursar = { url: string; demo: Client; sql: (text: string) => Promise<unknown>; written: () => string }

function basic(secret: string): string {
  return Buffer.from(`${DEMO.key}:${secret}`).toString('base64')
}

/** Its log is kept at the most talkative level. */
async function startLogging(t: TestContext, format: LogFormat): Promise<Bursar> {
  const env = {
    PORT: '0',
    DATABASE_URL: await cloneDatabase(t),
    MASTER_KEY: TEST_MASTER_KEY,
    BURSAR_ROLE: 'api',
  }
  let text = ''
  const destination = { write: (line: string) => void (text += line) }
  const app = await createBursar(readConfig(env), createLog({ level: 'trace', format, destination }))
  t.after(() => app.stop())
  const url = `http://127.0.0.1:${app.config.port}`
  return { url, demo: new Client(url, DEMO), sql: sql => app.ctx.db.query(sql), written: () => text }
}

const order = (changes: Record<string, unknown> = {}): Record<string, unknown> =>
  sampleOrder({
    ...PAYER,
    identifier: IDENTIFIER,
    student_name: 'Noor Quillfeather',
    date_of_birth: '2014-02-03',
    details: [{ component_type: 'SECRETIVE_FEE', amount: 100 }],
    notes: [{ key: 'remark', value: 'a note about a family' }],
    ...changes,
  })

const student = (): Record<string, unknown> => ({
  student: sampleStudent({
    fullname: 'Noor Quillfeather',
    identifier: IDENTIFIER,
    primary_contact_name: PAYER.name,
    primary_contact_number: PAYER.phone,
    primary_contact_email: PAYER.email,
  }),
})

const webhook = (changes: Record<string, unknown> = {}): Record<string, unknown> =>
  sampleWebhook({
    url: 'https://hooks.erp.example/in',
    failure_notification_email: 'it@erp.example',
    header_key: 'X-Api-Key',
    ...WEBHOOK,
    ...changes,
  })

/** What went well and what the caller did wrong. */
async function everydayRequests({ url, demo }: Bursar): Promise<Answer[]> {
  const once = { 'idempotency-key': IDEMPOTENCY_KEY }
  const made = await demo.post(`${PAY}/orders`, order(), once)
  const id: string = made.body.data.order_id
  return [
    made,
    await demo.post(`${PAY}/orders`, order(), once),
    await demo.post(`${PAY}/orders`, order({ name: 'Zubeida' }), once),
    await demo.get(`${PAY}/orders/${id}`),
    await demo.get(`${PAY}/orders?identifier=${IDENTIFIER}&note=remark:a%20note%20about`),
    await demo.get(`${PAY}/orders?created_from=Zubeida&limit=9000011223`),
    await demo.get(`/pay/demo-school/${id}`),
    await demo.get(`/pay/demo-school/${IDENTIFIER}`),
    await demo.post(`${ERP}/users/${REGISTRATION}/students`, student()),
    await demo.get(`${ERP}/students?identifier=${IDENTIFIER}`),
    await demo.get(`${ERP}/students/${IDENTIFIER}`),
    await demo.post(`${ERP}/webhooks`, webhook()),
    await demo.post(`${ERP}/webhooks`, webhook({ event_code: WEBHOOK.secret_key, header_key: 'Host' })),
    await demo.post(`${PAY}/orders`, order({ phone: 'Zubeida', email: 'Quillfeather' })),
    await demo.post(`${PAY}/orders`, `{"name": "${PAYER.name}", "phone": ${PAYER.phone}`),
    await demo.post(`${PAY}/orders`, `name=${PAYER.name}`, { 'content-type': `text/${PAYER.phone}` }),
    await demo.post(`${PAY}/orders`, order({ student_name: PAYER.name.repeat(60_000) })),
    await demo.send('PUT', `${PAY}/orders/${IDENTIFIER}`, order()),
    await demo.get(`/by-phone/9000011223?email=${PAYER.email}`),
    await demo.get(`${PAY}/orders/%E0%A4%A${IDENTIFIER}`),
    await new Client(url, { ...DEMO, secret: WRONG_SECRET }).get(`${PAY}/orders/${IDENTIFIER}`),
  ]
}

/** Faults of ours: a row the database refuses, whose text the driver knows, and a table that is gone. */
async function failingRequests({ demo, sql }: Bursar): Promise<Answer[]> {
  await sql(`alter table orders add constraint forced check (name = 'nobody') not valid`)
  const refused = await demo.post(`${PAY}/orders`, order(), { 'idempotency-key': `${IDEMPOTENCY_KEY}-2` })
  await sql('drop table order_lines, fee_changes, fee_components cascade')
  return [
    refused,
    await demo.post(`${PAY}/payment_links`, order()),
    await demo.get(`${PAY}/orders/${IDENTIFIER}`),
    await demo.get(`/pay/demo-school/${IDENTIFIER}`),
    await demo.post(`${ERP}/users/${REGISTRATION}-2/students`, student()),
    await demo.get(`${ERP}/students?identifier=${IDENTIFIER}`),
  ]
}

/** Not even a request: the start of one, with a person in it. */
async function brokenHttp(url: string): Promise<void> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.end(
    `GET /${IDENTIFIER} HTTP/1.1\r\nbroken ${PAYER.email}\r\nauthorization: Basic ${basic(DEMO.secret)}\r\n\r\n`,
  )
  const [answer] = (await once(socket, 'data')) as [Buffer]
  assert.match(answer.toString(), /^HTTP\/1\.1 400 [^]*"code":"HUE00000"/)
  socket.destroy()
}

function assertNothingPrivate(text: string): void {
  const lower = text.toLowerCase()
  for (const secret of NEVER) {
    const at = lower.indexOf(secret.toLowerCase())
    assert.equal(at, -1, `"${secret}" is in the log: ${text.slice(Math.max(0, at - 300), at + 200)}`)
  }
}

const linesOf = (text: string): Line[] =>
  text
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line) as Line)

async function requestLine({ written }: Bursar, requestId: string | null): Promise<Line> {
  const find = (): Line | undefined =>
    linesOf(written()).find(line => line['msg'] === 'request' && line['request_id'] === requestId)
  await waitFor(async () => find() !== undefined, `the log line of ${requestId}`, { limitMs: 2_000 })
  return find() ?? {}
}

test('each request is one log line with its id, method, route pattern, status, time, institute and key', async t => {
  const bursar = await startLogging(t, 'json')
  const { demo, url } = bursar
  const made = await demo.post(`${PAY}/orders`, order())
  const anonymous = new Client(url, { ...DEMO, secret: WRONG_SECRET })
  const known = { institute: 'demo-school', key_id: 'key_test_demo' }
  const cases: [Answer, Line][] = [
    [made, { method: 'POST', route: `${PAY}/orders`, status: 201, ...known }],
    [
      await demo.get(`${PAY}/orders/${made.body.data.order_id}`),
      { method: 'GET', route: `${PAY}/orders/:order_id`, status: 200, ...known },
    ],
    [await demo.post(`${PAY}/orders`, {}), { method: 'POST', route: `${PAY}/orders`, status: 400, ...known }],
    [await anonymous.get(`${PAY}/orders`), { method: 'GET', route: `${PAY}/orders`, status: 401 }],
    [await demo.get('/healthz'), { method: 'GET', route: '/healthz', status: 200 }],
  ]
  for (const [answer, expected] of cases) {
    const id = answer.headers.get('x-request-id')
    assert.match(id ?? '', /^req_/)
    const { time, ms, ...rest } = await requestLine(bursar, id)
    assert.deepEqual(rest, { level: 'info', request_id: id, msg: 'request', ...expected })
    assert.ok(Math.abs(Date.now() - Date.parse(String(time))) < 60_000)
    assert.ok(typeof ms === 'number' && ms >= 0 && ms < 60_000)
  }
})

test('a fault of ours is logged with the request id its caller was given, and why', async t => {
  const bursar = await startLogging(t, 'json')
  for (const answer of await failingRequests(bursar)) {
    assert.equal(answer.status, 500, answer.text)
    const id = answer.headers.get('x-request-id')
    await requestLine(bursar, id)
    const fault = linesOf(bursar.written()).find(line => line['request_id'] === id && 'err' in line)
    assert.equal(fault?.['level'], 'error')
    assert.match((fault['err'] as { message: string }).message, /violates check constraint|does not exist/)
    // The caller learns the id and nothing of our insides.
    assert.doesNotMatch(answer.text, /constraint|relation|order_lines|fee_c|select|insert| at /i)
    assert.ok(answer.text.includes(id ?? 'no id'))
  }
})

for (const format of ['json', 'plain'] as const) {
  test(`no secret, no person and nothing that was sent is in the log, whatever went wrong (${format})`, async t => {
    const bursar = await startLogging(t, format)
    const everyday = await everydayRequests(bursar)
    await brokenHttp(bursar.url)
    const failing = await failingRequests(bursar)
    const statuses = new Set([...everyday, ...failing].map(({ status }) => status))
    for (const status of [200, 201, 400, 401, 404, 405, 413, 422, 500])
      assert.ok(statuses.has(status), `the test provokes a ${status}`)
    const last = failing.at(-1)?.headers.get('x-request-id') ?? ''
    const isLogged = async (): Promise<boolean> => bursar.written().split(last).length > 2
    await waitFor(isLogged, 'the last request to be logged', { limitMs: 2_000 })
    assertNothingPrivate(bursar.written())
  })
}
