import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sendAgain } from '../../../src/payments/refunds/refunds.service.ts'
import { settleDue } from '../../../src/payments/settlements/settlements.service.ts'
import { payOut } from '../../../emulators/razorpay/settlements.ts'
import { AccountRegistry } from '../../../src/providers/accounts/registry.service.ts'
import { signEvent } from '../../../emulators/razorpay/books.ts'
import { assertAnswer } from '../../console/support.ts'
import { findBroken } from '../../harness/payments.ts'
import { PAY } from '../../harness/samples.ts'
import {
  add,
  app,
  bursar,
  deliver,
  GROUP,
  groupOwner,
  keysOf,
  paid,
  SCHOOL,
  schoolOwner,
  sql,
  start,
  startMerchant,
  stateOf,
  wanted,
} from './support.ts'

const { demo, group } = bursar
const north = await startMerchant('North')
const south = await startMerchant('South')
const school = await startMerchant('School')
const ofGroup = await add(groupOwner, GROUP, wanted('North'))
const ofSouth = await add(groupOwner, GROUP, wanted('South', { collector_code: 'SOUTH' }))
const reason = { reason: 'for the test' }

test('a branch’s money goes to the branch’s own account, the rest to the institute’s, another institute’s to the installation’s', async () => {
  const inNorth = await start(group, 'demo-group', 'NORTH')
  const inSouth = await start(group, 'demo-group', 'SOUTH')
  const elsewhere = await start(demo, 'demo-school')
  assert.deepEqual(
    [inNorth, inSouth, elsewhere].map(({ provider, account_id }) => [provider, account_id]),
    [
      ['razorpay', ofGroup],
      ['razorpay', ofSouth],
      ['sandbox', 'sandbox'],
    ],
  )
  assert.deepEqual([...north.links.keys()], [inNorth.provider_ref])
  assert.deepEqual([...south.links.keys()], [inSouth.provider_ref])
  const { body } = await groupOwner.get(`${GROUP}/setup`)
  assert.deepEqual(
    body.data.branches.map((branch: Record<string, string>) => [
      branch['collector_code'],
      branch['payments'],
    ]),
    [
      ['NORTH', 'Account North'],
      ['SOUTH', 'Account South'],
    ],
  )
})

test('a callback counts only at its own account’s address, with that account’s signature', async () => {
  const payment = await start(group, 'demo-group', 'SOUTH')
  const event = paid(south, payment.provider_ref)
  assert.equal(await deliver(`razorpay/${ofGroup}`, event), 400, 'another account’s address')
  assert.equal(await deliver('razorpay', event), 404, 'the installation has none')
  assert.equal(await deliver(`razorpay/${ofSouth}x`, event), 404)
  assert.equal(await deliver(`cashfree/${ofSouth}`, event), 404)
  assert.equal(await stateOf(payment.id), 'created')
  assert.equal(await deliver(`razorpay/${ofSouth}`, event), 200)
  assert.equal(await stateOf(payment.id), 'captured')
  const [row] = await sql('select heard_at is not null as heard from provider_accounts where id = $1', [
    ofSouth,
  ])
  assert.deepEqual(row, { heard: true })
})

test('a report of what went through another account, or is another institute’s, is shown to a person and never applied', async () => {
  const ofSchool = await add(schoolOwner, SCHOOL, wanted('School'))
  const payment = await start(group, 'demo-group', 'SOUTH')
  const link = { ...south.links.get(payment.provider_ref) }
  const captured = south.pay(payment.provider_ref)
  const told = (merchant: typeof south) =>
    merchant.event('payment_link.paid', { payment_link: { ...link, status: 'paid' }, payment: captured })
  assert.equal(await deliver(`razorpay/${ofGroup}`, told(north)), 200, 'the same institute’s other account')
  assert.equal(await deliver(`razorpay/${ofSchool}`, told(school)), 200, 'another institute’s account')
  assert.equal(await deliver(`razorpay/${ofSchool}`, told(school)), 200, 'and once more')
  assert.equal(await stateOf(payment.id), 'created')
  for (const [owner, institute] of [
    [groupOwner, 'demo-group'],
    [schoolOwner, 'demo-school'],
  ] as const) {
    const path = `/console/api/institutes/${institute}/money/reconciliation/items?status=mismatched`
    const { body } = await owner.get(path)
    assert.deepEqual(
      body.data.map((row: Record<string, unknown>) => row['problem']),
      ['payment reported through an account that it did not go through'],
      institute,
    )
  }
  // The school's account is the school's: it pauses it for the tests below.
  assertAnswer(await schoolOwner.post(`${SCHOOL}/${ofSchool}/pause`, reason), '200')
})

