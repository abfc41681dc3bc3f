import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { paiseOf } from '../../../src/platform/money.ts'
import { assertAnswer } from '../../console/support.ts'
import type { Json } from '../../harness/client.ts'
import { ERP, PAY, sampleOrder } from '../../harness/samples.ts'
import { Visitor, type VisitorResponse } from '../../harness/visitor.ts'
import { newFamily, textOf } from '../../portal/parents-support.ts'
import { add, bursar, GROUP, groupOwner, startMerchant, wanted } from './support.ts'

/** What a school says of each way to pay through its account. */
const { group } = bursar
const merchant = await startMerchant('Ways')
const accountId = await add(groupOwner, GROUP, wanted('Ways'))
const ACCOUNT = `${GROUP}/${accountId}`
const payer = new Visitor(bursar.url)

const say = (...ways: Json[]) =>
  groupOwner.send('PATCH', ACCOUNT, {
    title: 'Account Ways',
    methods: ['upi', 'card', 'netbanking'],
    rails: [],
    ways,
    reason: 'for the test',
  })

/** The checkout of an order over so many rupees. */
async function checkoutOf(amount: number): Promise<string> {
  const details = [{ component_type: 'TUITION_FEE', amount }]
  const order = sampleOrder({ collector_code: 'NORTH', details })
  const { body, text } = await group.post(`${PAY}/orders`, order)
  assert.equal(body?.status, 'success', text)
  return `/pay/demo-group/${body.data.order_id}`
}

const offeredOn = ({ text }: VisitorResponse): string[] =>
  [...text.matchAll(/name="mode" value="(\w+)"/g)].map(([, mode = '']) => mode)

test('the checkout offers the ways that can take the amount, and the server refuses any other with its limit', async () => {
  assertAnswer(
    await say({ method: 'upi', max_amount: 100_000 }, { method: 'card', max_amount: 200_000 }),
    '200',
  )
  const [small, middle, large] = [100_000, 100_000.01, 200_000.01]
  assert.deepEqual(offeredOn(await payer.get(await checkoutOf(small))), ['upi', 'card', 'netbanking'])
  assert.deepEqual(offeredOn(await payer.get(await checkoutOf(large))), ['netbanking'])
  const checkout = await checkoutOf(middle)
  assert.deepEqual(offeredOn(await payer.get(checkout)), ['card', 'netbanking'])
  const links = merchant.links.size
  const refused = await payer.post(`${checkout}/start`, { mode: 'upi' })
  assert.equal(refused.status, 409)
  assert.match(
    textOf(refused.text),
    /UPI takes at most ₹1,00,000\.00 in one payment here\. Please choose another way\. Nothing was paid\./,
  )
  assert.deepEqual(offeredOn(refused), ['card', 'netbanking'])
  assert.equal(merchant.links.size, links, 'the provider was not asked')
  const started = await payer.post(`${checkout}/start`, { mode: 'card' })
  assert.equal(started.status, 303, started.text)
  assert.equal(merchant.links.size, links + 1)
})

const limit = (method: string): Json => ({ method, max_amount: 50_000 })

test('above what every way takes the page says the most, in each language, and starts nothing', async () => {
  assertAnswer(await say(limit('upi'), limit('card'), limit('netbanking')), '200')
  const checkout = await checkoutOf(60_000)
  const words = {
    en: /₹60,000\.00 is more than any way to pay online takes at once; the most is ₹50,000\.00/,
  }
  for (const [lang, expected] of Object.entries({
    ...words,
    hi: /₹50,000\.00/,
    kn: /₹50,000\.00/,
    ta: /₹50,000\.00/,
  })) {
    const page = await payer.get(`${checkout}?lang=${lang}`)
    assert.match(textOf(page.text), expected)
    assert.deepEqual(offeredOn(page), [])
  }
  assert.equal((await payer.post(`${checkout}/start?lang=en`, { mode: 'card' })).status, 409)
  assert.equal(
    (await bursar.sql('select 1 from payments where order_id = $1', [checkout.split('/').at(-1)])).length,
    0,
  )
})

test('the cheapest way for the payer comes first, each with its fee before the choice, and the order asks for no more', async () => {
  assertAnswer(await say({ method: 'upi', payer_fee_bp: 50 }, { method: 'card', payer_fee_bp: 200 }), '200')
  const page = await payer.get(await checkoutOf(10_000))
  assert.deepEqual(offeredOn(page), ['netbanking', 'upi', 'card'])
  assert.match(
    textOf(page.text),
    /Net banking UPI plus a fee of ₹50\.00 to the payment partner Card plus a fee of ₹200\.00 .*Pay ₹10,000\.00/,
  )
})

test('limits stand in the account’s answer and audit entry, stay when they are not sent, and odd ones are refused', async () => {
  assertAnswer(await say({ method: 'upi', max_amount: 75_000 }), '200')
  const uses = { title: 'Account Ways', methods: ['upi', 'card', 'netbanking'], rails: [], reason: 'a name' }
  assertAnswer(await groupOwner.send('PATCH', ACCOUNT, uses), '200')
  const account = (await groupOwner.get(GROUP)).body.data.find(({ id }: Json) => id === accountId)
  assert.deepEqual(account.ways, [{ method: 'upi', max_amount: 75_000, payer_fee_bp: 0 }])
  assert.match((await groupOwner.get('/console/api/institutes/demo-group/audit')).text, /"max_amount":75000/)
  const odd: Json[][] = [
    [{ method: 'cash', max_amount: 1 }],
    [{ method: 'upi', max_amount: 0 }],
    [{ method: 'upi', payer_fee_bp: 1_001 }],
    [{ method: 'upi' }, { method: 'upi' }],
  ]
  for (const ways of odd) assertAnswer(await say(...ways), '400 HUE00000')
})

test('a child with an account number is shown it where no way takes the sum, and a transfer to it pays the dues', async () => {
  const bank = bursar.app.ctx.accounts.installation.get('sandbox') ?? assert.fail()
  const before = bank.accepts
  Object.assign(bank, { accepts: { ...before, maxPaise: paiseOf(5_000_000) } })
  after(() => void Object.assign(bank, { accepts: before }))
  const { demo } = bursar
  const { students } = await newFamily(demo, {
    fees: [{ component_type: 'TUITION_FEE', fee_amount: 60_000 }],
  })
  const [id = ''] = students
  const { body } = await demo.post(`${PAY}/students/${id}/orders`, {})
  const checkout = new URL(body.data.redirect_url).pathname
  const without = await payer.get(checkout)
  assert.match(textOf(without.text), /the most is ₹50,000\.00\. Pay it in parts, or ask the institute/)
  assert.deepEqual(offeredOn(without), [])
  const account = (await demo.post(`${PAY}/students/${id}/virtual_account`, {})).body.data
  const page = textOf((await payer.get(checkout)).text)
  assert.match(page, /Please transfer it to the account number below\. .*Pay by bank transfer/)
  assert.ok(page.includes(account.account_number) && page.includes(account.ifsc), page)
  const transfers = `/api/v1/sandbox/pay/students/${id}/virtual_account/transfers`
  assert.equal((await demo.post(transfers, { amount: 60_000 })).status, 200)
  const dues = (await demo.get(`${ERP}/students/${id}/dues`)).body.data
  assert.equal(dues.total_amount, 0)
})
