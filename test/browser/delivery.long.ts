import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deliveryLink } from '../../src/webhooks/delivery-log/deliveries.service.ts'
import { openBrowser, PHONE } from '../harness/browser.ts'
import { startReceiver } from '../harness/receiver.ts'
import { waitFor } from '../harness/wait.ts'
import { DELIVERIES, startDelivering, subscribe, trigger } from '../webhooks/support.ts'
import { expectSoundAndKeep, expectWords } from './support.ts'

test('the link of a failure mail shows the attempts, and a click sends the delivery again', async t => {
  const browser = await openBrowser(t)
  if (browser === null) return
  const bursar = await startDelivering(t, { WEBHOOK_RETRY_SECONDS: '0.02' })
  const receiver = await startReceiver(t)
  receiver.answer(() => ({ status: 500, body: 'password=hunter2' }))
  await subscribe(bursar.demo, receiver.url)
  const eventId = await trigger(bursar.demo)
  const readDelivery = async () => (await bursar.demo.get(`${DELIVERIES}?event_id=${eventId}`)).body.data[0]
  await waitFor(async () => (await readDelivery()).status === 'exhausted', 'the delivery to be given up')

  const link = deliveryLink(bursar.app.ctx, 'demo-school', (await readDelivery()).id)
  const page = await browser.newPage({ viewport: PHONE })
  await page.goto(link)
  await expectWords(page, /Given up/, /status 500/, /Send again/)
  assert.doesNotMatch(await page.content(), /hunter2/, 'what the receiver said is for those with a key')
  await expectSoundAndKeep(page, 'delivery-given-up')

  receiver.answer(() => ({ status: 200 }))
  await page.getByRole('button', { name: 'Send again' }).click()
  await waitFor(async () => (await readDelivery()).status === 'delivered', 'the delivery to arrive')
  await page.goto(link)
  await expectWords(page, /Delivered/)
  await expectSoundAndKeep(page, 'delivery-delivered')

  const forged = await page.goto(link.slice(0, -1) + (link.endsWith('A') ? 'B' : 'A'))
  assert.equal(forged?.status(), 404)
})