test('credentials are in no answer, audit entry, log line or readable column', async () => {
  const secrets = ['North', 'South', 'School'].flatMap(name => [
    keysOf(name).keySecret,
    keysOf(name).webhookSecret,
  ])
  const texts = [
    (await groupOwner.get(GROUP)).text,
    (await groupOwner.get(`${GROUP}/setup`)).text,
    (await groupOwner.get('/console/api/institutes/demo-group/audit')).text,
    bursar.logText(),
    JSON.stringify(await sql('select * from provider_accounts')),
  ]
  assert.match(texts[2] ?? '', /provider_account\.added/)
  for (const secret of secrets)
    for (const text of texts) assert.ok(!text.includes(secret), `${secret} in ${text.slice(0, 80)}`)
})

test('what an account is not used for is not offered to the payer', async () => {
  const uses = { title: 'Account North', methods: ['card'], rails: [], ...reason }
  assertAnswer(await groupOwner.send('PATCH', `${GROUP}/${ofGroup}`, uses), '200')
  const refused = await start(group, 'demo-group', 'NORTH')
  const page = await (await fetch(`${bursar.url}/pay/demo-group/${refused.order_id}`)).text()
  assert.match(page, /value="card"/)
  assert.doesNotMatch(page, /value="upi"/)
  const rails = { ...uses, rails: ['enach', 'upi_autopay'], methods: ['upi', 'cash'] }
  assertAnswer(await groupOwner.send('PATCH', `${GROUP}/${ofGroup}`, rails), '400 HUE00000')
  const all = { ...uses, methods: ['upi', 'card', 'netbanking'] }
  assertAnswer(await groupOwner.send('PATCH', `${GROUP}/${ofGroup}`, all), '200')
})

test('a paused account takes nothing new and nothing of it goes elsewhere; what is under way is heard, refunded and settled', async () => {
  const payment = await start(group, 'demo-group', 'SOUTH')
  assertAnswer(await groupOwner.post(`${GROUP}/${ofSouth}/pause`, reason), '200')
  const refused = await start(group, 'demo-group', 'SOUTH')
  assert.equal(refused.id, undefined, 'no payment was made')
  assert.equal((await start(group, 'demo-group', 'NORTH')).account_id, ofGroup)
  assert.equal(await deliver(`razorpay/${ofSouth}`, paid(south, payment.provider_ref)), 200)
  assert.equal(await stateOf(payment.id), 'captured')
  const refund = await group.post(`${PAY}/orders/${payment.order_id}/refunds`, { amount: 1, reason: 'test' })
  assert.ok(refund.status < 300, refund.text)
  const [row] = await sql<{ id: string; institute_id: number }>(
    'select id, institute_id from refunds where payment_id = $1',
    [payment.id],
  )
  assert.ok(row)
  const { id: refundId, institute_id: instituteId } = row
  await sendAgain(app.ctx, { instituteId, accountId: ofGroup }, [refundId])
  assert.equal(south.refunds.length, 0, 'not through another account')
  await sendAgain(app.ctx, { instituteId, accountId: ofSouth }, [refundId])
  assert.equal(south.refunds.length, 1)
  // The other account cannot be read: its provider does not know its key any more.
  const recon = payOut(south.books)
  assert.ok(recon.count > 0)
  north.spoil('GET /v1/settlements', response => response.destroy())
  await assert.rejects(settleDue(app.ctx, null))
  const [settled] = await sql('select account_id, utr from settlements where utr = $1', [recon.utr])
  assert.deepEqual(settled, { account_id: ofSouth, utr: recon.utr })
  const read = await sql<{ account_id: string }>('select account_id from settlement_reads')
  assert.ok(read.some(row => row.account_id === ofSouth) && read.every(row => row.account_id !== ofGroup))
  assertAnswer(await groupOwner.post(`${GROUP}/${ofSouth}/resume`, reason), '200')
})

