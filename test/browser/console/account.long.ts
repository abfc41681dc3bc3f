import assert from 'node:assert/strict'
import { test } from 'node:test'
import { generateSync } from 'otplib'
import type { Page } from 'playwright-core'
import { createPerson, PASSWORD, Visitor } from '../../console/support.ts'
import { expectCount, PHONE, setStage, type Stage } from '../../harness/browser.ts'
import { expectSound, expectSoundAndKeep } from '../support.ts'
import { openConsole, type OpenConsole } from './support.ts'

/** How people get in, and what they do with their own account. */
const EMAIL = 'asha@school.example'
const NEW_PASSWORD = 'eight paper boats'

test('the account in a browser', async t => {
  const stage = await setStage(t)
  if (stage === null) return
  const owner = await createPerson(stage.bursar, { email: EMAIL, institute: 'demo-school' })
  const session = await openConsole(stage, owner)
  let codes: string[] = []
  await t.test('a name and a password are changed; a wrong password changes nothing', () =>
    changesNameAndPassword(session),
  )
  await t.test('an app is set up, its code and each recovery code sign in once', async () => {
    codes = await setsUpAnApp(stage, session)
  })
  await t.test('recovery codes are renewed and codes switched off, both for the password alone', () =>
    switchesOff(session, codes),
  )
  await t.test('sessions elsewhere are seen and ended, one or all', () => endsSessions(stage, session))
  await t.test(
    'a person who forgot the password gets a link by mail; an address that is unknown reads the same',
    () => forgets(stage),
  )
  await t.test('after some wrong passwords one has to wait, and the page says so', () => waits(stage))
  assert.deepEqual(session.complaints, [])
})

async function changesNameAndPassword({ go }: OpenConsole): Promise<void> {
  const page = await go('/account')
  await page.getByLabel('Name').fill('Asha R. Rao')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Your name has been changed.').waitFor()
  const fields = { present: page.getByLabel('Present password'), next: page.getByLabel('New password') }
  await fields.present.fill('not the password')
  await fields.next.fill(NEW_PASSWORD)
  await page.getByRole('button', { name: 'Change the password' }).click()
  await page.getByText('Is not your present password').waitFor()
  await expectSound(page, 'refused password')
  await fields.present.fill(PASSWORD)
  await page.getByRole('button', { name: 'Change the password' }).click()
  await page.getByText('Your password has been changed.').waitFor()
}

async function prove(page: Page, verb: string, password = NEW_PASSWORD): Promise<void> {
  const dialogue = page.getByRole('dialog')
  await dialogue.getByLabel('Your password').fill(password)
  await dialogue.getByRole('button', { name: verb, exact: true }).click()
}

