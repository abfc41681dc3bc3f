import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { KEYS as CASHFREE } from '../../../emulators/cashfree/books.ts'
import { startCashfree } from '../../../emulators/cashfree/emulator.ts'
import { payOrder } from '../../../emulators/cashfree/orders.ts'
import { startRazorpay } from '../../../emulators/razorpay/emulator.ts'
import { askProxy } from '../../../src/cells/haproxy.client.ts'
import { moveSchool } from '../../../src/cells/move/move.service.ts'
import { STEPS } from '../../../src/cells/move/move.rules.ts'
import { demoVisitor, type Visitor } from '../../console/support.ts'
import { Client, GROUP } from '../../harness/client.ts'
import { PAY, sampleOrder } from '../../harness/samples.ts'
import { prepareProxy, WITHOUT_HAPROXY } from '../proxy.ts'
import { KEYS as RAZORPAY } from '../service.ts'
import { dyingLog, expectBooksAgree, homeOf, Killed } from './checks.ts'
import { joinCells } from './joined.ts'
import { startTwoCells, type TestCell } from './two-cells.ts'

type SignedEvent = { rawBody: Buffer; headers: Record<string, string> }
type Started = { id: string; providerRef: string }

async function addAccount(owner: Visitor, account: object): Promise<string> {
  const { status, text, body } = await owner.post('/console/api/institutes/demo-group/provider-accounts', {
    methods: ['upi', 'card', 'netbanking'],
    rails: [],
    ...account,
  })
  assert.equal(status, 201, text)
  return body.data.id
}

async function startPayment({ bursar: { url }, sql }: TestCell, branch: string): Promise<Started> {
  const order = await new Client(url, GROUP).post(`${PAY}/orders`, sampleOrder({ collector_code: branch }))
  assert.equal(order.status, 201, order.text)
  const { order_id: id } = order.body.data
  const page = await fetch(`${url}/pay/demo-group/${id}/start`, {
    method: 'POST',
    redirect: 'manual',
    headers: { 'content-type': 'application/x-www-form-urlencoded', origin: url },
    body: 'mode=upi',
  })
  const [payment] = await sql<Started>(
    'select id, provider_ref as "providerRef" from payments where order_id = $1',
    [id],
  )
  return payment ?? assert.fail(await page.text())
}

async function deliver(url: string, { rawBody, headers }: SignedEvent, more = {}): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers, ...more },
    body: new Uint8Array(rawBody),
  })
}