test('money that comes with another amount is shown to a person at once and the payer is told not to pay again; a fee borne by the payer is no difference', async () => {
  const payment = await start(group, 'demo-group', 'NORTH')
  const asked = Number(payment.amount_paise)
  assert.equal(
    await deliver(
      `razorpay/${ofGroup}`,
      paid(north, payment.provider_ref, { amount: asked + 1_652, fee: 1_000 }),
    ),
    200,
  )
  assert.equal(await stateOf(payment.id), 'pending')
  const page = await (await fetch(`${bursar.url}/pay/demo-group/${payment.order_id}`)).text()
  assert.match(page, /with another amount than was asked for.*Do not pay again/)
  assert.doesNotMatch(page, /<form[^>]*start/)
  const path = '/console/api/institutes/demo-group/money/reconciliation/items?status=mismatched'
  const [found] = (await groupOwner.get(path)).body.data
  assert.deepEqual(
    [found.problem, found.amount, found.reported],
    [`paid with another amount than order ${payment.order_id} asks for`, asked / 100, (asked + 1_652) / 100],
  )
  const refund = `/console/api/institutes/demo-group/money/reconciliation/items/${found.id}/refund`
  assertAnswer(await groupOwner.post(refund, reason), '200')
  assertAnswer(await groupOwner.post(refund, reason), '404 HUE00001')
  await demo.post('/api/v1/sandbox/clock', { advance: 'PT1H' })
  const back = north.refunds.filter(one => one.amount === asked + 1_652)
  assert.equal(back.length, 1, 'all that came goes back, once')
  assert.equal(await stateOf(payment.id), 'captured')
  assert.deepEqual(await findBroken(sql), [])
  const unpaid = await (await fetch(`${bursar.url}/pay/demo-group/${payment.order_id}`)).text()
  assert.match(unpaid, /<form[^>]*start/, 'it can be paid again')

  const other = await start(group, 'demo-group', 'NORTH')
  assert.equal(
    await deliver(
      `razorpay/${ofGroup}`,
      paid(north, other.provider_ref, { amount: asked + 1_652, fee: 1_652 }),
    ),
    200,
  )
  assert.equal(await stateOf(other.id), 'captured')
})

test('credentials are rotated without a gap: calls use the new ones at once, callbacks signed with the old ones count for days', async () => {
  const stale = new AccountRegistry(app.ctx, app.ctx.accounts.installation)
  const [before] = [await stale.accountOfCallback('razorpay', ofSouth)]
  assert.ok(before)
  const payment = await start(group, 'demo-group', 'SOUTH')
  const link = south.links.get(payment.provider_ref)
  const entities = { payment_link: link, payment: south.pay(payment.provider_ref) }
  const old = south.event('payment_link.paid', entities)
  const keys = { ...keysOf('South'), webhookSecret: 'the-next-webhook-secret-of-South' }
  const next = signEvent({ ...south.books, keys }, 'payment_link.paid', entities)
  const settings = [{ field: 'webhook_secret', value: keys.webhookSecret }]
  assertAnswer(await groupOwner.post(`${GROUP}/${ofSouth}/rotate`, { settings, ...reason }), '200')
  assert.notEqual(await stale.readCallback(before, next), null, 'a process that has the old one in memory')
  assert.equal(await deliver(`razorpay/${ofSouth}`, old), 200)
  assert.equal(await stateOf(payment.id), 'captured')
  assert.equal(await deliver(`razorpay/${ofSouth}`, next), 200)
  assert.equal((await start(group, 'demo-group', 'SOUTH')).account_id, ofSouth)
  await demo.post('/api/v1/sandbox/clock', { advance: 'P4D' })
  assert.equal(await deliver(`razorpay/${ofSouth}`, old), 400, 'after three days')
  assert.equal(await deliver(`razorpay/${ofSouth}`, next), 200)
})
