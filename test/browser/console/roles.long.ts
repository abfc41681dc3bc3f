import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import type { ConsoleRole } from '../../../src/console/console.rules.ts'
import { must, openFlexSchool, type FlexSchool } from '../../console/flex/support.ts'
import { setMoney } from '../../console/money/support.ts'
import { linksFile, makeOrder, uploadFile } from '../../console/orders/support.ts'
import { API, createPerson, demoVisitor, type Visitor } from '../../console/support.ts'
import { createPage } from '../../payment-pages/support.ts'
import { openBrowser, type Stage } from '../../harness/browser.ts'
import { subscribe, trigger } from '../../webhooks/support.ts'
import { I, memberOf, openConsole, type OpenConsole } from './support.ts'

/** Every page that has actions, once by somebody who may do them and once by somebody who may only look. */
type Case = {
  path: string
  /** What is there for both. */
  there: string | RegExp
  actions: readonly (string | RegExp)[]
  may: ConsoleRole
  mayNot: ConsoleRole
  /** Where actions stand beside the table, or in a menu. */
  open?: (page: Page) => Promise<void>
  /** What is read in the place of the actions. */
  instead?: string
}

const MONEY = { may: 'finance', mayNot: 'developer' } as const
const CODE = { may: 'developer', mayNot: 'finance' } as const
const KEEP = { may: 'owner', mayNot: 'finance' } as const
const RUN = { may: 'operator', mayNot: 'owner', instead: 'For operators only' } as const
const NOT_MAKING = 'For owners and finance'

const firstRow = async (page: Page): Promise<void> => {
  await page.locator('tr.opens').first().click()
  await page.getByRole('dialog').waitFor()
}

const pickFirst = (page: Page): Promise<void> =>
  page
    .getByLabel(/^Select (₹|2)/)
    .first()
    .check()

const menuItem =
  (menu: string, item: RegExp) =>
  async (page: Page): Promise<void> => {
    await page.getByRole('button', { name: menu, exact: true }).click()
    await page.getByRole('menuitem', { name: item }).click()
    await page.getByRole('dialog').getByText('Group:').first().waitFor()
  }

type Ids = { link: string; paid: string; page: string; file: string; student: string; plan: string }

function casesOf(ids: Ids): readonly Case[] {
  const developers = `${I}/developers`
  return [
    { path: `${I}/orders`, there: 'Unpaid', actions: ['New link'], ...MONEY },
    {
      path: `${I}/orders`,
      there: 'Unpaid',
      actions: ['Send the links again', 'Cancel these'],
      open: pickFirst,
      ...MONEY,
    },
    {
      path: `${I}/students`,
      there: 'Kabir Rao',
      actions: ['Payment links', 'Optional fee'],
      open: page => page.getByLabel('Select Kabir Rao').check(),
      ...MONEY,
    },
    {
      path: `${I}/money?view=receipts`,
      there: 'Receipt',
      actions: ['Mail these again'],
      open: pickFirst,
      ...MONEY,
    },
    { path: `${I}/orders/pages`, there: 'Science fair', actions: ['New page'], ...MONEY },
    { path: `${I}/orders/files`, there: 'links.csv', actions: ['Choose a file'], ...MONEY },
    { path: `${I}/orders/new`, there: 'New link', actions: ['Create'], instead: NOT_MAKING, ...MONEY },
    {
      path: `${I}/orders/pages/new`,
      there: 'New payment page',
      actions: ['Create the page'],
      instead: NOT_MAKING,
      ...MONEY,
    },
    {
      path: `${I}/orders/pages/${ids.page}/edit`,
      there: 'Edit payment page',
      actions: ['Save'],
      instead: NOT_MAKING,
      ...MONEY,
    },
    { path: `${I}/orders/${ids.link}`, there: 'What happened', actions: ['Send', 'Cancel'], ...MONEY },
    { path: `${I}/orders/${ids.paid}`, there: 'What happened', actions: ['Refund'], ...MONEY },
    {
      path: `${I}/orders/pages/${ids.page}`,
      there: 'Copy address',
      actions: ['Edit', 'Unpublish'],
      ...MONEY,
    },
    { path: `${I}/orders/files/${ids.file}`, there: 'Rows', actions: ['Create 1 link', 'Discard'], ...MONEY },
    {
      path: `${I}/students/${ids.student}?tab=payments`,
      there: 'CASH-1',
      actions: ['Payment link', 'Record a payment', /^More/, 'Act on the payment CASH-1'],
      ...MONEY,
    },
    {
      path: `${I}/students/${ids.student}`,
      there: 'Dues',
      actions: ['Fetch from the ERP'],
      may: 'developer',
      mayNot: 'viewer',
    },
    {
      path: `${I}/flex/plans/${ids.plan}`,
      there: 'What happened',
      actions: ['Hold', 'Cancel the plan', 'Move instalment 2 to another day'],
      ...MONEY,
    },
    {
      path: `${I}/flex/settings`,
      there: 'Name for parents',
      actions: ['Change the default plan'],
      ...MONEY,
    },
    {
      path: `${I}/money?view=receipts`,
      there: 'Receipt',
      actions: ['Cancel this receipt'],
      open: firstRow,
      ...MONEY,
    },
    {
      path: `${I}/money?view=payments`,
      there: 'Export',
      actions: ['Use these names'],
      open: menuItem('Export', /Tally ledgers/),
      ...MONEY,
    },
    { path: `${developers}/keys`, there: 'Active', actions: ['Create a key'], ...CODE },
    { path: `${developers}/keys`, there: 'Active', actions: ['Rotate', 'Revoke'], open: firstRow, ...CODE },
    { path: `${developers}/webhooks`, there: 'pay.payment.debited', actions: ['Add a webhook'], ...CODE },
    {
      path: `${developers}/webhooks`,
      there: 'pay.payment.debited',
      actions: ['Send a test', 'Change secret or header', 'Recover', 'Disable'],
      open: firstRow,
      ...CODE,
    },
    {
      path: `${developers}/deliveries`,
      there: 'pay.payment.debited',
      actions: ['Send again'],
      open: firstRow,
      ...CODE,
    },
    {
      path: `${developers}/erp`,
      there: 'Asked at',
      actions: ['Change', 'Disconnect', 'Ask the ERP'],
      ...CODE,
    },
    {
      path: `${developers}/sandbox`,
      there: 'Mailbox',
      actions: ['An hour', 'A day', 'A week', 'A month', 'Move', 'Trigger'],
      ...CODE,
    },
    {
      path: `${I}/settings/team`,
      there: 'Members',
      actions: ['Invite a colleague', 'Change role', 'Remove', 'Withdraw'],
      ...KEEP,
    },
    {
      path: `${I}/settings/audit`,
      there: 'Settings',
      actions: ['Export'],
      instead: 'Your role here is finance',
      ...KEEP,
    },
    { path: '/operator/institutes', there: 'Operator', actions: ['Create an institute'], ...RUN },
    {
      path: '/operator/institutes',
      there: 'Operator',
      actions: ['Rename', 'Add a branch'],
      open: firstRow,
      ...RUN,
    },
    { path: '/operator/holidays', there: 'Operator', actions: ['Add a holiday'], ...RUN },
    ...['jobs', 'health', 'providers', 'audit'].map(name => ({
      path: `/operator/${name}`,
      there: 'Operator',
      actions: ['Institutes'],
      ...RUN,
    })),
  ]
}

