import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rememberAnswer } from '../../src/platform/idempotency.ts'
import type { Answer, Client } from '../harness/client.ts'
import { ERP, PAY, sampleOrder, sampleStudent, sampleWebhook } from '../harness/samples.ts'
import { waitFor } from '../harness/wait.ts'
import {
  assertRefused,
  assertStatus,
  clientWith,
  createLink,
  createOrder,
  newStudent,
  openContract,
  unique,
} from './support.ts'

const contract = await openContract()
const { demo, group, sql } = contract
const ORDERS = `${PAY}/orders`
const LINKS = `${PAY}/payment_links`
const HOOKS = `${ERP}/webhooks`

type Call = { method: string; path: string; body?: unknown }

function send({ method, path, body }: Call, key: string, client: Client = demo): Promise<Answer> {
  return client.send(method, path, body, { 'idempotency-key': key })
}

function assertReplay(again: Answer, first: Answer): void {
  assert.equal(again.headers.get('idempotent-replayed'), 'true', again.text)
  assert.equal(first.headers.get('idempotent-replayed'), null)
  assert.equal(again.status, first.status)
  assert.equal(again.text, first.text)
}

async function countOrders(identifier: string): Promise<number> {
  const rows = await sql<{ n: number }>('select count(*)::int as n from orders where identifier = $1', [
    identifier,
  ])
  return rows[0]?.n ?? -1
}

/** One of each POST, PATCH and DELETE there is. */
const CALLS: Record<string, () => Promise<Call>> = {
  'Create Pay Order': async () => ({ method: 'POST', path: ORDERS, body: sampleOrder() }),
  'Create Payment Link': async () => ({ method: 'POST', path: LINKS, body: sampleOrder() }),
  'Close Pay Order': async () => ({ method: 'DELETE', path: `${ORDERS}/${await createOrder(demo)}` }),
  'Cancel Payment Link': async () => ({ method: 'DELETE', path: `${LINKS}/${await createLink(demo)}` }),
  'Register Student': async () => ({
    method: 'POST',
    path: `${ERP}/users/p/students`,
    body: { student: sampleStudent({ identifier: unique('IDEM') }) },
  }),
  'Update Fee': async () => ({
    method: 'PATCH',
    path: `${ERP}/students/${await newStudent(demo)}/fee`,
    body: { fee_components: [{ component_type: 'A', fee_amount: 1 }] },
  }),
  'Add Webhook': async () => ({ method: 'POST', path: HOOKS, body: sampleWebhook() }),
  'Disable Webhook': async () => {
    const added = await demo.post(HOOKS, sampleWebhook({ event_code: 'refund.failed' }))
    return { method: 'DELETE', path: `${HOOKS}/${added.body.data.id}` }
  },
  'move the clock': async () => ({
    method: 'POST',
    path: '/api/v1/sandbox/clock',
    body: { advance: 'PT1M' },
  }),
}

for (const [name, makeCall] of Object.entries(CALLS)) {
  test(`${name} with the same key and request again replays the first answer byte for byte`, async () => {
    const [call, key] = [await makeCall(), unique('again')]
    const first = await send(call, key)
    assert.ok(first.status < 300, first.text)
    assertReplay(await send(call, key), first)
  })
}

test('a replay does nothing: one order is made', async () => {
  const identifier = unique('ONCE')
  const call = { method: 'POST', path: ORDERS, body: sampleOrder({ identifier }) }
  for (let no = 0; no < 3; no++) await send(call, 'once-only')
  assert.equal(await countOrders(identifier), 1)
})

test('without a key every Create Pay Order makes an order', async () => {
  const identifier = unique('TWICE')
  for (let no = 0; no < 2; no++) await createOrder(demo, { identifier })
  assert.equal(await countOrders(identifier), 2)
})

test('a replay comes even when the request would be refused by now', async () => {
  const { now } = (await demo.get('/api/v1/sandbox/clock')).body.data
  const body = sampleOrder({ expires_at: new Date(Date.parse(now) + 60_000).toISOString() })
  const call = { method: 'POST', path: LINKS, body }
  const first = await send(call, 'expired-since')
  assertStatus(first, 201)
  assertStatus(await demo.post('/api/v1/sandbox/clock', { advance: 'P1D' }), 200)
  assertReplay(await send(call, 'expired-since'), first)
})

