import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { connect } from '../../examples/erp/connect.ts'
import { readJson } from '../examples/receivers.ts'
import { clientOf, SECRETS, sampleStudent, startErp } from '../examples/support.ts'
import { startBursar } from '../harness/bursar.ts'
import type { Json } from '../harness/client.ts'
import { ERP, sampleWebhook } from '../harness/samples.ts'

const CHECK = '/api/v1/sandbox/erp/integration-check'
const bursar = await startBursar({ after })
const erp = await startErp({ after })
const FEES = { TUITION_FEE: 48_000_00, TRANSPORT_FEE: 12_000_00 }
erp.books.addStudent(sampleStudent(), FEES)
erp.books.addStudent(sampleStudent({ identifier: 'ADM-2', state: 'discontinued' }), FEES)
erp.books.addStudent(sampleStudent({ identifier: 'ADM-3', state: 'transferred' }), FEES)
erp.books.addStudent(sampleStudent({ identifier: 'ADM-4', contact_email: '' }), FEES)
const STUDENTS = {
  identifier: 'ADM-1',
  discontinued_identifier: 'ADM-2',
  transferred_identifier: 'ADM-3',
  data_error_identifier: 'ADM-4',
}

async function check(body: Json = {}): Promise<Json> {
  const { status, body: answer, text } = await bursar.demo.post(CHECK, { ...STUDENTS, ...body })
  assert.equal(status, 201, text)
  return answer.data
}

function outcomes({ checks }: Json): Record<string, string> {
  return Object.fromEntries(checks.map(({ code, outcome }: Json) => [code, outcome]))
}

test('before anything is set up the check says what to set up, and asks nobody', async () => {
  assert.equal((await bursar.demo.get(CHECK)).status, 404)
  const result = await check()
  assert.equal(result.has_passed, false)
  assert.deepEqual(new Set(Object.values(outcomes(result))), new Set(['not_run', 'failed']))
  assert.match(
    JSON.stringify(result.checks),
    /No fetch URL is set.*There is no webhook for pay\.payment\.debited/,
  )
})

test('the example ERP connects in place of an older subscription and passes every check, and the result is its certificate', async () => {
  // As the first steps of the README leave it: a subscription to one of its events, for another address.
  const { status } = await bursar.demo.post(`${ERP}/webhooks`, sampleWebhook())
  assert.equal(status, 201)
  await connect(clientOf(bursar.url), erp.url, SECRETS)
  await connect(clientOf(bursar.url), erp.url, SECRETS)
  const result = await check({ bookings_url: `${erp.url}/bookings` })
  const open = result.checks.filter(({ outcome }: Json) => outcome !== 'passed')
  assert.deepEqual(open, [])
  assert.equal(result.checks.length, 15)
  assert.equal(result.has_passed, true)
  assert.equal(result.document_version, (await bursar.demo.get('/openapi.json')).body.info.version)
  // A later check that does not pass leaves the certificate as it is.
  const unproven = await check({ parts: ['webhooks'] })
  assert.equal(unproven.has_passed, false)
  assert.equal(outcomes(unproven)['webhook_repeat'], 'unproven')
  assert.equal((await bursar.demo.get(CHECK)).body.data.id, unproven.id)
  assert.equal((await bursar.demo.get(`${CHECK}?outcome=passed`)).body.data.id, result.id)
  assert.equal(JSON.stringify(result).includes(SECRETS.password), false)
  assert.equal(JSON.stringify(result).includes(SECRETS.webhookSecret), false)
})

test('credentials of the ERP go to no other host than they were given for', async () => {
  const answer = await bursar.demo.post(CHECK, { ...STUDENTS, bookings_url: 'http://127.0.0.1:9/bookings' })
  assert.equal(answer.status, 400)
  assert.equal(answer.body.errors[0].key, 'bookings_url')
})

/** Does everything wrong that can be done wrong, each in its own way. */
async function startFaultyErp(): Promise<string> {
  const bookings: Json[] = []
  const authorization = `Basic ${btoa(`${SECRETS.username}:${SECRETS.password}`)}`
  const record = await readJson(`${erp.url}/fetch-student?identifier=ADM-1`, { authorization })
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://erp')
    const send = (status: number, body: unknown) =>
      void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    if (pathname === '/bookings')
      return send(200, {
        data: { bookings: bookings.filter(one => one.payment === searchParams.get('payment_id')) },
      })
    if (request.method === 'POST') {
      const { event, payload }: Json = JSON.parse(Buffer.concat(await Array.fromAsync(request)).toString())
      if (event !== 'pay.payment.debited') return send(500, { message: 'payload.payment is undefined' })
      const { id, amount } = payload.payment
      bookings.push({ payment: id, type: 'payment', id, amount: Math.round(amount) })
      return send(200, {})
    }
    const identifier = searchParams.get('identifier')
    if (identifier === 'ADM-3') return send(422, { status: 'error', code: 'data_error', message: 'Moved.' })
    if (identifier === 'ADM-4') return void response.writeHead(200).end('<html>Error</html>')
    if (identifier?.startsWith('ADM') !== true) return send(404, {})
    const student = { ...record.data.student, identifier }
    send(200, { ...record, data: { ...record.data, student } })
  }
  const server = createServer((request, response) => void answer(request, response)).listen(0, '127.0.0.1')
  after(() => void server.close())
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const SENTENCES = {
  fetch_protected: /^Your ERP answered 200 to a call without credentials\. Answer 401/,
  fetch_not_found: /^Your ERP answered 404 for .*\. Answer 422 with .*student_not_found/,
  fetch_discontinued:
    /^Your ERP answered 200 with a record for ADM-2\. Answer 422 with .*student_discontinued.*has left would go on/,
  fetch_transferred: /^Your ERP answered data_error for ADM-3\. Answer 422 with .*student_transferred/,
  fetch_data_error: /HTML or XML; JSON is expected/,
  fetch_year_end: /^Asked for the year 2027-2028, your ERP answered with the record of 2026-2027/,
  webhook_accepted: /is in your books with 12346: read amounts as decimals/,
  webhook_signature:
    /^Your receiver answered 200 to a delivery signed with another key: anybody could send you payments/,
  webhook_repeat: /is in your books 3 times: drop a repeat by event_id/,
  webhook_retry: /is in your books 2 times/,
  webhook_refund: /^Your receiver answered 500 to a genuine delivery\. Answer 2xx/,
  webhook_out_of_order: /^Your receiver answered 500 to a genuine delivery/,
  webhook_skipped: /^Your receiver answered 500 to a genuine delivery/,
}

test('an ERP that does everything wrong is told of each thing what to mend', async () => {
  const { body: hooks } = await bursar.demo.get('/api/v1/integrations/erp/webhooks')
  for (const { id } of hooks.data) await bursar.demo.delete(`/api/v1/integrations/erp/webhooks/${id}`)
  const url = await startFaultyErp()
  await connect(clientOf(bursar.url), url, SECRETS)
  const { checks, has_passed } = await check({ bookings_url: `${url}/bookings` })
  assert.equal(has_passed, false)
  for (const [code, sentence] of Object.entries(SENTENCES)) {
    const result = checks.find((one: Json) => one.code === code)
    assert.equal(result.outcome, 'failed', code)
    assert.match(result.message, sentence)
    assert.ok(result.calls.length > 0, code)
  }
})

test('a second check beside the first is refused until the first has ended', async () => {
  const [one, other] = await Promise.all([
    bursar.demo.post(CHECK, STUDENTS),
    bursar.demo.post(CHECK, STUDENTS),
  ])
  assert.deepEqual(new Set([one.status, other.status]), new Set([201, 409]))
})
