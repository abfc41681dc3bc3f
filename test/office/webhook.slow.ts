import assert from 'node:assert/strict'
import { Webhook } from 'standardwebhooks'
import { startReceiver, trigger } from '../webhooks/support.ts'
import { officeTask } from './clicks.ts'
import { takePictures } from './pictures.ts'

const OLD = `whsec_${Buffer.from('the old secret of the school').toString('base64')}`
const NEW = `whsec_${Buffer.from('the new secret of the school').toString('base64')}`
const RETRIES = { BURSAR_ROLE: 'all', WEBHOOK_RETRY_SECONDS: '0.02,0.02' }

officeTask(
  'rotate the key of a webhook and replay a delivery that failed',
  async office => {
    const { page, go, stage, t } = office
    const receiver = await startReceiver(t)
    const { demo } = stage.bursar
    await go('/i/demo-school')
    await page.getByRole('link', { name: 'Developers' }).click()
    await page.getByRole('link', { name: 'Webhooks' }).click()
    await page.getByRole('button', { name: 'Add a webhook' }).click()
    await page.getByLabel('Event').selectOption('pay.payment.debited')
    await page.getByLabel('URL').fill(receiver.url)
    await page.getByLabel('Mail failures to').fill('it@school.example')
    await page.getByLabel('Signing secret').fill(OLD)
    await page.getByRole('button', { name: 'Add the webhook' }).click()
    await page.locator('tbody tr').first().waitFor()

    // The ERP is down, and its key is to be changed.
    receiver.answer(() => ({ status: 500 }))
    await trigger(demo)
    await receiver.waitForRequests(3)
    receiver.answer(() => ({ status: 200, body: 'ok' }))
    await page.locator('tbody tr').first().click()
    await page.getByRole('button', { name: 'Change secret or header' }).click()
    await page.getByLabel('New signing secret').fill(NEW)
    await takePictures(office, 'webhook-secret')
    await page.getByRole('button', { name: 'Change it' }).click()
    await page.getByText('The old secret keeps signing alongside the new one for a day.').waitFor()

    await page.locator('tbody tr').first().click()
    await page.getByRole('link', { name: 'Its deliveries' }).click()
    await page.locator('tbody tr').first().click()
    await page.getByRole('button', { name: 'Send again' }).click()
    await page.getByText('Answered 200').waitFor()
    await takePictures(office, 'webhook-replayed')
    const replayed = receiver.requests.at(-1)
    assert.ok(replayed !== undefined)
    const headers = Object.fromEntries(
      Object.entries(replayed.headers).map(([name, value]) => [name, String(value)]),
    )
    for (const secret of [NEW, OLD]) new Webhook(secret).verify(replayed.body, headers)
    assert.deepEqual(office.complaints, [])
  },
  { role: 'developer', env: RETRIES },
)
