import assert from 'node:assert/strict'
import { describe, test, type TestContext } from 'node:test'
import { ConfigError, readConfig } from '../../src/app/config.ts'
import { createWhatsappSender } from '../../src/messages/senders/whatsapp.client.ts'
import { startBursar, type TestBursar } from '../harness/bursar.ts'
import { startReceiver, type Behaviour, type Receiver } from '../harness/receiver.ts'
import { advance, queue, rows } from './support.ts'

const TOKEN = 'EAAtoken-of-meta'
const SETTINGS = {
  WHATSAPP_PHONE_ID: '106540352242922',
  WHATSAPP_TOKEN: TOKEN,
  WHATSAPP_TEMPLATE: 'school_notice',
}
const MESSAGE = {
  channel: 'whatsapp',
  recipient: '+91 98765 43210',
  subject: undefined,
  body: 'Fees are due.',
} as const
const TAKEN = json({ messaging_product: 'whatsapp', messages: [{ id: 'wamid.1' }] })

function json(value: unknown, status = 200): Behaviour {
  return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(value) }
}

function refusal(status: number, code: number, title: string, details?: string): Behaviour {
  const message = `(#${code}) ${title}`
  const error = { message, type: 'OAuthException', code, error_data: { details }, fbtrace_id: 'A1' }
  return json({ error }, status)
}

async function open(t: TestContext, answer = TAKEN): Promise<{ meta: Receiver; bursar: TestBursar }> {
  const meta = await startReceiver(t)
  meta.answer(() => answer)
  return { meta, bursar: await startBursar(t, { ...SETTINGS, WHATSAPP_URL: `${meta.origin}/v25.0` }) }
}

