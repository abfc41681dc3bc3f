import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { I, openConsole } from '../browser/console/support.ts'
import { openFlexSchool } from '../console/flex/support.ts'
import { setMoney } from '../console/money/support.ts'
import { makeOptionalFee } from '../console/students/optional-fee.ts'
import { SCHOOL, STUDENTS } from '../console/students/support.ts'
import { assertAnswer, createPerson, demoVisitor } from '../console/support.ts'
import { DESKTOP, keep, openBrowser } from '../harness/browser.ts'
import { ERP, sampleStudent } from '../harness/samples.ts'
import { createPage } from '../payment-pages/support.ts'
import { subscribe } from '../webhooks/support.ts'

/** As a desk with a small screen shows the console; names are as long as people have them. */
const WEB = new URL('../../web/src/', import.meta.url)
const source = (path: string): string => readFileSync(new URL(path, WEB), 'utf8')

/** Pages below an institute, from the routes themselves, so that a new one is walked to. */
const ROUTES = [...source('routes.tsx').matchAll(/institutePage\(\s*'([^']+)'/g)].map(
  ([, path]) => path ?? '',
)

/** The views of a page, by the key in its address. */
const viewsOf = (page: string): string[] =>
  [...source(`pages/${page}`).matchAll(/\bkey: '([\w-]+)'/g)].map(([, key]) => key ?? '')

/** Pages of things that take an ERP's file, a lender or a run to come about; their tables are those of the pages above them. */
const NOT_MADE = [
  '/students/rollover/$rollover',
  '/students/import/$file',
  '/orders/files/$file',
  '/loans/$loan',
  '/reminders/$run',
]

type PageIds = Record<string, string>

const LONG = { fullname: 'Venkatanarasimha Raju Chintalapati', primary_contact_name: 'Lakshmi Chintalapati' }

/** A school with something in every list. */
async function makeSchool(t: { after(done: () => Promise<void> | void): void }) {
  const school = await openFlexSchool(t)
  const { bursar, plans, day } = school
  const { demo } = bursar
  const { late, settled } = await setMoney(bursar)
  const owner = await demoVisitor(bursar.url)
  const second = { email: 'second@school.example', institute: 'demo-school', role: 'finance' } as const
  const finance = await createPerson(bursar, second)
  const { service_student_id: student } = (
    await demo.post(`${ERP}/users/long/students`, {
      student: sampleStudent({
        ...LONG,
        identifier: 'ADM/2026/00001042',
        section: 'B',
        primary_contact_email: 'lakshmi.chintalapati@example-family.in',
      }),
      fee_components: [{ component_type: 'TUITION_FEE', fee_amount: 1_25_000.5 }],
    })
  ).body.data
  const line = { fee_components: [{ component_type: 'TUITION_FEE', amount: 12_500.5 }], amount: 12_500.5 }
  const { now } = (await demo.get('/api/v1/sandbox/clock')).body.data
  const instrument = { number: '004512', bank: 'State Bank of India', date: now.slice(0, 10) }
  for (const way of [{ mode: 'cash' }, { mode: 'cheque', instrument }])
    assertAnswer(
      await owner.post(`${STUDENTS}/${student}/payments`, { ...line, ...way, paid_at: now }),
      '201',
    )
  const cheque = { number: '004600', bank: 'State Bank of India', date: '2027-12-10', amount: 20_000 }
  const registered = { service_student_id: student, cheques: [cheque] }
  assertAnswer(await owner.post(`${SCHOOL}/counter/post-dated-cheques`, registered), '201')
  const {
    at,
    id: fee,
    options,
  } = await makeOptionalFee(owner, {
    academic_year_start: 2026,
    academic_year_end: 2027,
    kind: 'transport',
    name: 'School bus',
    component_type: 'BUS_FEE',
    rhythm: 'once',
    options: [{ name: 'Route 4', stop: 'Gandhi Chowk', amount: 15_000 }],
  })
  const given = { student_ids: [student], option_id: options[0] }
  assertAnswer(await owner.post(`${at}/children`, given), '200')
  const limit = { above: 100, reason: 'Decided by the management' }
  assertAnswer(await owner.send('PUT', `${SCHOOL}/approval-limit`, limit), '200')
  const concession = { component_type: 'TUITION_FEE', discount_type: 'MERIT', amount: 5_000, reason: 'Merit' }
  assert.ok((await finance.post(`${STUDENTS}/${student}/concessions`, concession)).status < 300)
  await subscribe(demo, 'http://127.0.0.1:9/a-long-address-of-the-erp/hooks/bursar')
  const { id: page } = await createPage(demo, { title: 'Annual sports and science fair' })
  const [{ id: settlement }] = (await owner.get(`${SCHOOL}/money/settlements`)).body.data
  const made: PageIds = { student, order: settled.orderId, page, plan: plans.Asha, day, fee, settlement }
  return { bursar, owner, late, made }
}

