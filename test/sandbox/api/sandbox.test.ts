import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Client } from '../../harness/client.ts'
import { ERP, PAY } from '../../harness/samples.ts'
import { sandboxNow } from '../../harness/sandbox-now.ts'
import { assertRefused, assertStatus, createLink, createOrder, openContract } from '../../http/support.ts'

const contract = await openContract()
const { demo, group, sql, url } = contract
const CLOCK = '/api/v1/sandbox/clock'

async function now(): Promise<number> {
  const answer = await demo.get(CLOCK)
  assertStatus(answer, 200)
  assert.match(answer.body.data.now, /Z$/)
  return Date.parse(answer.body.data.now)
}

test('the seed is Demo School with MAIN and Demo Group with NORTH, the default, and SOUTH', async () => {
  const rows = await sql(
    `select institutes.name as institute, collector_code, is_default
     from branches join institutes on institutes.id = institute_id order by 1 desc, 2`,
  )
  assert.deepEqual(rows, [
    { institute: 'Demo School', collector_code: 'MAIN', is_default: true },
    { institute: 'Demo Group', collector_code: 'NORTH', is_default: true },
    { institute: 'Demo Group', collector_code: 'SOUTH', is_default: false },
  ])
})

test('the seed has no orders, links, students or subscriptions', async () => {
  for (const path of [`${PAY}/orders`, `${PAY}/payment_links`, `${ERP}/students`, `${ERP}/webhooks`]) {
    assert.deepEqual((await demo.get(path)).body.data, [])
    assert.deepEqual((await group.get(path)).body.data, [])
  }
  assert.deepEqual(await sql('select 1 from users'), [])
})

for (const path of ['/healthz', '/readyz']) {
  test(`${path} answers 200 without authentication`, async () => {
    assertStatus(await new Client(url, { key: 'no', secret: 'body' }).get(path), 200)
    assert.equal((await fetch(`${url}${path}`)).status, 200)
  })
}

test('the clock needs authentication', async () => {
  assertRefused(await new Client(url, { key: 'no', secret: 'body' }).get(CLOCK), 'AUE00000')
})

test('the clock goes as real time does until it is moved', async () => {
  const before = sandboxNow()
  const read = await now()
  assert.ok(read >= before && read <= sandboxNow())
})

test('advance moves the clock by a duration and answers the new now with a summary', async () => {
  const before = await now()
  const answer = await demo.post(CLOCK, { advance: 'P1D' })
  assertStatus(answer, 200)
  const moved = Date.parse(answer.body.data.now) - before
  assert.ok(moved >= 86_400_000 && moved < 86_400_000 + 60_000, `moved by ${moved} ms`)
  assert.equal(typeof answer.body.data.summary, 'object')
})

test('the clock is shared by all institutes', async () => {
  const before = await now()
  assertStatus(await group.post(CLOCK, { advance: 'PT6H' }), 200)
  assert.ok((await now()) >= before + 6 * 3_600_000)
})

test('to moves the clock to a moment, in India without an offset', async () => {
  const target = new Date((await now()) + 86_400_000).toISOString().slice(0, 19)
  const answer = await demo.post(CLOCK, { to: `${target}+05:30` })
  assertStatus(answer, 200)
  const first = Date.parse(`${target}+05:30`)
  assert.ok(Date.parse(answer.body.data.now) >= first && (await now()) < first + 60_000)
  const next = new Date(first + 86_400_000 + 19_800_000).toISOString().slice(0, 19)
  assertStatus(await demo.post(CLOCK, { to: next }), 200)
  assert.ok((await now()) >= first + 86_400_000 && (await now()) < first + 86_400_000 + 60_000)
})

test('the past is 400 and the clock stays', async () => {
  const before = await now()
  assertRefused(await demo.post(CLOCK, { to: '2026-01-01T00:00:00Z' }), 'HUE00000', 'to')
  assertRefused(await demo.post(CLOCK, { advance: '-P1D' }), 'HUE00000', 'advance')
  const later = await now()
  assert.ok(later >= before && later < before + 60_000)
})

for (const body of [{}, { advance: 'a day' }, { to: 'tomorrow' }, { advance: 1 }]) {
  test(`moving the clock by ${JSON.stringify(body)} is 400`, async () => {
    assertRefused(await demo.post(CLOCK, body), 'HUE00000')
  })
}

test('when the answer comes everything due has been done, and the summary counts it', async () => {
  const expires_at = new Date((await now()) + 3_600_000).toISOString()
  const [link, order] = [await createLink(demo, { expires_at }), await createOrder(demo, { expires_at })]
  const answer = await demo.post(CLOCK, { advance: 'PT2H' })
  assert.ok(Object.values<number>(answer.body.data.summary).includes(2), answer.text)
  const rows = await sql('select state from orders where id in ($1, $2)', [link, order])
  assert.deepEqual(rows, [{ state: 'expired' }, { state: 'expired' }])
})
