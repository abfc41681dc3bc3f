import assert from 'node:assert/strict'
import { describe, test, type TestContext } from 'node:test'
import { ConfigError, readConfig } from '../../src/app/config.ts'
import { createSmsSender } from '../../src/messages/senders/sms.client.ts'
import { startBursar, type TestBursar } from '../harness/bursar.ts'
import { startReceiver, type Behaviour, type Receiver } from '../harness/receiver.ts'
import { advance, queue, rows, SMS_ACCOUNT } from './support.ts'

const TOKEN = 'token-of-exotel'
const BASIC = Buffer.from(`key-1:${TOKEN}`).toString('base64')
const SETTINGS = { ...SMS_ACCOUNT, SMS_API_TOKEN: TOKEN }
const SMS = { channel: 'sms', recipient: '98765 43210', subject: undefined, body: 'Fees are due.' } as const
const TAKEN = json({ SMSMessage: { Sid: 'e1', Status: 'queued' } })

function json(value: unknown, status = 200): Behaviour {
  return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(value) }
}

function refusal(status: number, reason: string): Behaviour {
  return json({ RestException: { Status: status, Message: reason } }, status)
}

async function open(t: TestContext, answer = TAKEN): Promise<{ exotel: Receiver; bursar: TestBursar }> {
  const exotel = await startReceiver(t)
  exotel.answer(() => answer)
  return { exotel, bursar: await startBursar(t, { ...SETTINGS, SMS_URL: `${exotel.origin}/` }) }
}

