import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { cloneDatabase, startBursar, TEST_MASTER_KEY } from '../harness/bursar.ts'
import { PAY, sampleOrder } from '../harness/samples.ts'
import { ask, run } from './command-line.ts'

const DATABASE_URL = await cloneDatabase({ after })
const env = { DATABASE_URL, MASTER_KEY: TEST_MASTER_KEY }
const bursar = await startBursar({ after }, { DATABASE_URL })

async function payOne(): Promise<void> {
  const { body } = await bursar.demo.post(`${PAY}/orders`, sampleOrder())
  await bursar.demo.post(`/api/v1/sandbox/pay/orders/${body.data.order_id}/pay`, { outcome: 'success' })
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

test('the callback key is shown to the operator', async () => {
  const { callback_key: key } = await ask(env, 'institutes', 'callback-key', 'demo-school')
  assert.match(key, /^[\w-]{43}$/)
})
