import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { KEYS } from '../../emulators/razorpay/books.ts'
import { startRazorpay } from '../../emulators/razorpay/emulator.ts'
import { getInstitute } from '../../src/institutes/institutes.service.ts'
import { startPayment } from '../../src/payments/start/start-payment.service.ts'
import { startBursar, TEST_MASTER_KEY } from '../harness/bursar.ts'
import type { Json } from '../harness/client.ts'
import { cloneDatabase } from '../harness/postgres/databases.ts'
import { ERP, PAY, sampleOrder } from '../harness/samples.ts'
import { assertStatus, newStudent } from '../http/support.ts'
import { ask, run } from './command-line.ts'

const DATABASE_URL = await cloneDatabase({ after })
const razorpay = await startRazorpay()
after(() => razorpay.close())
const gateway = {
  RAZORPAY_KEY_ID: KEYS.keyId,
  RAZORPAY_KEY_SECRET: KEYS.keySecret,
  RAZORPAY_WEBHOOK_SECRET: KEYS.webhookSecret,
  RAZORPAY_API_URL: razorpay.url,
}
const env = { DATABASE_URL, MASTER_KEY: TEST_MASTER_KEY, ...gateway }
const bursar = await startBursar({ after }, { DATABASE_URL, ...gateway })
const { demo, app } = bursar

async function payOtherwise(orderId: string, rupees: number): Promise<void> {
  const institute = await getInstitute(app.ctx, 'demo-school')
  const options = { mode: 'upi' as const, returnUrl: `${bursar.url}/` }
  const { providerRef } = await startPayment(app.ctx, institute, orderId, options)
  razorpay.pay(providerRef ?? '', { amount: rupees * 100 })
  for (const { rawBody, headers } of razorpay.books.outbox.splice(0))
    assertStatus(
      await demo.post('/callbacks/razorpay', rawBody.toString(), { ...headers, authorization: '' }),
      200,
    )
}

test('money of a wrong amount is listed, given back or taken as dues by the command line, each once', async () => {
  const studentId = await newStudent(demo, {
    fee_components: [{ component_type: 'TUITION_FEE', fee_amount: 9_000 }],
  })
  const dues = await demo.post(`${PAY}/students/${studentId}/orders`, {})
  const other = await demo.post(`${PAY}/orders`, sampleOrder())
  assert.match((await run(env, 'payments', 'mismatched', 'demo-school')).out, /Nothing came with another/)
  await payOtherwise(dues.body.data.order_id, 5_000)
  await payOtherwise(other.body.data.order_id, 7)
  const listed = (await ask(env, 'payments', 'mismatched', 'demo-school')) as Json[]
  assert.deepEqual(
    listed.map(one => [one.canTake, one.reportedPaise]),
    [
      [true, 5_000_00],
      [false, 7_00],
    ],
  )
  const [ofDues, ofOrder] = listed.map(one => String(one.id))
  const why = ['--reason', 'the family paid a part']
  const take = (id = ''): string[] => ['payments', 'take', 'demo-school', id, ...why]
  assert.notEqual(
    (await run(env, 'payments', 'take', 'demo-school', ofDues ?? '')).code,
    0,
    'without a reason',
  )
  const wrong = await run(env, ...take(ofOrder))
  assert.equal(wrong.code, 1)
  assert.match(wrong.err, /Refund it instead/)
  await ask(env, ...take(ofDues))
  assert.equal((await run(env, ...take(ofDues))).code, 1)
  assert.equal((await demo.get(`${ERP}/students/${studentId}/dues`)).body.data.total_amount, 4_000)
  await ask(env, 'payments', 'refund', 'demo-school', ofOrder ?? '', ...why)
  assert.deepEqual(await ask(env, 'payments', 'mismatched', 'demo-school'), [])
  const audit = await bursar.sql<Json>(
    `select what, actor_name from console_audit where what like 'report.%' order by at`,
  )
  assert.deepEqual(
    audit.map(one => [one.what, one.actor_name]),
    [
      ['report.taken', 'Command line'],
      ['report.refunded', 'Command line'],
    ],
  )
})
