import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Provider, ProviderName } from '../../src/providers/port.ts'
import { createRazorpay } from '../../src/providers/razorpay/razorpay.client.ts'
import { startBursar } from '../harness/bursar.ts'
import { KEYS } from '../../emulators/razorpay/books.ts'
import { startRazorpay } from '../../emulators/razorpay/emulator.ts'
import { PAY, sampleOrder } from '../harness/samples.ts'
import { waitFor } from '../harness/wait.ts'
import { queue } from '../messages/support.ts'

const PAYMENTS = 200

test('a provider that takes 15 s a call, with 200 payments due, delays no row of another job by more than a second', async t => {
  const bursar = await startBursar(t)
  const { app, demo } = bursar
  const fake = await startRazorpay()
  t.after(() => fake.close())
  // It answers after 15 s, which is when we give up.
  for (let n = 0; n < PAYMENTS * 4; n++) fake.spoil('', () => {})
  const providers = app.ctx.accounts.installation as Map<ProviderName, Provider>
  providers.set('razorpay', createRazorpay({ ...KEYS, baseUrl: fake.url }))

  const startPayment = async (): Promise<void> => {
    const { body } = await demo.post(`${PAY}/orders`, sampleOrder())
    const path = `/api/v1/sandbox/pay/orders/${body.data.order_id}/pay`
    const { status, text } = await demo.post(path, { outcome: 'pending' })
    assert.ok(status < 300, text)
  }
  for (let n = 0; n < PAYMENTS; n += 20) await Promise.all(Array.from({ length: 20 }, startPayment))
  await bursar.sql(
    `update payments set provider = 'razorpay', account_id = 'razorpay', next_check_at = created_at`,
  )
  const soon = new Date(app.ctx.clock.now().getTime() + 2_000)
  const link = await demo.post(`${PAY}/orders`, sampleOrder({ expires_at: soon.toISOString() }))
  await queue(bursar, {})

  const ended = async (query: string): Promise<boolean> => (await bursar.sql(query)).length === 1
  const began = Date.now()
  app.worker.start()
  await waitFor(() => ended(`select from messages where state = 'sent'`), 'the message', { everyMs: 5 })
  assert.ok(Date.now() - began < 1_000, `the message was sent after ${Date.now() - began} ms`)
  await waitFor(async () => fake.seen.length >= 16, 'every slot to wait for the provider')
  const expired = `select from orders where state = 'expired' and id = '${link.body.data.order_id}'`
  await waitFor(() => ended(expired), 'the order to expire', { everyMs: 5 })
  const lateMs = app.ctx.clock.now().getTime() - soon.getTime()
  assert.ok(lateMs < 1_000, `the order expired ${lateMs} ms late`)
  assert.equal((await bursar.sql('select from payments where held_until > now()')).length, 16)

  // Stopped in the middle of it: what is asked about is let go of, the rest was never claimed.
  const stopping = app.worker.stop()
  await fake.close()
  await stopping
  assert.deepEqual(await bursar.sql('select from payments where held_until is not null'), [])
  const untouched = await bursar.sql('select from payments where checks = 0')
  assert.ok(untouched.length >= PAYMENTS - 32, `${untouched.length} were not asked about`)
})
