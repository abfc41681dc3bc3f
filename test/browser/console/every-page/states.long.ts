import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { BrowserContext, Locator, Page } from 'playwright-core'
import { createPerson } from '../../../console/support.ts'
import { DESKTOP, setStage, type Stage } from '../../../harness/browser.ts'
import { expectSound } from '../../support.ts'
import { DETAILS, I, VIEWS, type View } from '../../states-support.ts'

/** What a page shows when there is nothing yet, while it waits, and when the server does not answer. */
const REFUSED = {
  status: 503,
  contentType: 'application/json',
  body: JSON.stringify({
    status: 'error',
    code: 'SYE00001',
    message: 'The database cannot be reached at the moment.',
    request_id: 'req_0123456789',
  }),
}

type Answering = '503' | 'cut off' | 'as usual'

/** The page with a hand on what it is answered, which is nothing until that is said. */
async function openView(
  context: BrowserContext,
  { bursar }: Stage,
  { path, api }: Pick<View, 'path' | 'api'>,
): Promise<{ page: Page; errors: string[]; answer: (how: Answering) => void }> {
  const page = await context.newPage()
  const errors: string[] = []
  page.on('pageerror', error => errors.push(String(error)))
  let answering: Answering = 'as usual'
  const { promise: isTold, resolve: tell } = Promise.withResolvers<void>()
  await page.route(
    url => url.pathname === `/console/api${api}`,
    async route => {
      await isTold
      if (answering === '503') await route.fulfill(REFUSED)
      else if (answering === 'cut off') await route.abort('connectionreset')
      else await route.continue()
    },
  )
  await page.goto(`${bursar.url}/console${path}`)
  return {
    page,
    errors,
    answer(how) {
      answering = how
      tell()
    },
  }
}

const alertOf = (page: Page): Locator => page.locator('main').getByRole('alert')

async function walksThroughItsStates(context: BrowserContext, stage: Stage, view: View): Promise<void> {
  const { page, errors, answer } = await openView(context, stage, view)
  const { name, loading, empty, next } = view
  const waiting = page.locator('main').getByRole('status').filter({ hasText: loading })
  await waiting.waitFor()
  assert.equal(await waiting.locator('.mantine-Loader-root').isVisible(), true, `${name}: a sign of waiting`)
  await expectSound(page, `${name}, waiting`)

  answer('503')
  const alert = alertOf(page).first()
  await alert.getByText('The database cannot be reached at the moment.').waitFor()
  await alert.getByText('req_0123456789').waitFor()
  assert.equal(await waiting.count(), 0, `${name}: it waits no longer`)
  await expectSound(page, `${name}, refused`)

  answer('cut off')
  await alert.getByRole('button', { name: 'Try again' }).click()
  await alert.getByText('The server cannot be reached. Check your connection.').waitFor()

  answer('as usual')
  await alert.getByRole('button', { name: 'Try again' }).click()
  for (const words of empty) await page.locator('main').getByText(words).first().waitFor()
  if (!DETAILS.includes(view))
    assert.equal(await alertOf(page).count(), 0, `${name}: nothing is wrong any more`)
  if (next !== undefined) {
    const step = page.locator('main').locator('a, button').filter({ hasText: next })
    assert.equal(await step.first().isVisible(), true, `${name}: there is a next step`)
  }
  await page.waitForFunction(() => document.getAnimations().length === 0)
  await expectSound(page, `${name}, empty`)
  assert.deepEqual(errors, [], name)
  await page.close()
}

async function losesTheSession(t: TestContext, context: BrowserContext, { bursar }: Stage): Promise<void> {
  await t.test(
    'when not even the session can be read, the console says so and can be tried again',
    async () => {
      const page = await context.newPage()
      const session = `${bursar.url}/console/api/session`
      const { promise: isAllowed, resolve: allow } = Promise.withResolvers<void>()
      await page.route(session, async route => {
        await isAllowed
        await route.fulfill(REFUSED)
      })
      await page.goto(`${bursar.url}/console${I}/students`)
      await page.getByRole('status').getByText('Loading…').waitFor()
      await expectSound(page, 'waiting for the session')
      allow()
      await page.getByRole('alert').getByText('The database cannot be reached at the moment.').waitFor()
      await expectSound(page, 'no session')
      await page.unroute(session)
      await page.getByRole('button', { name: 'Try again' }).click()
      await page.getByText('No students yet').waitFor()
      await page.close()
    },
  )
}

const isSearch = (url: URL): boolean => url.pathname.endsWith('/search')

async function losesASearch(t: TestContext, context: BrowserContext, { bursar }: Stage): Promise<void> {
  await t.test('a search that fails says so, and finds again', async () => {
    const page = await context.newPage()
    await page.route(isSearch, route => route.abort('connectionreset'))
    await page.goto(`${bursar.url}/console${I}`)
    await page.getByRole('combobox').fill('kabir')
    await page.getByRole('status').getByText('The search did not work. Try again in a moment.').waitFor()
    await expectSound(page, 'search failed')
    await page.unroute(isSearch)
    await page.getByRole('combobox').fill('kabir rao')
    await page.getByText('Nothing matches “kabir rao”.').waitFor()
    await page.close()
  })
}

async function losesTheChoices(t: TestContext, context: BrowserContext, stage: Stage): Promise<void> {
  const places = ['students/fees', 'students/new', 'orders/new', 'orders/pages/new']
  await t.test(
    'a form whose fees and branches could not be loaded says so, and loads them again',
    async () => {
      for (const place of places) {
        const view = { path: `${I}/${place}`, api: '/institutes/demo-school/choices' }
        const { page, answer } = await openView(context, stage, view)
        answer('503')
        await alertOf(page).getByText('The database cannot be reached at the moment.').waitFor()
        answer('as usual')
        await page.getByRole('button', { name: 'Try again' }).click()
        await alertOf(page).waitFor({ state: 'detached' })
        await page.close()
      }
    },
  )
}

test('the console when there is nothing, nothing yet, or no answer', { concurrency: 6 }, async t => {
  const stage = await setStage(t)
  if (stage === null) return
  const { browser, bursar } = stage
  const { cookie } = await createPerson(bursar, {
    email: 'owner@school.example',
    operator: true,
    institute: 'demo-school',
  })
  const context = await browser.newContext({ viewport: DESKTOP, reducedMotion: 'reduce' })
  context.setDefaultTimeout(20_000)
  t.after(() => context.close())
  const [name = '', value = ''] = (cookie ?? '').split('=')
  await context.addCookies([{ name, value, url: bursar.url }])
  await Promise.all([
    ...[...VIEWS, ...DETAILS].map(view =>
      t.test(
        `${view.name}: waiting is announced, a failure is shown and retried, an empty list is explained`,
        () => walksThroughItsStates(context, stage, view),
      ),
    ),
    losesTheSession(t, context, stage),
    losesASearch(t, context, stage),
    losesTheChoices(t, context, stage),
  ])
})