describe('SMS', { concurrency: 3 }, () => {
  test('it leaves with our key, from the sender id, under the template, to a number with +91', async t => {
    const { exotel, bursar } = await open(t)
    await queue(bursar, SMS)
    assert.equal((await advance(bursar))['messages_sent'], 1)
    const [request] = exotel.requests
    assert.deepEqual([request?.method, request?.path], ['POST', '/v1/Accounts/school1/Sms/send.json'])
    assert.equal(request?.headers.authorization, `Basic ${BASIC}`)
    assert.equal(request?.headers['content-type'], 'application/x-www-form-urlencoded')
    const [row] = await bursar.sql<{ id: string; state: string }>('select id, state from messages')
    assert.deepEqual(Object.fromEntries(new URLSearchParams(request?.body)), {
      From: 'SCHFEE',
      To: '+919876543210',
      Body: 'Fees are due.',
      EncodingType: 'plain',
      DltEntityId: '1101000000000000001',
      DltTemplateId: '1107000000000000042',
      SmsType: 'transactional',
      CustomField: row?.id,
    })
    assert.equal(row?.state, 'sent')
    const { body } = await bursar.demo.get('/api/v1/sandbox/mailbox?to=98765%2043210')
    assert.equal(body.data.length, 1, 'a sandbox shows it in its mailbox as well')
  })

  test('each text leaves under the template that it was registered as, any other under the one for the rest', async t => {
    const exotel = await startReceiver(t)
    exotel.answer(() => TAKEN)
    const SMS_TEMPLATE_IDS = 'notice_en=1107000000000000001, payment_link_hi=1107000000000000002'
    const bursar = await startBursar(t, { ...SETTINGS, SMS_URL: exotel.origin, SMS_TEMPLATE_IDS })
    await queue(
      bursar,
      ...['notice_en', 'payment_link_hi', 'notice_hi'].map(template => ({ ...SMS, template })),
    )
    await advance(bursar)
    const used = exotel.requests.map(({ body }) => new URLSearchParams(body).get('DltTemplateId') ?? '')
    assert.deepEqual(used.toSorted(), ['1107000000000000001', '1107000000000000002', '1107000000000000042'])
  })

  test('Hindi and the sign of the rupee arrive as they were written', async t => {
    const { exotel, bursar } = await open(t)
    const text = 'विद्यालय: ₹1,500 & कल=देय + 10%\nधन्यवाद'
    await queue(bursar, { ...SMS, body: text })
    await advance(bursar)
    const sent = new URLSearchParams(exotel.requests[0]?.body)
    assert.deepEqual([sent.get('Body'), sent.get('EncodingType')], [text, 'unicode'])
  })

  test('numbers are written as people write them; what is none is refused before anybody is asked', async t => {
    const { exotel, bursar } = await open(t)
    const right = ['9876543210', '+91 98765-43210', '919876543210', '0091 9876543210', '09876543210']
    const wrong = ['12345', '+91 12345 67890', '022 2345 6789', 'asha@example.in', '+91']
    const foreign = '+1 (415) 555-2671'
    await queue(bursar, ...[...right, foreign, ...wrong].map(recipient => ({ ...SMS, recipient })))
    await advance(bursar)
    const called = exotel.requests.map(request => new URLSearchParams(request.body).get('To') ?? '')
    assert.deepEqual(called.toSorted(), ['+14155552671', ...right.map(() => '+919876543210')])
    for (const row of await rows(bursar)) {
      const isWrong = wrong.includes(row.recipient)
      assert.equal(row.state, isWrong ? 'failed' : 'sent', row.recipient)
      assert.equal(row.failure, isWrong ? 'this is not a number an SMS can go to' : null)
    }
  })

  test('one that is refused has failed, with the words of the provider, and is not tried again', async t => {
    const { exotel, bursar } = await open(t, refusal(400, 'Invalid Recipient [+919876543210]'))
    await queue(bursar, SMS)
    await advance(bursar)
    await advance(bursar, 'P7D')
    const { recipient } = SMS
    const failure = '400 Invalid Recipient [+919876543210]'
    assert.deepEqual(await rows(bursar), [{ recipient, state: 'failed', tries: 1, failure }])
    assert.equal(exotel.requests.length, 1)
  })

  test('one that is taken and failed at once has failed', async t => {
    const failed = { Sid: 'e1', Status: 'failed-dnd', DetailedStatus: 'FAILED_DND' }
    const { bursar } = await open(t, json({ SMSMessage: failed }))
    await queue(bursar, SMS)
    await advance(bursar)
    const [row] = await rows(bursar)
    assert.deepEqual([row?.state, row?.failure], ['failed', '200 failed-dnd FAILED_DND'])
  })

  const passing: [string, Behaviour, RegExp][] = [
    ['429', refusal(429, 'Too Many Requests'), /^429 Too Many Requests$/],
    ['408', refusal(408, 'Request Timeout'), /^408 Request Timeout$/],
    ['500', { status: 500, body: '<h1>Oops</h1>' }, /^500 without a reason/],
    ['503', refusal(503, 'Down'), /^503 Down$/],
    ['a redirect', { status: 302, headers: { location: 'https://x.example' } }, /^302 without a reason/],
    ['200 of somebody else', { body: '<h1>Welcome</h1>' }, /^200 without a reason/],
    ['a broken connection', 'destroy', /connection was closed/],
  ]
  for (const [name, answer, failure] of passing) {
    test(`${name} is tried again a minute later; those behind it wait without a try`, async t => {
      const { exotel, bursar } = await open(t, answer)
      await queue(bursar, ...Array.from({ length: 12 }, () => SMS))
      await advance(bursar)
      const waiting = await rows(bursar)
      assert.ok(waiting.every(row => row.state === 'queued'))
      const tried = waiting.filter(row => row.tries > 0)
      assert.equal(tried.length, 1)
      for (const row of tried) assert.match(row.failure ?? '', failure)
      exotel.answer(() => TAKEN)
      await advance(bursar, 'PT1M')
      assert.ok((await rows(bursar)).every(row => row.state === 'sent'))
      assert.equal(exotel.requests.length, 1 + 12)
    })
  }

  test('a provider that is silent is given up', async t => {
    const exotel = await startReceiver(t)
    exotel.answer(() => 'hang')
    const { sms } = readConfig({ ...SETTINGS, SMS_URL: exotel.origin })
    assert.ok(sms !== null)
    const outcome = await createSmsSender(sms, 200).send({ id: 'msg_1', ...SMS, subject: '', template: null })
    assert.deepEqual(outcome, {
      kind: 'delayed',
      reason: 'No answer came within 200 ms.',
      isAway: true,
    })
  })

  test('neither the token nor number nor text is logged, and a failure repeats no token', async t => {
    const { bursar } = await open(t, refusal(401, `Authentication failed: ${TOKEN} Basic ${BASIC}`))
    await queue(bursar, { ...SMS, body: 'Text-secret' })
    await advance(bursar)
    assert.equal((await rows(bursar))[0]?.failure, '401 Authentication failed: … Basic …')
    assert.match(bursar.logText(), /"channel":"sms","tries":1,"state":"queued"/)
    for (const secret of [TOKEN, BASIC, '98765', 'Text-secret', 'Authentication failed'])
      assert.ok(!bursar.logText().includes(secret), secret)
  })

  test('wrong or incomplete settings refuse the start, and the token is not repeated', () => {
    const { SMS_TEMPLATE_ID: _, ...incomplete } = SETTINGS
    const wrong: [Record<string, string>, RegExp][] = [
      [incomplete, /SMS_ENTITY_ID and SMS_TEMPLATE_ID go together; set all or none/],
      [{ ...SETTINGS, SMS_TEMPLATE_ID: '110700000000000004' }, /SMS_TEMPLATE_ID must be .* 19 digits/],
      [
        { ...SETTINGS, SMS_TEMPLATE_IDS: 'notice_en:1107' },
        /SMS_TEMPLATE_IDS must be a list such as notice_en=/,
      ],
      [{ ...SETTINGS, SMS_SENDER_ID: 'SCHOOLFEES' }, /SMS_SENDER_ID must be a DLT header/],
      [{ ...SETTINGS, SMS_ENTITY_ID: 'mine' }, /SMS_ENTITY_ID must be/],
      [{ ...SETTINGS, SMS_URL: `ftp://a:${TOKEN}@x.example` }, /SMS_URL must be an https address/],
      [{ ...SETTINGS, SMS_URL: 'http://x.example', BURSAR_MODE: 'live' }, /SMS_URL must be an https/],
    ]
    for (const [env, pattern] of wrong) {
      assert.throws(
        () => readConfig(env),
        (error: unknown) =>
          error instanceof ConfigError && pattern.test(error.message) && !error.message.includes(TOKEN),
        JSON.stringify(env),
      )
    }
    assert.equal(readConfig(SETTINGS).sms?.url, 'https://api.in.exotel.com')
    assert.equal(readConfig({}).sms, null)
  })
})
