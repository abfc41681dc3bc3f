import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Answer, Client, Json } from '../../harness/client.ts'
import { ERP, sampleWebhook } from '../../harness/samples.ts'
import { assertRefused, assertStatus, openContract, withoutRequestId } from '../../http/support.ts'

const contract = await openContract()
const { demo, group, sql } = contract
const HOOKS = `${ERP}/webhooks`

/** Each test starts with no subscriptions. */
function fresh(name: string, run: () => Promise<void>): void {
  test(name, async () => {
    await sql('delete from webhook_subscriptions')
    await run()
  })
}

async function add(changes: Record<string, unknown> = {}, client: Client = demo): Promise<Answer> {
  const answer = await client.post(HOOKS, sampleWebhook(changes))
  assertStatus(answer, 201)
  return answer
}

async function list(client: Client = demo, query = ''): Promise<Json> {
  const answer = await client.get(`${HOOKS}${query}`)
  assertStatus(answer, 200)
  return answer.body.data
}

const sortBy = (field: string) => (hooks: Json) =>
  hooks.toSorted((a: Json, b: Json) => a[field].localeCompare(b[field]))
const byCode = sortBy('event_code')
const byUrl = sortBy('url')

async function detail(id: string): Promise<Json> {
  return (await demo.get(`${HOOKS}/${id}`)).body.data
}

fresh('Add Webhook answers 201 with exactly id, event_code, failure_notification_email and url', async () => {
  const answer = await add({ secret_key: 'a-long-random-text', header_key: 'X-Api-Key', header_value: 'v' })
  const { id, ...rest } = answer.body.data
  assert.match(id, /^wh_/)
  assert.deepEqual(rest, sampleWebhook())
  assert.deepEqual(Object.keys(answer.body).sort(), ['data', 'status'])
})

for (const name of ['event_code', 'url', 'failure_notification_email']) {
  fresh(`Add Webhook without ${name} is 400 and names it, on creation and on update`, async () => {
    const body = sampleWebhook({ [name]: undefined })
    assertRefused(await demo.post(HOOKS, body), 'HUE00000', name)
    await add()
    assertRefused(await demo.post(HOOKS, body), 'HUE00000', name)
  })
}

fresh('url and failure_notification_email are returned exactly as sent', async () => {
  const sent = {
    url: 'https://ERP.Example.in:443/Hooks/../x?b=2&a=%7e#frag',
    failure_notification_email: 'IT@School.example.in, accounts@school.example.in',
  }
  const { id, ...rest } = (await add(sent)).body.data
  assert.deepEqual(rest, sampleWebhook(sent))
  assert.deepEqual(await list(), [{ id, ...rest }])
})

for (const url of ['erp.example.in/hooks', '/hooks', 'ftp://erp.example.in/', 'https://', 'https:///x', 42]) {
  fresh(`the url ${JSON.stringify(url)} is 400`, async () => {
    assertRefused(await demo.post(HOOKS, sampleWebhook({ url })), 'HUE00000', 'url')
  })
}

fresh('in sandbox http, loopback and names that do not resolve are fine as url', async () => {
  for (const url of ['http://127.0.0.1:9/hook', 'http://no-such-host.invalid/']) {
    await sql('delete from webhook_subscriptions')
    assert.equal((await add({ url })).body.data.url, url)
  }
})

for (const mails of ['nobody', 'a@b.in,nobody', 'a@b.in;c@d.in', ',', 'a@b.in,']) {
  fresh(`the failure_notification_email ${JSON.stringify(mails)} is 400`, async () => {
    const answer = await demo.post(HOOKS, sampleWebhook({ failure_notification_email: mails }))
    assertRefused(answer, 'HUE00000', 'failure_notification_email')
  })
}

fresh('an event code outside the catalogue is 400 and the message lists those there are', async () => {
  const answer = await demo.post(HOOKS, sampleWebhook({ event_code: 'pay.payment.invented' }))
  assertRefused(answer, 'HUE00000', 'event_code')
  assert.match(answer.body.message, /pay\.payment\.debited/)
  assert.match(answer.body.message, /cred\.loan\.final_approved/)
})

fresh('every event of the catalogue can be subscribed', async () => {
  const codes = `masterdata.student.registered dropped activated|direct.payment.added updated cancelled|
    flex.subscription.setup active updated cancelled closed|flex.mandate.cancelled expired|
    flex.downpayment.debited settled|flex.instalment.debited settled bounced skipped|pay.payment.debited settled|
    order.payment.debited settled|payment_link.payment.debited settled expired cancelled|
    page.payment.debited settled|cred.loan.application_started application_filled application_expired rejected
    canceled final_approved agreement_signed disbursed|cred.emi.debited|refund.processed failed`
    .split('|')
    .flatMap(family => {
      const [first = '', ...others] = family.trim().split(/\s+/)
      const stem = first.slice(0, first.lastIndexOf('.'))
      return [first, ...others.map(other => `${stem}.${other}`)]
    })
  assert.equal(codes.length, 40)
  for (const event_code of codes) await add({ event_code })
  assert.deepEqual((await list()).map((hook: Json) => hook.event_code).sort(), codes.toSorted())
})

