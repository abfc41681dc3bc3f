import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startBursar, TEST_MASTER_KEY } from '../harness/bursar.ts'
import { cloneDatabase } from '../harness/postgres/databases.ts'
import { PAY, sampleOrder } from '../harness/samples.ts'
import { ask, run } from './command-line.ts'

const DATABASE_URL = await cloneDatabase({ after })
const env = { DATABASE_URL, MASTER_KEY: TEST_MASTER_KEY }
const bursar = await startBursar({ after }, { DATABASE_URL })

async function payOne(changes: Record<string, unknown> = {}): Promise<string> {
  const { body } = await bursar.demo.post(`${PAY}/orders`, sampleOrder(changes))
  const { order_id } = body.data
  await bursar.demo.post(`/api/v1/sandbox/pay/orders/${order_id}/pay`, { outcome: 'success' })
  return order_id
}

test('reconcile is clean after a payment, and exits 1 and says what differs when something does', async () => {
  await payOne()
  const clean = await run(env, 'reconcile')
  assert.equal(clean.code, 0, clean.err)
  assert.match(clean.out, /demo-school: \d+ checks, 0 differences/)
  await bursar.sql(`update bank_payments set state = 'failed'`)
  const spoiled = await run(env, 'reconcile', 'demo-school')
  assert.equal(spoiled.code, 1)
  assert.match(spoiled.out, /1 differences[\s\S]*captured here, failed at the provider/)
  await bursar.sql(`update bank_payments set state = 'captured'`)
})

test('a receipt is cancelled once and with a reason, and its number is not used again', async () => {
  const [row] = await bursar.sql<{ financial_year: string }>('select financial_year from receipt_counters')
  assert.ok(row)
  const cancel = ['receipts', 'cancel', 'demo-school']
  const number = `${row.financial_year}/000001`
  assert.notEqual((await run(env, ...cancel, number)).code, 0)
  await ask(env, ...cancel, number, '--reason', 'wrong payer')
  assert.equal((await run(env, ...cancel, number, '--reason', 'wrong payer')).code, 1)
  assert.match((await run(env, ...cancel, 'seven', '--reason', 'x')).err, /look like 2026-27/)
  await payOne()
  const numbers = await bursar.sql<{ number: number }>('select number from receipts order by number')
  assert.deepEqual(
    numbers.map(receipt => receipt.number),
    [1, 2],
  )
})

test('reconcile says when the lines of a refund are not its amount, or more than was paid for a fee', async () => {
  const tuition = { component_type: 'TUITION_FEE', amount: 1000 }
  const transport = { component_type: 'TRANSPORT_FEE', amount: 500 }
  const orderId = await payOne({ details: [tuition, transport] })
  const refund = {
    details: [
      { ...transport, amount: 200 },
      { ...tuition, amount: 300 },
    ],
  }
  assert.equal((await bursar.demo.post(`${PAY}/orders/${orderId}/refunds`, refund)).status, 201)
  assert.equal((await run(env, 'reconcile', 'demo-school')).code, 0)
  await bursar.sql(`update refund_lines set amount_paise = 10000 where component_type = 'TRANSPORT_FEE'`)
  const short = await run(env, 'reconcile', 'demo-school')
  assert.equal(short.code, 1)
  assert.match(short.out, /1 differences[\s\S]*add up[\s\S]*40000 in lines, 50000 paise refunded/)
  // In all as much as the refund, and more of one fee than was paid for it.
  await bursar.sql(
    `update refund_lines set amount_paise = case component_type when 'TUITION_FEE' then 50000 else 0 end`,
  )
  await bursar.sql(`update refund_lines set component_type = 'TRANSPORT_FEE' where amount_paise > 0`)
  await bursar.sql(
    `update order_lines set amount_paise = amount_paise - 100 where order_id = $1 and component_type = 'TRANSPORT_FEE'`,
    [orderId],
  )
  const over = await run(env, 'reconcile', 'demo-school')
  assert.match(over.out, /TRANSPORT_FEE[\s\S]*50000 refunded of 49900 paise/)
})

test('the callback key is shown to the operator', async () => {
  const { callback_key: key } = await ask(env, 'institutes', 'callback-key', 'demo-school')
  assert.match(key, /^[\w-]{43}$/)
})

test('settlements read asks every account now; what the bank has not paid out stays as it is', async () => {
  await payOne()
  assert.deepEqual(await ask(env, 'settlements', 'read'), { settled: 0 })
})
