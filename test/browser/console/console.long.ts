import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { BrowserContext, Page } from 'playwright-core'
import { DESKTOP, expectCount, PHONE, setStage, type Stage } from '../../harness/browser.ts'
import type { TestBursar } from '../../harness/bursar.ts'
import { ERP, PAY, sampleOrder, sampleStudent } from '../../harness/samples.ts'
import { expectSound, expectSoundAndKeep } from '../support.ts'

/** What a page may not do: ask another host, break its own policy, fail. */
type Watch = { hosts: Set<string>; complaints: string[] }

async function openPage(context: BrowserContext): Promise<{ page: Page; watch: Watch }> {
  const page = await context.newPage()
  const watch: Watch = { hosts: new Set(), complaints: [] }
  page.on('request', request => {
    const { host, protocol } = new URL(request.url())
    if (protocol.startsWith('http')) watch.hosts.add(host)
  })
  page.on('console', message => {
    if (message.type() === 'error' && !/status of 40[13]/.test(message.text()))
      watch.complaints.push(message.text())
  })
  page.on('pageerror', error => watch.complaints.push(String(error)))
  return { page, watch }
}

/** Money of some days, so that there is something to look at. */
async function fill({ demo }: TestBursar): Promise<void> {
  for (const [no, amount] of [45_000, 123_456.5, 8_000, 96_250].entries()) {
    const { body } = await demo.post(
      `${PAY}/orders`,
      sampleOrder({ details: [{ component_type: 'TUITION_FEE', amount }] }),
    )
    await demo.post(`/api/v1/sandbox/pay/orders/${body.data.order_id}/pay`, { outcome: 'success' })
    if (no < 3) await demo.post('/api/v1/sandbox/clock', { advance: 'P2D' })
  }
  await demo.post(`${ERP}/users/parent-1/students`, {
    student: sampleStudent(),
    fee_components: [
      {
        component_type: 'TUITION_FEE',
        fee_amount: 60_000,
        discounts: [{ discount_type: 'SIBLING', value: 5_000 }],
      },
    ],
  })
}

async function enterAsDemo(page: Page, { bursar }: Stage, name = 'Bursar of Demo School'): Promise<void> {
  await page.goto(`${bursar.url}/console`)
  await page.getByRole('button', { name }).click()
  await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor()
}

test('the console in a browser', async t => {
  const stage = await setStage(t)
  if (stage === null) return
  const { browser, bursar } = stage
  await fill(bursar)
  for (const flow of [signsInAndShowsHome, changesTheTeam, workedByKeyboard, protectsTheAccount]) {
    const context = await browser.newContext({ viewport: DESKTOP, reducedMotion: 'reduce' })
    context.setDefaultTimeout(10_000)
    await flow(t, stage, context)
    await context.close()
  }
  await fitsAPhone(t, stage)
  await asksToSignIn(t, stage)

  async function fitsAPhone(owner: TestContext, at: Stage): Promise<void> {
    await owner.test('every page fits a phone', async () => {
      const phone = await browser.newContext({ viewport: PHONE, reducedMotion: 'reduce' })
      const { page, watch } = await openPage(phone)
      await page.goto(`${bursar.url}/console/sign-in`)
      await page.getByRole('button', { name: 'Operator' }).waitFor()
      await expectSoundAndKeep(page, 'console-sign-in-phone')
      await enterAsDemo(page, at)
      await page.locator('.chart rect').last().waitFor()
      await expectSoundAndKeep(page, 'console-home-phone')
      await page.getByRole('button', { name: 'Open the navigation' }).click()
      await page.getByRole('link', { name: 'Settings' }).click()
      await page.getByRole('link', { name: 'Team' }).click()
      await page.getByRole('heading', { name: 'Members' }).waitFor()
      await expectSoundAndKeep(page, 'console-team-phone')
      assert.deepEqual(watch.complaints, [])
      await phone.close()
    })
  }
})

