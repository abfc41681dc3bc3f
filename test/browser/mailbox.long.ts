import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { DESKTOP, expectCount, PHONE, setStage } from '../harness/browser.ts'
import { advance, queue } from '../messages/support.ts'
import { expectSoundAndKeep, expectWords } from './support.ts'

const LETTER = `Three attempts in a row to deliver events to your webhook have failed.

Webhook: wh_1k092c8gpz8wezh4es8gqprf85
Event: pay_order.payment.debited
Last answer: HTTP 500

See the deliveries: https://pay.example.in/console/deliveries?webhook=wh_1&status=retrying.
(Or ask http://127.0.0.1:8080/docs)`

const HOSTILE = `<script>document.title = 'owned'</script> javascript:alert(1) data:text/html,x
https://evil.example/"><img src=x onerror=alert(1)>`

test('the mailbox page', { concurrency: true }, async t => {
  const stage = await setStage(t)
  if (stage === null) return
  const { bursar, browser } = stage
  const url = `${bursar.url}/sandbox/mailbox`
  const context = await browser.newContext()
  t.after(() => context.close())

  await t.test('an empty one says what fills it', async () => {
    const page = await context.newPage()
    await page.setViewportSize(PHONE)
    await page.goto(url)
    await expectWords(page, /Nothing here yet/, /webhook keeps failing/)
    await expectSoundAndKeep(page, 'mailbox-empty')
  })

  await queue(
    bursar,
    { recipient: 'it@demo.example', subject: 'First of all', body: 'The oldest.' },
    {
      channel: 'sms',
      recipient: '9876543210',
      subject: undefined,
      body: 'Fee of Rs 5,000 is due on 5 Dec.\nDemo School',
    },
    { recipient: 'it@group.example', subject: 'To Demo Group', institute: 'demo-group' },
    { recipient: 'hostile@demo.example', subject: '<b>Hostile</b>', body: HOSTILE },
    { recipient: 'it@demo.example', subject: 'Deliveries to your webhook are failing', body: LETTER },
  )
  await advance(bursar)
  await queue(bursar, { recipient: 'gone@demo.example', subject: 'Never arrived' })
  await bursar.sql(
    `update messages set state = 'failed', next_try_at = null, tries = 1, failure = '550 5.1.1 no such user'
     where recipient = 'gone@demo.example'`,
  )
  await showsAll(t)
  await findsOne(t)
  await isHarmless(t)
  await isPaged(t)

  async function showsAll(owner: TestContext): Promise<void> {
    await owner.test('all messages stand there, newest first, and open in place', async () => {
      for (const [name, viewport] of Object.entries({ phone: PHONE, desktop: DESKTOP })) {
        const page = await context.newPage()
        await page.setViewportSize(viewport)
        await page.goto(url)
        const titles = await page.locator('.mail-title').allInnerTexts()
        assert.deepEqual(titles, [
          'Never arrived',
          'Deliveries to your webhook are failing',
          '<b>Hostile</b>',
          'To Demo Group',
          'Fee of Rs 5,000 is due on 5 Dec.',
          'First of all',
        ])
        await expectWords(page, /Failed/, /Not sent: 550 5\.1\.1 no such user/, /SMS to 9876543210/)
        const letter = page.locator('li', { hasText: 'Deliveries to your webhook' })
        assert.equal(await letter.locator('.mail-text').isVisible(), false)
        await letter.locator('summary').click()
        assert.equal(await letter.locator('.mail-text').innerText(), LETTER)
        const links = await letter.locator('a').evaluateAll(all => all.map(each => each.getAttribute('href')))
        assert.deepEqual(links, [
          'https://pay.example.in/console/deliveries?webhook=wh_1&status=retrying',
          'http://127.0.0.1:8080/docs',
        ])
        await expectSoundAndKeep(page, `mailbox-${name}`)
        await page.close()
      }
    })
  }

  async function findsOne(owner: TestContext): Promise<void> {
    await owner.test('a part of an address finds its messages', async () => {
      const page = await context.newPage()
      await page.goto(url)
      await page.getByLabel('Sent to').fill('IT@demo')
      await page.getByRole('button', { name: 'Find' }).click()
      await page.waitForURL(/to=IT/)
      assert.deepEqual(await page.locator('.mail-title').allInnerTexts(), [
        'Deliveries to your webhook are failing',
        'First of all',
      ])
      assert.equal(await page.getByLabel('Sent to').inputValue(), 'IT@demo')
      await page.goto(`${url}?to=%00<nobody>%25`)
      await expectWords(page, /No message to “<nobody>%”/)
      await page.getByRole('link', { name: "Show everybody's messages" }).click()
      await expectCount(page.locator('.mail-title'), 6)
      await page.close()
    })
  }

  async function isHarmless(owner: TestContext): Promise<void> {
    await owner.test('a text is a text: no markup, no script, no link but http and https', async () => {
      const page = await context.newPage()
      await page.goto(`${url}?to=hostile`)
      assert.equal(await page.locator('.mail-text').innerText(), HOSTILE)
      const links = await page
        .locator('.mail-text a')
        .evaluateAll(all => all.map(each => each.getAttribute('href')))
      assert.deepEqual(links, ['https://evil.example/'])
      assert.equal(await page.locator('.mail-text').locator('img, script, b').count(), 0)
      assert.equal(await page.title(), 'Sandbox mailbox')
      await page.close()
    })
  }

  async function isPaged(owner: TestContext): Promise<void> {
    await owner.test('older messages are a page further, and the way back leads to the newest', async () => {
      await queue(
        bursar,
        ...Array.from({ length: 60 }, (_, no) => ({ recipient: 'many@x.in', subject: `No ${no}` })),
      )
      const page = await context.newPage()
      await page.goto(`${url}?to=many`)
      assert.equal(await page.locator('.mail-title').first().innerText(), 'No 59')
      await expectCount(page.locator('.mail-title'), 50)
      await expectWords(page, /Waiting/, /It is sent when the clock reaches/)
      await page.getByRole('link', { name: 'Older messages' }).click()
      await expectCount(page.locator('.mail-title'), 10)
      assert.equal(await page.locator('.mail-title').last().innerText(), 'No 0')
      await page.getByRole('link', { name: 'Back to the newest' }).click()
      assert.equal(await page.locator('.mail-title').first().innerText(), 'No 59')
      await page.close()
    })
  }
})
