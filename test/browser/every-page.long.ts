import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { printedCodeUrl } from '../../src/dues/printed-code.service.ts'
import { addDays, dayOf } from '../../src/platform/calendar.ts'
import { axeViolations, isTooWide, keep, PHONE, setParentStage } from '../harness/browser.ts'
import type { TestBursar } from '../harness/bursar.ts'
import type { Json } from '../harness/client.ts'
import { ERP, PAY } from '../harness/samples.ts'
import { createPage } from '../payment-pages/support.ts'
import { entranceFor, newFamily, ROOMY_YEAR } from '../portal/parents-support.ts'
import { createLink } from './support.ts'

const SANDBOX = '/api/v1/sandbox'
const FLEX = '/api/v1/integrations/flex'
const CRED = '/api/v1/integrations/cred'
/** Where families' pages stand. */
const OURS = /^\/(parents|pay|p|school|flex|cred|login-redirect)(\/|$)|\/offline\/|^\/$/
/** 320 pixels are what a page must fit; half a phone is what twice the size leaves of it. */
const WIDTHS = [320, 195]

async function must(answering: Promise<{ status: number; text: string; body: Json }>): Promise<Json> {
  const { status, text, body } = await answering
  assert.ok(status < 300, text)
  return body.data
}

const of = (studentId: string, rest = ''): string => `/parents/students/${studentId}${rest}`
const at = (orderId: string): string => `/pay/demo-school/${orderId}`

type School = { params: Record<string, string>; pages: Record<string, string[]>; entrance: string }

/** A school with one of everything that a family can come to see. */
async function openSchool(bursar: TestBursar): Promise<School> {
  const { demo, app } = bursar
  const day = (days: number): string => addDays(dayOf(app.ctx.clock.now()), days)
  await bursar.sql(
    `update institutes set has_parent_sign_in = true, has_poster = true where code = 'demo-school'`,
  )
  const late = { kind: 'slab', slabs: [{ from_day: 1, amount: 250 }] }
  const rules = [
    { component_type: 'TUITION_FEE', due_date: day(-30), ...late },
    { component_type: 'TRANSPORT_FEE', due_date: day(60), kind: 'none' },
  ]
  await must(demo.send('PUT', `${ERP}/payment-rules`, { late_fees: rules }))
  const names = ['Kabir Rao', 'Anaya Rao', 'Ishaan Rao', 'Meera Rao', 'Zoya Rao']
  const { user, students } = await newFamily(demo, {
    students: names.map(fullname => ({ fullname, ...ROOMY_YEAR })),
  })
  const [child = '', bounced = '', lent = '', pending = '', paid = ''] = students
  await must(demo.post(`${PAY}/students/${child}/virtual_account`, {}))
  const duesOrder = async (id: string): Promise<string> =>
    (await must(demo.post(`${PAY}/students/${id}/orders`, {}))).order_id
  const pay = (id: string, outcome: string): Promise<Json> =>
    must(demo.post(`${SANDBOX}/pay/orders/${id}/pay`, { outcome }))
  const orders = {
    open: await duesOrder(child),
    waiting: await duesOrder(pending),
    paid: await duesOrder(paid),
  }
  await pay(orders.waiting, 'pending')
  await pay(orders.paid, 'success')
  const [failed, expired, cancelled] = [
    await createLink(bursar),
    await createLink(bursar, {
      expires_at: new Date(app.ctx.clock.now().getTime() + 3_600_000).toISOString(),
    }),
    await createLink(bursar),
  ]
  await pay(failed.id, 'failure')
  await must(demo.delete(`${PAY}/payment_links/${cancelled.id}`))
  const { plan_id: draft } = await must(demo.post(`${FLEX}/students/${child}/plans`, {}))
  const rows = [{ due_date: day(14), details: [{ component_type: 'TUITION_FEE', amount: 54_000 }] }]
  const rest = { due_date: day(44), details: [{ component_type: 'TRANSPORT_FEE', amount: 12_000.5 }] }
  const { plan_id: planId } = await must(
    demo.post(`${FLEX}/students/${bounced}/plans`, { payment_schedule: [...rows, rest] }),
  )
  await must(demo.post(`${SANDBOX}/flex/plans/${planId}/authorise`, { rail: 'enach' }))
  const { application_id: loan } = await must(
    demo.post(`${CRED}/students/${lent}/applications`, { amount: 20_000 }),
  )
  const instalment = async (): Promise<Json> =>
    (await must(demo.get(`${FLEX}/plans/${planId}`))).payment_schedule[0]
  for (let left = 40; left > 0 && (await instalment()).status !== 'presented'; left--)
    await must(demo.post(`${SANDBOX}/clock`, { advance: 'PT12H' }))
  const { id } = await instalment()
  await must(demo.post(`${SANDBOX}/flex/instalments/${id}/outcome`, { outcome: 'bounced', code: '06' }))
  for (let left = 20; left > 0 && (await instalment()).status === 'presented'; left--)
    await must(demo.post(`${SANDBOX}/clock`, { advance: 'PT6H' }))
  const made = await createPage(demo)
  const school = '/school/demo-school'
  return {
    entrance: await entranceFor(demo, user),
    params: {
      service_student_id: child,
      student: child,
      institute: 'demo-school',
      institute_code: 'demo-school',
      order_id: orders.paid,
      plan_id: planId,
      application_id: loan,
      payment: orders.paid,
      year: String(ROOMY_YEAR.academic_year_start),
    },
    pages: {
      '/': ['/'],
      '/login-redirect': ['/login-redirect?access_token=used'],
      '/brand/:institute_code/offline/:language': ['en', 'hi', 'kn', 'ta'].map(
        language => `/brand/demo-school/offline/${language}`,
      ),
      '/school/:institute': [school],
      '/school/:institute/code': [`${school}/code`],
      '/school/:institute/pay': ['', '?lang=hi', '?lang=kn', '?lang=ta', '?lang=en'].map(
        rest => `${school}/pay${rest}`,
      ),
      '/school/:institute/pay/start': [`${school}/pay/start`],
      '/school/:institute/fees/:code': [
        new URL(printedCodeUrl(app.ctx, { code: 'demo-school' }, child)).pathname,
      ],
      '/parents': [
        '/parents',
        '/parents?lang=hi',
        '/parents?lang=kn',
        '/parents?lang=ta',
        '/parents?lang=en',
      ],
      '/parents/pay': ['/parents/pay', '/parents/pay?fee='],
      '/parents/history': ['/parents/history'],
      '/parents/students/:service_student_id': [
        ...students.map(one => of(one)),
        ...['ta', 'kn', 'hi', 'en'].map(lang => of(child, `?lang=${lang}`)),
        of(paid, `?paid=${orders.paid}`),
        of('student_nobody'),
      ],
      '/parents/students/:service_student_id/choose': [of(child, '/choose')],
      '/parents/students/:service_student_id/plan': [child, bounced, paid].map(one => of(one, '/plan')),
      ...Object.fromEntries(
        ['hold', 'cancel'].map(act => [
          `/parents/students/:service_student_id/plan/${act}`,
          [of(bounced, `/plan/${act}`)],
        ]),
      ),
      '/parents/students/:service_student_id/cred': [child, lent].map(one => of(one, '/cred')),
      '/parents/students/:service_student_id/cred/withdraw': [of(lent, '/cred/withdraw')],
      '/pay/:institute/:order_id': [
        ...[orders.open, orders.paid].map(at),
        // It does not come anew by itself while somebody looks at it.
        `${at(orders.waiting)}?still=1`,
        ...[failed, expired, cancelled].map(({ url }) => new URL(url).pathname),
        at('order_nobody'),
      ],
      '/p/:institute/:slug': [new URL(made.url).pathname],
      '/flex/:institute/:plan_id': [draft, planId].map(one => `/flex/demo-school/${one}`),
      '/cred/:institute/:application_id': [`/cred/demo-school/${loan}`],
    },
  }
}