fresh('the same event code again keeps id, url and mail list, and the message says so', async () => {
  const first = await add()
  const again = await add({ url: 'https://other.example.in/', failure_notification_email: 'x@y.in' })
  assert.deepEqual(again.body.data, first.body.data)
  assert.match(again.body.message, /url/)
  assert.deepEqual(await list(), [first.body.data])
})

const said = async (change: Json): Promise<string> => (await add(change)).body.message

fresh('an update says in its message what it did: a replaced secret signs for 24 hours more', async () => {
  const first = { secret_key: 'a-long-random-text' }
  assert.equal(await said({}), undefined)
  assert.match(await said(first), /^This event code is subscribed already\. Deliveries are signed with its/)
  assert.match(await said({ secret_key: 'another-random-text' }), /replaced: for 24 hours .* the old one too/)
  assert.match(await said({ secret_key: 'another-random-text' }), /Nothing was changed\.$/)
  assert.match(await said({}), /Nothing was changed\.$/)
  assert.match(await said({ secret_key: null }), /cleared: deliveries are not signed any more\.$/)
  const whole = { header_key: 'X-Api-Key', header_value: 'v' }
  assert.match(await said(whole), /Its custom header is what you sent\.$/)
})

fresh('on update an absent secret or header stays, null or "" clears it', async () => {
  const whole = { secret_key: 'sixteen-letters!', header_key: 'X-Api-Key', header_value: 'v' }
  const { id } = (await add(whole)).body.data
  const flags = async () => {
    const { is_signed: isSigned, has_header: hasHeader } = await detail(id)
    return [isSigned, hasHeader]
  }
  await add()
  assert.deepEqual(await flags(), [true, true])
  await add({ secret_key: null })
  assert.deepEqual(await flags(), [false, true])
  await add({ header_key: '', header_value: '' })
  assert.deepEqual(await flags(), [false, false])
  await add(whole)
  assert.deepEqual(await flags(), [true, true])
})

fresh('half a header pair is kept, and the message says that it is not sent until both are set', async () => {
  const half = await add({ header_key: 'X-Api-Key' })
  assert.match(half.body.message, /header_value/)
  assert.equal((await detail(half.body.data.id)).has_header, false)
  const whole = await add({ header_value: 'v' })
  assert.doesNotMatch(whole.body.message, /only when/)
  assert.equal((await detail(whole.body.data.id)).has_header, true)
  assert.match((await add({ header_value: null })).body.message, /header_value/)
})

const REFUSED_HEADERS = ['Host', 'content-type', 'Content-Anything', 'Transfer-Encoding', 'connection', 'TE']
const OWN_HEADERS = [
  'upgrade',
  'Webhook-Id',
  'webhook-x',
  'X-Signature',
  'x-signature-previous',
  'X-SignatureX',
]
const INVALID_HEADERS = ['X Api', 'X:Api', 'X-Ä', 'X\nY', '(x)']
for (const key of [...REFUSED_HEADERS, ...OWN_HEADERS, ...INVALID_HEADERS]) {
  fresh(`the custom header ${JSON.stringify(key)} is refused`, async () => {
    const answer = await demo.post(HOOKS, sampleWebhook({ header_key: key, header_value: 'v' }))
    assertRefused(answer, 'HUE00000', 'header_key')
  })
}

fresh('Authorization and X-Api-Key are fine as custom header', async () => {
  await add({ header_key: 'Authorization', header_value: 'Bearer abc def' })
  await add({ header_key: 'X-Api-Key', header_value: 'k' })
})

for (const value of ['a\r\nX-Evil: 1', 'a\nb']) {
  fresh(`the header value ${JSON.stringify(value)} is refused`, async () => {
    const answer = await demo.post(HOOKS, sampleWebhook({ header_key: 'X-A', header_value: value }))
    assertRefused(answer, 'HUE00000', 'header_value')
  })
}