/** Names what of a page's buttons is outside the window, behind the edge of a frame, or narrower than its words. */
function outOfSight(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const found: string[] = []
    const buttons = 'button, [role=button], a.mantine-Button-root, .page-tabs a'
    for (const one of document.querySelectorAll(`main :is(${buttons}), header :is(${buttons})`)) {
      const name = `“${(one.getAttribute('aria-label') ?? one.textContent).trim().slice(0, 60)}”`
      const own = one.getBoundingClientRect()
      const isHidden =
        getComputedStyle(one).visibility === 'hidden' || one.closest('.visually-hidden') !== null
      if (isHidden || own.width <= 1 || own.height <= 1) continue
      let [left, right] = [0, document.documentElement.clientWidth]
      for (let frame = one.parentElement; frame !== null; frame = frame.parentElement) {
        if (getComputedStyle(frame).overflowX === 'visible') continue
        const edges = frame.getBoundingClientRect()
        left = Math.max(left, edges.left)
        right = Math.min(right, edges.right)
      }
      if (own.left < left - 1 || own.right > right + 1)
        found.push(
          `${name} stands from ${Math.round(own.left)} to ${Math.round(own.right)} px, and ${Math.round(left)} to ${Math.round(right)} px are seen`,
        )
      const label = one.querySelector('.mantine-Button-label')
      if (label !== null && label.scrollWidth > label.clientWidth + 1)
        found.push(`${name} is narrower than its words`)
    }
    if (document.documentElement.scrollWidth > window.innerWidth) found.push('the page scrolls sideways')
    return found
  })
}

/** The addresses of all pages and views. */
function addressesOf(made: PageIds): string[] {
  return ROUTES.filter(path => !NOT_MADE.includes(path)).flatMap(path => {
    const address = path.replaceAll(/\$(\w+)/g, (_, name: string) => {
      const id = made[name]
      assert.ok(id !== undefined, `${path}: make a ${name}, or say why there is none`)
      return id
    })
    if (path === '/money') return viewsOf('money/money-page.tsx').map(view => `/money?view=${view}`)
    if (path === '/counter') return viewsOf('counter/counter-page.tsx').map(view => `/counter?view=${view}`)
    if (path === '/students/$student')
      return viewsOf('students/student-page.tsx').map(tab => `${address}?tab=${tab}`)
    return [address === '/' ? '' : address]
  })
}

test('no button of the console is cut off or needs a sideways scroll at 1280 px', async t => {
  const browser = await openBrowser(t)
  if (browser === null) return
  const { bursar, owner, late, made } = await makeSchool(t)
  assert.ok(NOT_MADE.every(path => ROUTES.includes(path)))
  const { page, go, complaints } = await openConsole({ browser, bursar }, owner, DESKTOP)
  const settle = async (): Promise<void> => {
    await page.waitForFunction(
      () => document.querySelector('main :is(.mantine-Loader-root, .skeleton)') === null,
    )
    await page.waitForFunction(() => document.getAnimations().length === 0)
  }
  const flaws: string[] = []
  const look = async (name: string): Promise<void> => {
    await settle()
    const found = await outOfSight(page)
    flaws.push(...found.map(flaw => `${name}: ${flaw}`))
    await keep(page, `in-sight-${name.replaceAll(/\W+/g, '-')}`)
  }
  for (const address of [...addressesOf(made), `/students/${late}`]) {
    await go(`${I}${address}`)
    await look(address)
    const all = page.getByLabel(/^Select all \d+ shown$/).first()
    if ((await all.count()) === 0 || !(await all.isVisible())) continue
    await all.check()
    await look(`${address}, with rows picked`)
  }
  await go(`${I}/counter`)
  await page.getByLabel('Family').fill('ADM/2026/00001042')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: /^Everything: / }).waitFor()
  await page.getByRole('button', { name: 'Another way' }).click()
  await look('/counter, a family')
  assert.deepEqual(flaws, [])
  assert.deepEqual(complaints, [])
})