/** What is wrong with a page as it stands, by day and by night, and where it is wider than a phone. */
async function problemsOf(page: Page, address: string): Promise<string[]> {
  const problems = await axeViolations(page)
  for (const width of [PHONE.width, ...WIDTHS]) {
    await page.setViewportSize({ width, height: PHONE.height })
    if (await isTooWide(page)) problems.push(`scrolls sideways at ${width} pixels`)
  }
  await page.setViewportSize(PHONE)
  return problems.map(problem => `${address}: ${problem}`)
}

test('every page of families is sound by day and by night, in each state, and fits a phone at twice its size', async t => {
  const stage = await setParentStage(t)
  if (stage === null) return
  const { bursar, open } = stage
  const { params, pages, entrance } = await openSchool(bursar)
  const routes = bursar.app.pages.filter(({ method, url }) => method === 'GET' && OURS.test(url))
  assert.ok(routes.length > 30)
  assert.deepEqual(
    Object.keys(pages).filter(url => routes.every(route => route.url !== url)),
    [],
  )
  const problems: string[] = []
  const [family, stranger] = [await open(), await open()]
  await family.goto(bursar.url + entrance)
  const codePage = '/school/demo-school/code'
  await stranger.goto(`${bursar.url}/school/demo-school`)
  await stranger.getByRole('textbox').fill('asha@example.in')
  await stranger.getByRole('button').first().click()
  await stranger.waitForURL(bursar.url + codePage)
  for (const { url } of routes) {
    const addresses = pages[url]
    if (addresses === undefined) {
      // Leads on, or is a file: what else is a page stands in the list.
      const address = url.replaceAll(/:(\w+)/g, (_, name: string) => params[name] ?? name)
      const answer = await family.request.get(bursar.url + address, { maxRedirects: 0 })
      const kind = answer.headers()['content-type'] ?? ''
      const isPage = answer.status() < 300 && kind.startsWith('text/html')
      assert.equal(isPage, false, `${url} is a page that nobody has looked at: ${address}`)
      continue
    }
    const page = /^\/(school|login-redirect)/.test(url) ? stranger : family
    for (const address of addresses) {
      await page.goto(bursar.url + address)
      problems.push(...(await problemsOf(page, address)))
      await keep(page, `every-page${address.replaceAll(/\W+/g, '-')}`)
    }
  }
  assert.deepEqual(problems, [])
  for (const one of [family, stranger]) await one.context().close()
})