/** One of everything that has actions. */
async function fill(school: FlexSchool, owner: Visitor): Promise<Ids> {
  const { bursar, plans } = school
  const { demo } = bursar
  const { settled, half } = await setMoney(bursar)
  await subscribe(demo, 'http://127.0.0.1:9/hook')
  await trigger(demo)
  const invitation = { email: 'new@school.example', role: 'viewer' }
  await must(owner.post(`${API}/institutes/demo-school/team/invitations`, invitation))
  const row = 'Parent,9876510000,p@example.in,TUITION_FEE,1000'
  const { body } = await must(uploadFile(owner, linksFile([row])))
  return {
    link: await makeOrder(demo, 'payment_links'),
    paid: settled.orderId,
    page: (await createPage(demo)).id,
    file: body.data.id,
    student: half,
    plan: plans.Kabir,
  }
}

function actionNamed(page: Page, name: string | RegExp): Locator {
  const exact = typeof name === 'string'
  return page.getByRole('button', { name, exact }).or(page.locator('main').getByRole('link', { name, exact }))
}

async function expectOffered(session: OpenConsole, one: Case): Promise<void> {
  const page = await session.go(one.path)
  await page.locator('main').getByText(one.there).first().waitFor()
  await one.open?.(page)
  for (const name of one.actions) await actionNamed(page, name).first().waitFor()
}

async function expectNotOffered(session: OpenConsole, one: Case): Promise<void> {
  const page = await session.go(one.path)
  if (one.instead === undefined) {
    await page.locator('main').getByText(one.there).first().waitFor()
    await one.open?.(page)
  } else await page.locator('main').getByText(one.instead).first().waitFor()
  await page.waitForFunction(() => document.querySelector('.mantine-Loader-root') === null)
  for (const name of one.actions) {
    assert.equal(await actionNamed(page, name).count(), 0, `${one.mayNot} is offered ${String(name)}`)
  }
}

test('each action is offered to those who may, and to nobody else', async t => {
  const browser = await openBrowser(t)
  if (browser === null) return
  const school = await openFlexSchool(t)
  const stage: Stage = { browser, bursar: school.bursar }
  const ids = await fill(school, await demoVisitor(school.bursar.url))
  const sessions: Partial<Record<ConsoleRole, OpenConsole>> = {}
  for (const role of ['owner', 'finance', 'developer', 'viewer'] as const)
    sessions[role] = await openConsole(stage, await memberOf(stage, role))
  const operator = { email: 'operator@house.example', operator: true }
  sessions.operator = await openConsole(stage, await createPerson(stage.bursar, operator))
  const sessionOf = (role: ConsoleRole): OpenConsole => sessions[role] as OpenConsole

  for (const one of casesOf(ids))
    await t.test(
      `${one.path.replace(/_\w+/, '')} ${one.actions.join(', ')}: ${one.may}, not ${one.mayNot}`,
      async () => {
        await expectOffered(sessionOf(one.may), one)
        await expectNotOffered(sessionOf(one.mayNot), one)
      },
    )

  await t.test('another institute’s pages are not found by anyone else', async () => {
    const member = { email: 'stranger@group.example', institute: 'demo-group' }
    const { page, go } = await openConsole(stage, await createPerson(stage.bursar, member))
    const read = casesOf(ids).filter(({ path, instead }) => path.startsWith(I) && instead === undefined)
    for (const path of new Set(read.map(one => one.path))) {
      await go(path)
      await page.locator('main').getByText('Page not found').first().waitFor()
    }
  })
  for (const [role, { complaints }] of Object.entries(sessions)) assert.deepEqual(complaints, [], role)
})
