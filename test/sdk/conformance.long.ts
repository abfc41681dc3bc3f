import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { CATALOGUE } from '../../src/webhooks/events.docs.ts'
import { EVENT_CODES } from '../../src/events/define-event.ts'
import { signatureHeaders, signingKey } from '../../src/webhooks/engine/send.ts'
import { startBursar } from '../harness/bursar.ts'
import { DEMO, type Json } from '../harness/client.ts'
import { PAY, sampleOrder } from '../harness/samples.ts'
import { Driver, Refused } from './driver.ts'
import { FaultyProxy, type Fault } from './faulty-proxy.ts'
import { languages } from './languages.ts'

/** What every client has to do, in every language, against a real sandbox behind a proxy that fails. */
const bursar = await startBursar({ after })
const STUDENTS =
  'fullname,identifier,grade,academic_year_start,academic_year_end,registration_id,primary_contact_name,primary_contact_number,primary_contact_email\n'
const error = (code: string, message = 'Planned.'): Json => ({
  status: 'error',
  code,
  message,
  request_id: 'req_planned',
})
const answer = (status: number, code: string, headers: Record<string, string> = {}): Fault => ({
  kind: 'answer',
  status,
  headers,
  body: error(code),
})

/** The orders that somebody made, by a mark. */
async function countOrders(identifier: string): Promise<number> {
  const { body } = await bursar.demo.get(`${PAY}/orders?identifier=${identifier}&limit=200`)
  return body.data.length
}

const access = { BURSAR_KEY: DEMO.key, BURSAR_SECRET: DEMO.secret, BURSAR_TIMEOUT_MS: '1500' }
// All are started before the first test is added: hooks run as soon as no test is left to run.
const clients = await Promise.all(
  languages().map(async ({ name, command, env }) => {
    const proxy = new FaultyProxy(bursar.url)
    const url = await proxy.start()
    const driver = command === null ? null : new Driver(command, { ...env, ...access, BURSAR_URL: url })
    return { language: name, proxy, driver }
  }),
)
after(() => {
  for (const { proxy, driver } of clients) {
    driver?.stop()
    proxy.stop()
  }
})