async function signsInAndShowsHome(t: TestContext, stage: Stage, context: BrowserContext): Promise<void> {
  await t.test(
    'one click signs in, and Home says what came in, what is due and what went wrong',
    async () => {
      const { page, watch } = await openPage(context)
      await page.goto(`${stage.bursar.url}/console`)
      await page.getByRole('button', { name: 'Operator' }).waitFor()
      await expectSoundAndKeep(page, 'console-sign-in')
      await page.getByRole('button', { name: 'Bursar of Demo School' }).click()
      await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor()
      assert.equal(await page.locator('.mode-sandbox').innerText(), 'SANDBOX')
      await expectCount(page.getByRole('navigation', { name: 'Main' }).getByRole('link'), 9)
      const stat = (label: string) =>
        page.locator('.stat', { hasText: label }).locator('.stat-value').innerText()
      assert.equal(await stat('Collected today'), '₹96,250.00')
      assert.equal(await stat('Left to pay, all years'), '₹55,000.00')
      await page.locator('.chart rect').last().waitFor()
      assert.match((await page.locator('.chart').first().textContent()) ?? '', /₹[\d.]+ L/)
      await page.mouse.move(0, 0)
      await page.mouse.move(0, 0)
      await expectSoundAndKeep(page, 'console-home')
      await page.locator('.stat', { hasText: 'Left to pay, all years' }).click()
      await page.waitForURL(/\/i\/demo-school\/students\?owing=yes&status=active$/)
      assert.deepEqual(watch.complaints, [])
      assert.deepEqual([...watch.hosts], [new URL(stage.bursar.url).host])
      await page.close()
    },
  )
}

async function changesTheTeam(t: TestContext, stage: Stage, context: BrowserContext): Promise<void> {
  await t.test(
    'a colleague is invited, joins by the link in the mail, and is removed with a reason',
    async () => {
      const { page, watch } = await openPage(context)
      await enterAsDemo(page, stage)
      await page.goto(`${stage.bursar.url}/console/i/demo-school/settings/team`)
      await page.getByRole('button', { name: 'Invite a colleague' }).click()
      await page.getByLabel('E-mail address').fill('meera@school.example')
      await page.getByLabel('Role').selectOption('finance')
      await expectSound(page, 'invite')
      await page.getByRole('button', { name: 'Send the invitation' }).click()
      await page.getByText('An e-mail is on its way to meera@school.example').waitFor()

      await stage.bursar.demo.post('/api/v1/sandbox/clock', { advance: 'PT0S' })
      const mailbox = await stage.bursar.demo.get('/api/v1/sandbox/mailbox?to=meera@school.example')
      const link = /http\S+\/console\/join\/\S+/.exec(mailbox.body.data[0].text)?.[0] ?? ''
      const other = await stage.browser.newContext({ viewport: DESKTOP, reducedMotion: 'reduce' })
      const guest = await openPage(other)
      await guest.page.goto(link)
      await guest.page.getByLabel('Your name').fill('Meera Iyer')
      await guest.page.getByRole('textbox', { name: 'Password' }).fill('short')
      await guest.page.getByRole('button', { name: 'Join Demo School' }).click()
      await guest.page.getByText('Needs at least 12 characters').waitFor()
      await expectSoundAndKeep(guest.page, 'console-join')
      await guest.page.getByRole('textbox', { name: 'Password' }).fill('nine paper lanterns')
      await guest.page.getByRole('button', { name: 'Join Demo School' }).click()
      await guest.page.getByRole('heading', { name: 'Home', level: 1 }).waitFor()
      await guest.page.goto(`${stage.bursar.url}/console/i/demo-school/settings/team`)
      await guest.page.getByRole('heading', { name: 'Members' }).waitFor()
      assert.equal(await guest.page.getByRole('button', { name: 'Remove' }).count(), 0)

      await page.reload()
      const row = page.getByRole('row', { name: /Meera Iyer/ })
      await row.waitFor()
      await expectSoundAndKeep(page, 'console-team')
      await row.getByRole('button', { name: 'Remove' }).click()
      const dialogue = page.getByRole('dialog')
      await dialogue.getByRole('button', { name: 'Remove', exact: true }).click()
      await dialogue.getByText('Enter a reason').waitFor()
      await expectSoundAndKeep(page, 'console-remove')
      await dialogue.getByLabel('Reason').fill('Left the school')
      await dialogue.getByRole('button', { name: 'Remove', exact: true }).click()
      await page.getByText('Meera Iyer has been removed').waitFor()
      await guest.page.reload()
      await guest.page.getByText('Page not found').waitFor()
      assert.deepEqual(watch.complaints, [])
      await other.close()
      await page.close()
    },
  )
}