describe('WhatsApp', { concurrency: 3 }, () => {
  test('it leaves with our token, from our number, by the template, in one line, to a number with +91', async t => {
    const { meta, bursar } = await open(t)
    await queue(bursar, { ...MESSAGE, recipient: '9876543210', body: 'नमस्ते.\n\nFees:\t₹1,500      due.\n' })
    assert.equal((await advance(bursar))['messages_sent'], 1)
    const [request] = meta.requests
    assert.deepEqual([request?.method, request?.path], ['POST', '/v25.0/106540352242922/messages'])
    assert.equal(request?.headers.authorization, `Bearer ${TOKEN}`)
    assert.equal(request?.headers['content-type'], 'application/json')
    const [row] = await bursar.sql<{ id: string; state: string }>('select id, state from messages')
    const parameters = [{ type: 'text', text: 'नमस्ते. Fees: ₹1,500 due.' }]
    assert.deepEqual(JSON.parse(request?.body ?? ''), {
      messaging_product: 'whatsapp',
      recipient_type: 'individual',
      to: '+919876543210',
      type: 'template',
      template: {
        name: 'school_notice',
        language: { code: 'en' },
        components: [{ type: 'body', parameters }],
      },
      biz_opaque_callback_data: row?.id,
    })
    assert.equal(row?.state, 'sent')
    const { body } = await bursar.demo.get('/api/v1/sandbox/mailbox?to=9876543210')
    assert.match(body.data[0].text, /\n\nFees:/, 'a sandbox shows it in its mailbox as it was written')
  })

  test('texts to phones go by WhatsApp where it is set up, and what it refuses goes by SMS', async t => {
    const meta = await startReceiver(t)
    const exotel = await startReceiver(t)
    meta.answer(({ body }) => (body.includes('9876543210') ? TAKEN : refusal(400, 131_026, 'Undeliverable')))
    exotel.answer(() => json({ SMSMessage: { Sid: 'e1', Status: 'queued' } }))
    const sms = {
      SMS_API_KEY: 'key',
      SMS_API_TOKEN: 'token',
      SMS_ACCOUNT_SID: 'school',
      SMS_SENDER_ID: 'GRNPRK',
      SMS_ENTITY_ID: '1101234567890123456',
      SMS_TEMPLATE_ID: '1107234567890123456',
    }
    const bursar = await startBursar(t, {
      ...SETTINGS,
      WHATSAPP_URL: meta.origin,
      ...sms,
      SMS_URL: exotel.origin,
    })
    await queue(
      bursar,
      { ...MESSAGE, channel: 'sms' },
      { ...MESSAGE, channel: 'sms', recipient: '9123456780' },
    )
    await advance(bursar)
    assert.deepEqual([meta.requests.length, exotel.requests.length], [2, 1])
    assert.match(exotel.requests[0]?.body ?? '', /9123456780/)
    assert.deepEqual(
      (await rows(bursar)).map(({ state }) => state),
      ['sent', 'sent'],
    )
  })

  test('what is no number is refused before anybody is asked', async t => {
    const { meta, bursar } = await open(t)
    await queue(bursar, { ...MESSAGE, recipient: '022 2345 6789' })
    await advance(bursar)
    const [row] = await rows(bursar)
    assert.deepEqual([row?.state, row?.failure], ['failed', 'this is not a number WhatsApp can go to'])
    assert.equal(meta.connections, 0)
  })

  test('one that is refused has failed, with the words of Meta, and is not tried again', async t => {
    const details = 'template name (school_notice) does not exist in en'
    const { meta, bursar } = await open(
      t,
      refusal(404, 132_001, 'Template name does not exist in the translation', details),
    )
    await queue(bursar, MESSAGE)
    await advance(bursar)
    await advance(bursar, 'P7D')
    const failure = `404 (#132001) Template name does not exist in the translation: ${details}`
    const { recipient } = MESSAGE
    assert.deepEqual(await rows(bursar), [{ recipient, state: 'failed', tries: 1, failure }])
    assert.equal(meta.requests.length, 1)
  })

  const passing: [string, Behaviour, RegExp][] = [
    ['429', refusal(429, 130_429, 'Rate limit hit'), /^429 \(#130429\) Rate limit hit$/],
    [
      'a limit answered with 400',
      refusal(400, 130_429, 'Rate limit hit'),
      /^400 \(#130429\) Rate limit hit$/,
    ],
    ['500', refusal(500, 131_000, 'Something went wrong'), /^500 \(#131000\) Something went wrong$/],
    ['502 of a proxy', { status: 502, body: '<h1>Bad Gateway</h1>' }, /^502 without a reason/],
    ['a broken connection', 'destroy', /connection was closed/],
  ]
  for (const [name, answer, failure] of passing) {
    test(`${name} is tried again a minute later; those behind it wait without a try`, async t => {
      const { meta, bursar } = await open(t, answer)
      await queue(bursar, ...Array.from({ length: 12 }, () => MESSAGE))
      await advance(bursar)
      const waiting = await rows(bursar)
      assert.ok(waiting.every(row => row.state === 'queued'))
      const tried = waiting.filter(row => row.tries > 0)
      assert.equal(tried.length, 1)
      for (const row of tried) assert.match(row.failure ?? '', failure)
      meta.answer(() => TAKEN)
      await advance(bursar, 'PT1M')
      assert.ok((await rows(bursar)).every(row => row.state === 'sent'))
    })
  }

  test('a limit of one recipient holds up no other', async t => {
    const { meta, bursar } = await open(t)
    meta.answer(({ body }) =>
      body.includes('+919876543210') ? refusal(400, 131_056, 'Pair rate limit hit') : TAKEN,
    )
    const others = Array.from({ length: 8 }, (_, no) => ({ ...MESSAGE, recipient: `900000000${no}` }))
    await queue(bursar, MESSAGE, ...others)
    await advance(bursar)
    for (const { recipient, state } of await rows(bursar))
      assert.equal(state, recipient === MESSAGE.recipient ? 'queued' : 'sent', recipient)
  })

  test('a provider that is silent is given up', async t => {
    const meta = await startReceiver(t)
    meta.answer(() => 'hang')
    const { whatsapp } = readConfig({ ...SETTINGS, WHATSAPP_URL: meta.origin })
    assert.ok(whatsapp !== null)
    const outcome = await createWhatsappSender(whatsapp, 200).send({
      id: 'msg_1',
      ...MESSAGE,
      subject: '',
      template: null,
    })
    assert.deepEqual(outcome, { kind: 'delayed', reason: 'No answer came within 200 ms.', isAway: true })
  })

  test('neither the token nor number nor text is logged, and a failure repeats no token', async t => {
    const { bursar } = await open(t, refusal(401, 190, `Bad token ${TOKEN}`, `Bearer ${TOKEN}`))
    await queue(bursar, { ...MESSAGE, body: 'Text-secret' })
    await advance(bursar)
    assert.equal((await rows(bursar))[0]?.failure, '401 (#190) Bad token …: Bearer …')
    assert.match(bursar.logText(), /"channel":"whatsapp","tries":1,"state":"queued"/)
    for (const secret of [TOKEN, '98765', 'Text-secret', 'Bad token'])
      assert.ok(!bursar.logText().includes(secret), secret)
  })

  test('wrong or incomplete settings refuse the start, and the token is not repeated', () => {
    const { WHATSAPP_TEMPLATE: _, ...incomplete } = SETTINGS
    const wrong: [Record<string, string>, RegExp][] = [
      [incomplete, /WHATSAPP_TOKEN and WHATSAPP_TEMPLATE go together; set all or none/],
      [{ ...SETTINGS, WHATSAPP_PHONE_ID: '+91 98765' }, /WHATSAPP_PHONE_ID must be/],
      [{ ...SETTINGS, WHATSAPP_URL: `nowhere ${TOKEN}` }, /WHATSAPP_URL must be an https address/],
    ]
    for (const [env, pattern] of wrong) {
      assert.throws(
        () => readConfig(env),
        (error: unknown) =>
          error instanceof ConfigError && pattern.test(error.message) && !error.message.includes(TOKEN),
        JSON.stringify(env),
      )
    }
    assert.deepEqual(readConfig(SETTINGS).whatsapp, {
      url: 'https://graph.facebook.com/v25.0',
      phoneId: '106540352242922',
      token: TOKEN,
      template: 'school_notice',
      language: 'en',
    })
    assert.equal(readConfig({}).whatsapp, null)
  })
})