test(
  'a signed callback that still comes to the old cell is sent on once, and nothing else is',
  { skip: WITHOUT_HAPROXY },
  async t => {
    const razorpay = await startRazorpay({ keys: RAZORPAY, now: () => new Date() })
    const cashfree = await startCashfree({ now: () => new Date() })
    t.after(() => Promise.all([razorpay.close(), cashfree.close()]))
    const proxy = await prepareProxy(t)
    const cells = await startTwoCells(
      { after },
      {
        env: { RAZORPAY_API_URL: razorpay.url, CASHFREE_API_URL: cashfree.apiUrl, TRUST_PROXY: '127.0.0.1' },
      },
    )
    const { north, south } = cells
    const owner = await demoVisitor(north.bursar.url, 'bursar@demo-group.example')
    const accounts = {
      razorpay: await addAccount(owner, {
        provider: 'razorpay',
        title: 'Razorpay',
        collector_code: 'NORTH',
        settings: [
          { field: 'key_id', value: RAZORPAY.keyId },
          { field: 'key_secret', value: RAZORPAY.keySecret },
          { field: 'webhook_secret', value: RAZORPAY.webhookSecret },
        ],
      }),
      cashfree: await addAccount(owner, {
        provider: 'cashfree',
        title: 'Cashfree',
        collector_code: 'SOUTH',
        settings: [
          { field: 'client_id', value: CASHFREE.clientId },
          { field: 'client_secret', value: CASHFREE.clientSecret },
        ],
      }),
    }
    const started = {
      razorpay: [await startPayment(north, 'NORTH'), await startPayment(north, 'NORTH')],
      cashfree: [await startPayment(north, 'SOUTH'), await startPayment(north, 'SOUTH')],
    }
    const paidAt = {
      razorpay({ providerRef }: Started): SignedEvent {
        const payment = razorpay.pay(providerRef, {})
        return razorpay.event('payment_link.paid', { payment_link: razorpay.links.get(providerRef), payment })
      },
      cashfree({ providerRef }: Started): SignedEvent {
        payOrder(cashfree.books, providerRef)
        return cashfree.books.outbox.at(-1) ?? assert.fail('Cashfree reports nothing')
      },
    }
    const service = await joinCells(t, cells, proxy)
    const stateOf = async ({ id }: Started): Promise<unknown> =>
      (await south.sql('select state from payments where id = $1', [id]))[0]
    const { id: groupId } = await homeOf(cells, 'demo-group')

    await t.test('between the cells a sender is told to come again', async () => {
      const dying = dyingLog(
        cells.log,
        STEPS.slice(0, STEPS.indexOf('leave')).map(step => `${step} done`),
      )
      const options = { ...cells.moving('demo-group', north, south), log: dying }
      await assert.rejects(moveSchool(options), Killed)
      const event = { rawBody: Buffer.from('{}'), headers: {} }
      const answer = await deliver(`${north.bursar.url}/callbacks/razorpay/${accounts.razorpay}`, event)
      assert.deepEqual([answer.status, answer.headers.get('retry-after')], [503, '2'])
    })
    await service.move('demo-group', 'south')

    for (const name of ['razorpay', 'cashfree'] as const)
      await t.test(`of ${name}: straight, and through a proxy with an old map`, async () => {
        const path = `/callbacks/${name}/${accounts[name]}`
        const [first, second] = started[name] as [Started, Started]
        const event = paidAt[name](first)
        const looping = await deliver(`${north.bursar.url}${path}`, event, { 'bursar-forwarded-by': 'west' })
        assert.equal(looping.status, 503, 'it is not sent on a second time')
        const forged = { ...event, rawBody: Buffer.concat([event.rawBody, Buffer.from(' ')]) }
        assert.equal((await deliver(`${north.bursar.url}${path}`, forged)).status, 400)
        assert.deepEqual(await stateOf(first), { state: 'created' })

        const straight = await deliver(`${north.bursar.url}${path}`, event)
        assert.equal(straight.status, 200, await straight.text())
        assert.deepEqual(await stateOf(first), { state: 'captured' })
        assert.equal((await deliver(`${proxy.url}${path}`, event)).status, 200, 'the same again')

        const number = /(\d+) \(.*accounts\.map/.exec(await askProxy(proxy.socket, 'show map'))?.[1]
        await askProxy(proxy.socket, `set map #${number} ${accounts[name]} north`)
        assert.equal((await deliver(`${proxy.url}${path}`, paidAt[name](second))).status, 200)
        assert.deepEqual(await stateOf(second), { state: 'captured' })
      })

    await t.test('what is no callback is told to come again', async () => {
      const api = await new Client(north.bursar.url, GROUP).get(`${PAY}/orders`)
      assert.deepEqual([api.status, api.headers.get('retry-after')], [503, '2'])
      const page = await fetch(`${north.bursar.url}/school/demo-group`)
      assert.equal(page.status, 503)
    })

    await t.test('each is counted once', async () => {
      const receipts = await south.sql(
        `select count(*)::int as count, count(distinct payment_id)::int as payments from receipts
         where institute_id = $1 and payment_id = any ($2)`,
        [groupId, Object.values(started).flatMap(some => some.map(({ id }) => id))],
      )
      assert.deepEqual(receipts, [{ count: 4, payments: 4 }])
      await expectBooksAgree(south, 'demo-group')
    })

    await t.test('while the new cell is away the provider is told to come again', async () => {
      await south.bursar.stop()
      const event = paidAt.razorpay(started.razorpay[0] as Started)
      const answer = await deliver(`${north.bursar.url}/callbacks/razorpay/${accounts.razorpay}`, event)
      assert.deepEqual([answer.status, answer.headers.get('retry-after')], [503, '2'])
    })
  },
)