async function workedByKeyboard(t: TestContext, stage: Stage, context: BrowserContext): Promise<void> {
  await t.test(
    'the audit log is read by the keyboard, filtered in the address and exported as shown',
    async () => {
      const { page, watch } = await openPage(context)
      await enterAsDemo(page, stage)
      await page.goto(`${stage.bursar.url}/console/i/demo-school/settings/audit`)
      const rows = page.locator('tbody tr')
      await rows.first().waitFor()
      await rows.first().focus()
      await page.keyboard.press('ArrowDown')
      assert.equal(await rows.nth(1).evaluate(row => row === document.activeElement), true)
      await page.keyboard.press('ArrowUp')
      await page.keyboard.press('Enter')
      await page.getByRole('dialog').getByText('Left the school').waitFor()
      await expectSoundAndKeep(page, 'console-audit-entry')
      await page.keyboard.press('Escape')
      await page.getByRole('dialog').waitFor({ state: 'hidden' })

      await page.getByRole('button', { name: 'Filter', exact: true }).click()
      await page.getByLabel('What', { exact: true }).fill('team.invited')
      await page.keyboard.press('Enter')
      await page.waitForURL(/what=team\.invited/)
      await page.getByRole('button', { name: 'Remove the filter What: team.invited' }).waitFor()
      await page.getByText('1 entry', { exact: true }).waitFor()
      await expectCount(rows, 1)
      await expectSoundAndKeep(page, 'console-audit')
      await page.getByRole('button', { name: 'Export', exact: true }).click()
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('menuitem', { name: /^CSV/ }).click(),
      ])
      assert.match(download.suggestedFilename(), /^audit-log-[\d-]+\.csv$/)
      await page.keyboard.press('Escape')
      await page.getByRole('button', { name: /Remove the filter/ }).click()
      await page.waitForURL(url => !url.search.includes('what'))
      assert.deepEqual(watch.complaints, [])
      await page.close()
    },
  )
}

async function protectsTheAccount(t: TestContext, stage: Stage, context: BrowserContext): Promise<void> {
  await t.test('the account page sets up an app and shows where one is signed in', async () => {
    const { page, watch } = await openPage(context)
    await enterAsDemo(page, stage)
    await page.goto(`${stage.bursar.url}/console/account`)
    await page.getByRole('heading', { name: 'Authenticator app' }).waitFor()
    await page.getByText('This session').waitFor()
    await page.getByRole('button', { name: 'Set up an app' }).click()
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByAltText('QR code for the authenticator app').waitFor()
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
    await expectSoundAndKeep(page, 'console-account')
    await page.getByLabel('Code').fill('000000')
    await page.getByRole('button', { name: 'Confirm' }).click()
    await page.getByText("Is not the app's code of this moment").waitFor()
    const bad = watch.complaints.filter(text => !/status of 400/.test(text))
    assert.deepEqual(bad, [])
    await page.close()
  })
}

async function asksToSignIn(t: TestContext, stage: Stage): Promise<void> {
  await t.test(
    'a visitor who is not signed in is asked to, and comes back to where they wanted to be',
    async () => {
      const context = await stage.browser.newContext({ viewport: DESKTOP, reducedMotion: 'reduce' })
      const { page, watch } = await openPage(context)
      await page.goto(`${stage.bursar.url}/console/i/demo-group/settings/team?x=1`)
      await page.getByRole('button', { name: 'Bursar of Demo Group' }).click()
      await page.waitForURL(/\/console\/i\/demo-group\/settings\/team\?x=1$/)
      await page.getByRole('heading', { name: 'Members' }).waitFor()
      await page.getByRole('button', { name: /account of/ }).click()
      await page.getByRole('menuitem', { name: 'Sign out' }).click()
      await page.getByRole('heading', { name: 'Sign in' }).waitFor()
      await page.goto(`${stage.bursar.url}/console/sign-in?next=//evil.example`)
      await page.getByRole('button', { name: 'Bursar of Demo Group' }).click()
      await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor()
      assert.equal(new URL(page.url()).host, new URL(stage.bursar.url).host)
      assert.deepEqual(watch.complaints, [])
      await context.close()
    },
  )
}