for (const [name, other] of Object.entries<Call>({
  'another body': { method: 'POST', path: ORDERS, body: sampleOrder({ name: 'Somebody Else' }) },
  'the same JSON in other bytes': {
    method: 'POST',
    path: ORDERS,
    body: JSON.stringify(sampleOrder(), null, 1),
  },
  'another path': { method: 'POST', path: LINKS, body: sampleOrder() },
  'a request that is not valid': { method: 'POST', path: ORDERS, body: {} },
  'another method': { method: 'DELETE', path: `${ORDERS}/order_x` },
})) {
  test(`the same key with ${name} is 422 IDE00000`, async () => {
    const key = unique('other')
    assertStatus(await send({ method: 'POST', path: ORDERS, body: sampleOrder() }, key), 201)
    assertRefused(await send(other, key), 'IDE00000')
  })
}

test('keys are per institute', async () => {
  const body = sampleOrder({ collector_code: 'NORTH' })
  const call = { method: 'POST', path: ORDERS, body }
  const [ours, theirs] = [await send(call, 'shared'), await send(call, 'shared', group)]
  assertStatus(theirs, 201)
  assert.equal(theirs.headers.get('idempotent-replayed'), null)
  assert.notEqual(theirs.body.data.order_id, ours.body.data.order_id)
})

test("another API key of the same institute shares the institute's keys", async () => {
  const call = { method: 'POST', path: ORDERS, body: sampleOrder() }
  const first = await send(call, 'same-house')
  assertReplay(await send(call, 'same-house', await clientWith(contract, {})), first)
})

test('404 and 409 are stored and replayed', async () => {
  const missing = { method: 'DELETE', path: `${LINKS}/order_unknown` }
  const first = await send(missing, 'stored-404')
  assertRefused(first, 'HUE00001')
  assertReplay(await send(missing, 'stored-404'), first)
  const cancel = { method: 'DELETE', path: `${LINKS}/${await createLink(demo)}` }
  assertStatus(await send(cancel, 'stored-409-a'), 200)
  const refused = await send(cancel, 'stored-409-b')
  assertRefused(refused, 'HUE00002')
  assertReplay(await send(cancel, 'stored-409-b'), refused)
})

test('400 is not stored: the key is free for the corrected request', async () => {
  assertRefused(await send({ method: 'POST', path: ORDERS, body: {} }, 'mended'), 'HUE00000')
  const mended = await send({ method: 'POST', path: ORDERS, body: sampleOrder() }, 'mended')
  assertStatus(mended, 201)
  const disable = { method: 'DELETE', path: `${HOOKS}/wh_unknown` }
  for (let no = 0; no < 2; no++) {
    const answer = await send(disable, 'not-stored')
    assertRefused(answer, 'HUE00000')
    assert.equal(answer.headers.get('idempotent-replayed'), null)
  }
})

test('403 and 429 are not stored', async () => {
  const call = { method: 'POST', path: ORDERS, body: sampleOrder() }
  const reader = await clientWith(contract, { scopes: ['read'] })
  assertRefused(await send(call, 'no-right', reader), 'AUE00001')
  const slow = await clientWith(contract, { ratePerSecond: 1, burst: 1 })
  assertStatus(await slow.get(ORDERS), 200)
  assertRefused(await send(call, 'no-right', slow), 'RLE00000')
  const done = await send(call, 'no-right')
  assertStatus(done, 201)
  assert.equal(done.headers.get('idempotent-replayed'), null)
})

test('a key has at most 255 characters', async () => {
  const call = { method: 'POST', path: ORDERS, body: sampleOrder() }
  assertStatus(await send(call, 'k'.repeat(255)), 201)
  assertRefused(await send(call, 'k'.repeat(256)), 'HUE00000')
})

/** Makes a stored answer look older. */
async function age(key: string, hours: number): Promise<void> {
  const created = 'created_at = now() - make_interval(hours => $2)'
  await sql(`update idempotency_keys set ${created} where key = $1`, [key, hours])
}

test('a key is kept for 24 hours', async () => {
  const call = { method: 'POST', path: ORDERS, body: sampleOrder() }
  const first = await send(call, 'aged')
  await age('aged', 23)
  assertReplay(await send(call, 'aged'), first)
  await age('aged', 25)
  const anew = await send({ ...call, body: sampleOrder({ name: 'Ravi Nair' }) }, 'aged')
  assertStatus(anew, 201)
  assert.notEqual(anew.body.data.order_id, first.body.data.order_id)
})