for (const { language, proxy, driver } of clients) {
  if (driver === null) {
    test(`${language}: its client`, { skip: `${language} is not on this machine` })
    continue
  }
  const mark = (what: string): string => `${language}-${what}`
  const order = (what: string, changes: object = {}): Json =>
    sampleOrder({ identifier: mark(what), ...changes })
  const refusal = async (operation: string, args: Json[], more: object = {}): Promise<Json> => {
    const refused = await driver.call(operation, args, more).then(
      () => assert.fail(`${operation} was not refused`),
      (thrown: unknown) => thrown,
    )
    assert.ok(refused instanceof Refused, String(refused))
    return refused.error
  }

  test(`${language}: does nothing twice when the connection is cut after the commit`, async () => {
    proxy.plan({ kind: 'cut' })
    const { order_id } = await driver.call('createPayOrder', [order('cut')])
    assert.equal(await countOrders(mark('cut')), 1)
    assert.equal((await driver.call('getPayOrder', [order_id])).identifier, mark('cut'))
    const [first, second] = proxy.seen
    assert.ok(first?.key)
    assert.equal(first.key, second?.key)
  })

  test(`${language}: sends a key with every write, a new one for each, and its own where one is given`, async () => {
    proxy.plan()
    await driver.call('createPayOrder', [order('keys')])
    await driver.call('createPayOrder', [order('keys')], { options: { idempotencyKey: mark('own') } })
    await driver.call('createPayOrder', [order('keys')], { options: { idempotencyKey: mark('own') } })
    const keys = proxy.seen.map(({ key }) => key)
    assert.equal(keys.length, 3)
    assert.ok(keys[0] !== undefined && keys[0] !== keys[1])
    assert.deepEqual(keys.slice(1), [mark('own'), mark('own')])
    assert.equal(await countOrders(mark('keys')), 2)
  })

  test(`${language}: waits as 429 and 503 ask, and for a request that is still running`, async () => {
    proxy.plan(
      answer(429, 'RLE00000', { 'retry-after': '1' }),
      answer(503, 'SYE00001'),
      answer(409, 'IDE00001', { 'retry-after': '1' }),
    )
    await driver.call('createPayOrder', [order('busy')])
    assert.equal(proxy.seen.length, 4)
    const [first, second] = proxy.seen
    assert.ok((second?.at ?? 0) - (first?.at ?? 0) >= 1_000)
    assert.equal(new Set(proxy.seen.map(({ key }) => key)).size, 1)
    assert.equal(await countOrders(mark('busy')), 1)
  })

  test(`${language}: tries again after a time-out, and gives up after its number of retries`, async () => {
    proxy.plan({ kind: 'hang' })
    await driver.call('createPayOrder', [order('late')])
    assert.equal(await countOrders(mark('late')), 1)
    proxy.plan(...Array.from({ length: 9 }, () => answer(503, 'SYE00001', { 'retry-after': '0' })))
    assert.equal((await refusal('getPayOrder', ['order_1'])).class, 'UnavailableError')
    assert.equal(proxy.seen.length, 5)
  })

  test(`${language}: never repeats a refusal, and has a class for each code with fields and request id`, async () => {
    const registry = { HUE00000: [400, 'InvalidRequestError'], HUE00001: [404, 'NotFoundError'], HUE00002: [409, 'ConflictError'], HUE00003: [405, 'MethodNotAllowedError'], HUE00004: [413, 'TooLargeError'], AUE00000: [401, 'AuthenticationError'], AUE00001: [403, 'PermissionError'], IDE00000: [422, 'IdempotencyMismatchError'], SYE00000: [500, 'ServerError'], NEW00000: [418, 'ApiError'] } as const // prettier-ignore
    for (const [code, [status, name]] of Object.entries(registry)) {
      proxy.plan(answer(status, code))
      const refused = await refusal('createPayOrder', [order('refused')])
      assert.deepEqual(
        [refused.class, refused.code, refused.http_status, refused.request_id],
        [name, code, status, 'req_planned'],
      )
      assert.equal(proxy.seen.length, 1, code)
    }
    proxy.plan()
    const invalid = await refusal('createPayOrder', [order('refused', { email: 'nobody' })])
    assert.equal(invalid.class, 'InvalidRequestError')
    assert.deepEqual(
      invalid.fields.map(({ key }: Json) => key),
      ['email'],
    )
    assert.match(invalid.request_id, /^req_/)
    assert.equal((await refusal('getPayOrder', ['order_unknown'])).class, 'NotFoundError')
  })

  test(`${language}: says so when nobody answers, or somebody else does`, async () => {
    proxy.plan(...Array.from({ length: 5 }, (): Fault => ({ kind: 'hang' })))
    assert.equal((await refusal('getPayOrder', ['order_1'])).class, 'TimeoutError')
    proxy.plan({ kind: 'answer', status: 200, body: ['not Bursar'] })
    assert.equal((await refusal('getPayOrder', ['order_1'])).class, 'ApiError')
  })

  test(`${language}: reads a list of 450 to its end`, async () => {
    const made = Array.from({ length: 450 }, () => order('many'))
    for (let at = 0; at < made.length; at += 50)
      await Promise.all(made.slice(at, at + 50).map(one => bursar.demo.post(`${PAY}/orders`, one)))
    proxy.plan()
    const items: Json[] = await driver.call('listPayOrders', [], {
      query: { identifier: mark('many'), limit: 200 },
    })
    assert.equal(new Set(items.map(({ id }) => id)).size, 450)
    assert.equal(proxy.seen.length, 3)
  })

  test(`${language}: carries every paisa, from 0.01 to the largest amount`, async () => {
    const random = Array.from(
      { length: 40 },
      () => Math.floor(Math.random() * 10 ** (3 + Math.floor(Math.random() * 8))) + 1,
    )
    const amounts = [1, 10, 110, 123_456_789, ...random].map(
      paise => `${Math.floor(paise / 100)}.${String(paise % 100).padStart(2, '0')}`,
    )
    const details = amounts.map(amount => ({ component_type: 'TUITION_FEE', amount }))
    const { order_id } = await driver.call('createPayOrder', [
      order('paise', { details: details.slice(0, 50) }),
    ])
    const read = await driver.call('getPayOrder', [order_id])
    assert.deepEqual(
      read.details.map(({ amount }: Json) => amount),
      amounts,
    )
  })

  test(`${language}: rounds no amount, not even one that no event may have`, async () => {
    const amounts = ['-12.505', '0.001', '12.5', '1234567890.019', '-0.01', '7']
    const payload = { payments: amounts.map(amount => ({ amount: Number(amount) })) }
    const delivery = sign({ event: 'pay.payment.debited', payload }, ['a secret'])
    const { value } = await driver.ask({ verify: { ...delivery, secret: 'a secret' } })
    assert.deepEqual(
      value?.payload.payments.map(({ amount }: Json) => amount),
      ['-12.505', '0.001', '12.50', '1234567890.019', '-0.01', '7.00'],
    )
  })

  test(`${language}: takes a new field and a new value as they come`, async () => {
    const { order_id } = await driver.call('createPayOrder', [order('new')])
    proxy.plan({
      kind: 'change',
      change: body => Object.assign(body.data, { status: 'half_paid', moon_phase: { kind: 'new' } }),
    })
    assert.equal((await driver.call('getPayOrder', [order_id])).status, 'half_paid')
  })

  test(`${language}: reads a PDF and sends a CSV file`, async () => {
    const { order_id } = await driver.call('createPayOrder', [order('files')])
    await driver.call('sandboxPay', [order_id, { outcome: 'success' }])
    const pdf = Buffer.from(await driver.call('getPayOrderReceipt', [order_id]), 'base64')
    assert.equal(pdf.subarray(0, 5).toString(), '%PDF-')
    const row = `Kabir Rao,${mark('csv')},5,2026,2027,${mark('parent')},Asha Rao,9876543210,asha@example.in\n`
    const file = { text: STUDENTS + row, contentType: 'text/csv' }
    const started = await driver.call('createImport', [], { file, query: { kind: 'students' } })
    assert.match(started.import_id ?? started.id, /^imp/)
  })

  test(`${language}: gives the event of every code whose signature is right`, async () => {
    for (const secret of ['a plain secret', `whsec_${Buffer.from('a standard secret').toString('base64')}`])
      for (const code of EVENT_CODES) {
        const delivery = deliver(code, [secret])
        const { value } = await driver.ask({ verify: { ...delivery, secret } })
        assert.equal(value?.event, code)
      }
  })

  test(`${language}: refuses a webhook that was changed, is old, or has no signature, and takes both keys of a rotation`, async () => {
    const [secret, old] = ['new secret', 'old secret']
    const good = deliver('order.payment.debited', [secret, old])
    for (const one of [secret, old, ['another', old]])
      assert.equal(
        (await driver.ask({ verify: { ...good, secret: one } })).value?.event,
        'order.payment.debited',
      )
    const now = Math.floor(Date.now() / 1_000)
    const bad = [
      { ...good, secret, body: good.body.replace('debited', 'settled') },
      { ...good, secret: 'another' },
      { ...good, secret, headers: { ...good.headers, 'webhook-id': 'evt_other' } },
      { ...good, secret, headers: { ...good.headers, 'webhook-signature': 'v1,AAAA' } },
      { ...good, secret, headers: {} },
      { ...good, secret, now: now + 302 },
      { ...good, secret, now: now - 302 },
    ]
    for (const verify of bad) assert.equal((await driver.ask({ verify })).error?.class, 'SignatureError')
    for (const shift of [-295, 295])
      assert.ok((await driver.ask({ verify: { ...good, secret, now: now + shift } })).value)
  })
}

/** As the delivery engine signs it. */
function deliver(
  code: keyof typeof CATALOGUE,
  secrets: readonly string[],
): { body: string; headers: Record<string, string> } {
  const event = {
    event_id: 'evt_1',
    event: code,
    timestamp: 1_794_717_130,
    version: '1.0',
    sequence: 1,
    payload: CATALOGUE[code].example,
  }
  return sign(event, secrets)
}

function sign(event: object, secrets: readonly string[]): { body: string; headers: Record<string, string> } {
  const body = JSON.stringify(event)
  const keys = secrets.map(signingKey)
  return {
    body,
    headers: signatureHeaders({ eventId: 'evt_1', body: Buffer.from(body), at: new Date(), keys }),
  }
}