fresh('a secret_key has at most 256 characters, and behind whsec_ it must be base64', async () => {
  await add({ secret_key: 'x'.repeat(256) })
  await add({ secret_key: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' })
  for (const secret of ['x'.repeat(257), 'whsec_not base64!', 'whsec_abc']) {
    assertRefused(await demo.post(HOOKS, sampleWebhook({ secret_key: secret })), 'HUE00000', 'secret_key')
  }
})

fresh('secrets, headers and branch are in no answer', async () => {
  const hidden = {
    secret_key: 'hush-hush-hush-hush',
    header_key: 'X-Mine',
    header_value: 'quiet',
    collector_code: 'Q1',
  }
  const added = await add(hidden)
  const answers = [added, await demo.get(HOOKS), await demo.get(`${HOOKS}/${added.body.data.id}`)]
  for (const { text } of answers) for (const value of Object.values(hidden)) assert.ok(!text.includes(value))
  for (const { text } of answers) assert.doesNotMatch(text, /collector_code|secret_key|header_value/)
})

fresh(
  'List Webhooks answers whole, each item exactly id, event_code, failure_notification_email, url',
  async () => {
    const one = (await add()).body.data
    const two = (await add({ event_code: 'refund.failed' })).body.data
    const answer = await demo.get(HOOKS)
    assert.deepEqual(Object.keys(answer.body).sort(), ['data', 'status'])
    assert.deepEqual(byCode(answer.body.data), [one, two])
  },
)

fresh(
  'with one branch there is one subscription per event code, with or without collector_code',
  async () => {
    const { id } = (await add()).body.data
    assert.equal((await add({ collector_code: 'MAIN' })).body.data.id, id)
    assert.equal((await add({ collector_code: 'ANY' })).body.data.id, id)
  },
)

fresh('with several branches a missing or unknown collector_code is 400', async () => {
  assertRefused(await group.post(HOOKS, sampleWebhook()), 'HUE00000', 'collector_code')
  const unknown = await group.post(HOOKS, sampleWebhook({ collector_code: 'WEST' }))
  assertRefused(unknown, 'HUE00000', 'collector_code')
})

fresh('with several branches there is one subscription per event code and branch', async () => {
  const north = (await add({ collector_code: 'NORTH' }, group)).body.data
  const south = (await add({ collector_code: 'SOUTH', url: 'https://south.example.in/' }, group)).body.data
  assert.equal((await add({ collector_code: 'NORTH' }, group)).body.data.id, north.id)
  assert.deepEqual(byUrl(await list(group)), [north, south])
  assert.deepEqual(await list(group, '?collector_code=SOUTH'), [south])
})

fresh(
  'Disable Webhook answers 200 with status alone, and it is listed only with include=disabled',
  async () => {
    const { id } = (await add()).body.data
    const answer = await demo.delete(`${HOOKS}/${id}`)
    assertStatus(answer, 200)
    assert.deepEqual(answer.body, { status: 'success' })
    assert.deepEqual(await list(), [])
    assert.deepEqual(
      (await list(demo, '?include=disabled')).map((hook: Json) => hook.id),
      [id],
    )
  },
)

fresh('adding again after Disable makes a new subscription with a new id and the new url', async () => {
  const { id } = (await add()).body.data
  assertStatus(await demo.delete(`${HOOKS}/${id}`), 200)
  const again = await add({ url: 'https://new.example.in/' })
  assert.notEqual(again.body.data.id, id)
  assert.equal(again.body.data.url, 'https://new.example.in/')
  assert.ok(!('message' in again.body))
})

fresh("Disable Webhook on an unknown, a disabled or another institute's id is the same 400", async () => {
  const { id } = (await add()).body.data
  const theirs = await group.delete(`${HOOKS}/${id}`)
  assertRefused(theirs, 'HUE00000')
  assert.deepEqual(withoutRequestId(theirs), withoutRequestId(await group.delete(`${HOOKS}/wh_unknown`)))
  assert.equal((await list()).length, 1)
  assertStatus(await demo.delete(`${HOOKS}/${id}`), 200)
  assert.deepEqual(withoutRequestId(await demo.delete(`${HOOKS}/${id}`)), withoutRequestId(theirs))
})

fresh("Get Webhook shows the subscription; unknown or another institute's is 404", async () => {
  const added = (await add()).body.data
  const { id, event_code, failure_notification_email, url } = await detail(added.id)
  assert.deepEqual({ id, event_code, failure_notification_email, url }, added)
  const theirs = await group.get(`${HOOKS}/${id}`)
  assertRefused(theirs, 'HUE00001')
  assert.deepEqual(withoutRequestId(theirs), withoutRequestId(await group.get(`${HOOKS}/wh_unknown`)))
})

fresh('two Adds of one event code at once make one subscription', async () => {
  const answers = await Promise.all([add(), add(), add()])
  assert.equal(new Set(answers.map(answer => answer.body.data.id)).size, 1)
})

const sendSecret = (secret_key: string | null) =>
  demo.post(HOOKS, sampleWebhook({ event_code: 'flex.mandate.expired', secret_key }))

test('a secret that can be found by trying is refused, and a long one taken', async () => {
  for (const short of [
    's',
    'fifteen-letters',
    `fifteen-letters${' '.repeat(20)}`,
    `whsec_${Buffer.alloc(15, 1).toString('base64')}`,
  ])
    assertRefused(await sendSecret(short), 'HUE00000', 'secret_key')
  for (const long of ['sixteen-letters!', `whsec_${Buffer.alloc(16, 1).toString('base64')}`, null, ''])
    assertStatus(await sendSecret(long), 201)
})