test('on GET the key means nothing', async () => {
  const id = await createOrder(demo)
  for (const path of [ORDERS, `${ORDERS}/${id}`]) {
    const answer = await demo.get(path, { 'idempotency-key': 'reading' })
    assertStatus(answer, 200)
    assert.equal(answer.headers.get('idempotent-replayed'), null)
  }
})

/** Sends the request twice, the second time while the first is held up where it writes the table. */
async function sendWhileRunning(call: Call, table: string): Promise<{ first: Answer; second: Answer }> {
  const key = unique('running')
  const sent: Promise<Answer>[] = []
  const release = await contract.holdWrites(table)
  try {
    sent.push(send(call, key))
    await waitFor(async () => (await contract.countWaiting()) === 1, 'the first request to be held up')
    let isAnswered = false
    const second = send(call, key).finally(() => {
      isAnswered = true
    })
    sent.push(second)
    const isDecided = async () => isAnswered || (await contract.countWaiting()) === 2
    await waitFor(isDecided, 'the second to be answered or held up as well')
  } finally {
    await release()
  }
  const [first, second] = await Promise.all(sent)
  assert.ok(first !== undefined && second !== undefined)
  return { first, second }
}

for (const [name, table] of [
  ['Create Pay Order', 'orders'],
  ['Create Payment Link', 'orders'],
  ['Cancel Payment Link', 'orders'],
  ['Register Student', 'students'],
  ['Add Webhook', 'webhook_subscriptions'],
] as const) {
  test(`${name} again while the first is still running is 409 IDE00001 with Retry-After`, async () => {
    const makeCall = CALLS[name]
    assert.ok(makeCall)
    const { first, second } = await sendWhileRunning(await makeCall(), table)
    assert.ok(first.status < 300, first.text)
    assertRefused(second, 'IDE00001')
    assert.match(second.headers.get('retry-after') ?? '', /^[1-9]\d*$/)
  })
}

test('ten equal requests at once make one order; each is the answer, or 409 IDE00001 to be repeated', async () => {
  const identifier = unique('STORM')
  const call = { method: 'POST', path: ORDERS, body: sampleOrder({ identifier }) }
  const answers = await Promise.all(Array.from({ length: 10 }, () => send(call, 'storm')))
  assert.equal(await countOrders(identifier), 1)
  const after = await send(call, 'storm')
  for (const answer of answers) {
    if (answer.status === 201) assert.equal(answer.text, after.text)
    else assertRefused(answer, 'IDE00001')
  }
})

test('what was told first is told again, although a parallel repeat was refused meanwhile', async () => {
  // The first has been paid for and not yet stored its answer, when the second finds nothing left to pay.
  const key = unique('late')
  const path = `/api/v1/sandbox/pay/orders/${await createOrder(demo)}/pay`
  const call: Call = { method: 'POST', path, body: { outcome: 'success' } }
  const answers = await Promise.all(Array.from({ length: 8 }, () => send(call, key)))
  const again = await send(call, key)
  const ended = answers.filter(answer => answer.body.code !== 'IDE00001')
  assert.ok(
    ended.some(answer => answer.text === again.text && answer.status === again.status),
    again.text,
  )
})

test('a stored answer is never replaced while it is kept, and is once its day is over', async () => {
  const { db } = contract.app.ctx
  const once = { key: unique('kept'), fingerprint: Buffer.alloc(32, 1), answer: () => assert.fail() }
  const store = (body: string) => rememberAnswer(db, 1, once, { httpStatus: 200, body })
  const stored = async () =>
    (await sql<{ body: string }>('select body from idempotency_keys where key = $1', [once.key]))[0]?.body
  assert.equal(await store('first'), true)
  assert.equal(await store('second'), false)
  assert.equal(await stored(), 'first')
  await sql(`update idempotency_keys set created_at = now() - interval '25 hours' where key = $1`, [once.key])
  assert.equal(await store('third'), true)
  assert.equal(await stored(), 'third')
  const refuse = { httpStatus: 409, body: 'refused' }
  assert.equal(await rememberAnswer(db, 1, once, refuse), false)
  const early = { ...once, key: unique('early') }
  assert.equal(await rememberAnswer(db, 1, early, refuse), true)
  assert.equal(await rememberAnswer(db, 1, early, { httpStatus: 200, body: 'done' }), true)
})
