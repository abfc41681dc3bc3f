import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { createPerson, PASSWORD } from '../../console/support.ts'
import { DESKTOP, expectCount, PHONE, setStage, type Stage } from '../../harness/browser.ts'
import { expectSound, expectSoundAndKeep } from '../support.ts'
import { confirm, I, openConsole, type OpenConsole } from './support.ts'

/** Passkeys of a real browser, whose authenticator is a virtual one: it holds keys and says that a finger was there. */
const EMAIL = 'asha@school.example'

/** Browsers have passkeys for a name, and the site is that of PUBLIC_URL with its port. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

test('passkeys in a browser', async t => {
  const port = await freePort()
  const site = `http://localhost:${port}`
  const stage = await setStage(t, { PORT: String(port), PUBLIC_URL: site })
  if (stage === null) return
  const named: Stage = { ...stage, bursar: { ...stage.bursar, url: site } }
  await createPerson(stage.bursar, { email: EMAIL, institute: 'demo-school' })
  const owner = await createPerson(stage.bursar, { email: 'owner@school.example', institute: 'demo-school' })
  const session = await openConsole(named, { cookie: null }, PHONE)
  await addAuthenticator(session.page)

  await t.test('an owner requires a second factor, and is led to set one up at once', () =>
    requires(named, owner.cookie),
  )
  await t.test('who has none is led to set one up before anything else, on a phone too', () =>
    setsUp(session),
  )
  await t.test('the passkey signs in after the password, and in its place', () => signsIn(session))
  await t.test('passkeys are named and removed, never the last one that is required', () => manages(session))
  await t.test('the history shows each way in, and one button signs out everywhere', () => leaves(session))
  await t.test('the operator requires one of everybody', () => operates(named))
  assert.deepEqual(session.complaints, [])
})

async function addAuthenticator(page: Page): Promise<void> {
  const devTools = await page.context().newCDPSession(page)
  await devTools.send('WebAuthn.enable')
  await devTools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
}

async function requires(stage: Stage, cookie: string | null): Promise<void> {
  const { page, go, context } = await openConsole(stage, { cookie })
  await go(`${I}/settings/team`)
  await page.getByText('Optional', { exact: true }).waitFor()
  await expectSoundAndKeep(page, 'console-team-second-factor')
  await page.getByRole('button', { name: 'Require a second factor' }).click()
  await confirm(page, 'Require it', 'The auditor asks for it')
  await page.getByRole('heading', { name: 'Set up a second factor', level: 1 }).waitFor()
  await context.close()
}

async function typePassword(page: Page): Promise<void> {
  await page.getByLabel('E-mail address').fill(EMAIL)
  await page.getByRole('textbox', { name: 'Password' }).fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

async function setsUp({ page, go }: OpenConsole): Promise<void> {
  await go('/sign-in')
  await page.getByRole('button', { name: 'Sign in with a passkey' }).waitFor()
  await expectSoundAndKeep(page, 'console-sign-in-passkey-phone')
  await typePassword(page)
  await page.getByRole('heading', { name: 'Set up a second factor', level: 1 }).waitFor()
  for (const path of [`${I}/orders`, '/account', '/operator']) {
    await go(path)
    await page.getByRole('heading', { name: 'Set up a second factor', level: 1 }).waitFor()
  }
  await page.getByRole('button', { name: 'Add a passkey' }).waitFor()
  const history = page.getByRole('region', { name: 'Your sign-in history' })
  await history.getByText('Password', { exact: true }).waitFor()
  await history.getByRole('button', { name: 'Sign out everywhere' }).waitFor()
  await expectSoundAndKeep(page, 'console-second-factor-phone')
  await page.setViewportSize(DESKTOP)
  const table = history.getByRole('group', { name: 'Sign-in history' })
  assert.ok(await table.evaluate(one => one.scrollWidth <= one.clientWidth), 'all columns are seen')
  await expectSoundAndKeep(page, 'console-second-factor')
  await page.setViewportSize(PHONE)
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  const dialogue = page.getByRole('dialog')
  await dialogue.getByLabel('Name').fill('My phone')
  await dialogue.getByLabel('Your password').fill('not the password')
  await dialogue.getByRole('button', { name: 'Continue' }).click()
  await dialogue.getByText('Is not your present password').waitFor()
  await dialogue.getByLabel('Your password').fill(PASSWORD)
  await expectSoundAndKeep(page, 'console-passkey-dialogue-phone')
  await dialogue.getByRole('button', { name: 'Continue' }).click()
  await page.getByText('Keep these recovery codes').waitFor()
  await expectCount(page.locator('.codes li'), 10)
  await expectSoundAndKeep(page, 'console-second-factor-codes-phone')
  await page.getByRole('button', { name: 'I have kept them' }).click()
  await page.getByRole('heading', { level: 1, name: /Orders|Home|Operator|Your account/ }).waitFor()
}

async function signOut({ page, context, go }: OpenConsole): Promise<void> {
  await context.clearCookies()
  await go('/sign-in')
  await page.getByRole('heading', { name: 'Sign in', level: 1 }).waitFor()
}

async function signsIn(session: OpenConsole): Promise<void> {
  const { page } = session
  await signOut(session)
  await typePassword(page)
  await page.getByRole('button', { name: 'Use your passkey' }).waitFor()
  await page.getByLabel('Recovery code').waitFor()
  await expectSoundAndKeep(page, 'console-sign-in-factor-phone')
  await page.getByRole('button', { name: 'Use your passkey' }).click()
  await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor()
  await signOut(session)
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor()
}

async function manages({ page, go }: OpenConsole): Promise<void> {
  await go('/account')
  const passkeys = page.getByRole('region', { name: 'Passkeys' })
  await passkeys.getByText('My phone').waitFor()
  await expectSoundAndKeep(page, 'console-account-passkeys-phone')
  await passkeys.getByRole('button', { name: 'Rename' }).click()
  await page.getByRole('dialog').getByLabel('Name').fill('Red phone')
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
  await passkeys.getByText('Red phone').waitFor()
  await passkeys.getByRole('button', { name: 'Remove' }).click()
  const dialogue = page.getByRole('dialog')
  await dialogue.getByLabel('Your password').fill(PASSWORD)
  await dialogue.getByRole('button', { name: 'Remove', exact: true }).click()
  await dialogue
    .getByRole('alert')
    .getByText(/Set up another one/)
    .waitFor()
  await expectSound(page, 'the last passkey')
  await page.keyboard.press('Escape')
  // The same device again: the browser says that it has one.
  await passkeys.getByRole('button', { name: 'Add a passkey' }).click()
  await page.getByRole('dialog').getByLabel('Your password').fill(PASSWORD)
  await page.getByRole('dialog').getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('dialog').getByText('This device has a passkey for you already.').waitFor()
  await page.keyboard.press('Escape')
}

async function leaves({ page, go }: OpenConsole): Promise<void> {
  await page.setViewportSize(DESKTOP)
  await go('/account')
  const history = page.getByRole('region', { name: 'Sign-in history' }).first()
  await history.getByText('Password and passkey').waitFor()
  await history.getByText('Passkey', { exact: true }).waitFor()
  await expectSoundAndKeep(page, 'console-account-history')
  await page.getByRole('button', { name: 'Sign out everywhere' }).click()
  await page.getByRole('heading', { name: 'Sign in', level: 1 }).waitFor()
  await go('/account')
  await page.getByRole('heading', { name: 'Sign in', level: 1 }).waitFor()
}

async function operates(stage: Stage): Promise<void> {
  const operator = await createPerson(stage.bursar, { email: 'operator@school.example', operator: true })
  const { page, go, context } = await openConsole(stage, operator)
  await go('/operator/sign-in')
  await page.getByText('As each school decides').waitFor()
  await expectSoundAndKeep(page, 'console-operator-sign-in')
  await page.getByRole('button', { name: 'Require it of everybody' }).click()
  await confirm(page, 'Require it')
  await page.getByRole('heading', { name: 'Set up a second factor', level: 1 }).waitFor()
  await context.close()
}