async function signIn(page: Page, code?: string): Promise<void> {
  if (code === undefined) {
    await page.getByLabel('E-mail address').fill(EMAIL)
    await page.getByRole('textbox', { name: 'Password' }).fill(NEW_PASSWORD)
  } else await page.getByLabel('Code').fill(code)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

async function setsUpAnApp(stage: Stage, { go, page }: OpenConsole): Promise<string[]> {
  await go('/account')
  await page.getByRole('button', { name: 'Set up an app' }).click()
  await prove(page, 'Continue')
  const secret = (await page.locator('p .mono').last().innerText()).trim()
  const codeOf = (steps: number): string =>
    generateSync({ secret, epoch: Math.floor(Date.now() / 1_000) + steps * 30 })
  await page.getByLabel('Code').fill(codeOf(-1))
  await page.getByRole('button', { name: 'Confirm' }).click()
  await page.getByText('Keep these recovery codes').waitFor()
  const codes = await page.locator('.codes li').allInnerTexts()
  assert.equal(codes.length, 10)
  await page.evaluate(() => window.scrollTo(0, 0))
  await expectSoundAndKeep(page, 'console-account-codes')
  await page.getByRole('button', { name: 'I have kept them' }).click()
  await page.getByText('10 recovery codes are left').waitFor()

  const other = await openConsole(stage, { cookie: null })
  await other.go('/sign-in')
  await signIn(other.page)
  await other.page.getByText('Six digits from your authenticator app, or a recovery code.').waitFor()
  await expectSoundAndKeep(other.page, 'console-sign-in-code')
  await signIn(other.page, '000000')
  await other.page.getByRole('alert').waitFor()
  await signIn(other.page, codes[0])
  await other.page.getByRole('heading', { name: 'Home', level: 1 }).waitFor()
  await other.context.close()

  const again = await openConsole(stage, { cookie: null })
  await again.go('/sign-in')
  await signIn(again.page)
  await signIn(again.page, codes[0])
  await again.page.getByRole('alert').waitFor()
  await signIn(again.page, codeOf(0))
  await again.page.getByRole('heading', { name: 'Home', level: 1 }).waitFor()
  await again.context.close()
  return codes
}

async function switchesOff({ go, page }: OpenConsole, before: readonly string[]): Promise<void> {
  await go('/account')
  await page.getByText('9 recovery codes are left').waitFor()
  await page.getByRole('button', { name: 'New recovery codes' }).click()
  await prove(page, 'Generate new codes', 'not the password')
  await page.getByRole('dialog').getByText('Is not your present password').waitFor()
  await prove(page, 'Generate new codes')
  await page.getByText('Keep these recovery codes').waitFor()
  const fresh = await page.locator('.codes li').allInnerTexts()
  assert.ok(fresh.every(code => !before.includes(code)))
  await page.getByRole('button', { name: 'I have kept them' }).click()
  await page.getByRole('button', { name: 'Switch off' }).click()
  await prove(page, 'Switch off')
  await page.getByText('Sign-in codes are no longer required.').waitFor()
  await page.getByRole('button', { name: 'Set up an app' }).waitFor()
}

async function endsSessions({ bursar }: Stage, { go, page }: OpenConsole): Promise<void> {
  const others = [new Visitor(bursar.url), new Visitor(bursar.url), new Visitor(bursar.url)]
  for (const visitor of others) assert.equal((await visitor.signIn(EMAIL, NEW_PASSWORD)).status, 200)
  await go('/account')
  const ends = page.getByRole('button', { name: 'End', exact: true })
  await ends.first().waitFor()
  const there = await ends.count()
  assert.ok(there >= 3, 'the three are listed')
  await ends.first().click()
  await page.getByText('The session has ended.').waitFor()
  await expectCount(ends, there - 1)
  await page.getByRole('button', { name: 'Sign out all other sessions' }).click()
  await page.getByText(/sessions have ended/).waitFor()
  await expectCount(ends, 0)
  for (const visitor of others)
    assert.equal((await visitor.get('/console/api/account')).status, 401, 'it has ended')
  await page.setViewportSize(PHONE)
  await page.evaluate(() => window.scrollTo(0, 0))
  await expectSoundAndKeep(page, 'console-account-phone')
}

async function forgets(stage: Stage): Promise<void> {
  const { page, go, context } = await openConsole(stage, { cookie: null })
  for (const email of ['nobody@school.example', EMAIL]) {
    await go('/forgot')
    await page.getByLabel('E-mail address').fill(email)
    await page.getByRole('button', { name: 'E-mail me a link' }).click()
    await page.getByText(`If ${email} has an account, a mail is on its way.`).waitFor()
  }
  await expectSoundAndKeep(page, 'console-forgot')
  const { demo } = stage.bursar
  await demo.post('/api/v1/sandbox/clock', { advance: 'PT0S' })
  assert.equal((await demo.get('/api/v1/sandbox/mailbox?to=nobody@school.example')).body.data.length, 0)
  const [mail] = (await demo.get(`/api/v1/sandbox/mailbox?to=${EMAIL}`)).body.data
  const link = /http\S+\/console\/join\/\S+/.exec(mail.text)?.[0] ?? ''
  await page.goto(link)
  await page.getByRole('textbox', { name: 'Password' }).fill('nine small lamps')
  await page.getByRole('button', { name: 'Set the password' }).click()
  await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor()
  await context.close()
}

async function waits(stage: Stage): Promise<void> {
  const { page, go, context } = await openConsole(stage, { cookie: null })
  const email = 'guessed@school.example'
  for (let tries = 0; tries < 5; tries++) await new Visitor(stage.bursar.url).signIn(email, 'a wild guess')
  await go('/sign-in')
  await page.getByLabel('E-mail address').fill(email)
  await page.getByRole('textbox', { name: 'Password' }).fill('another wild guess')
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page
    .getByRole('alert')
    .getByText(/wait|again in/i)
    .waitFor()
  await expectSoundAndKeep(page, 'console-sign-in-wait')
  await context.close()
}
