import assert from 'node:assert/strict'
import { test } from 'node:test'
import { run } from '../cli/command-line.ts'
import { API, createPerson, Visitor as Browser } from '../console/support.ts'
import { TEST_MASTER_KEY } from '../harness/bursar.ts'
import { Client, DEMO } from '../harness/client.ts'
import { ERP, PAY, sampleOrder, sampleStudent } from '../harness/samples.ts'
import { Visitor } from '../harness/visitor.ts'
import { waitFor } from '../harness/wait.ts'
import { entranceFor } from '../portal/parents-support.ts'
import { WITHOUT_HAPROXY } from './proxy.ts'
import { KEYS, keyOf, SCHOOL, startService } from './service.ts'

test('two cells behind one address', { skip: WITHOUT_HAPROXY }, async t => {
  const service = await startService(t)
  const { proxy, school, north, south } = service
  const demo = new Client(proxy.url, DEMO)

  await t.test(
    'an order is made and paid in the cell of its key, from the API to the bank and back',
    async () => {
      for (const [client, cell] of [
        [demo, north],
        [school, south],
      ] as const) {
        const { status, text, body } = await client.post(`${PAY}/orders`, sampleOrder())
        assert.equal(status, 201, text)
        const { order_id: id, redirect_url: link } = body.data
        assert.equal((await cell.sql('select 1 from orders where id = $1', [id])).length, 1)
        const payer = new Visitor(proxy.url)
        assert.equal((await payer.open(link)).status, 200)
        const atBank = await payer.post(`${new URL(link).pathname}/start`, { mode: 'upi' })
        assert.match(atBank.location ?? '', /\/sandbox\/bank\/\d+\//, atBank.text)
        const back = await payer.post(atBank.location ?? '', { outcome: 'success' })
        assert.equal((await payer.open(back.location ?? '')).status, 200)
        assert.equal((await client.get(`${PAY}/orders/${id}`)).body.data.status, 'paid')
      }
    },
  )

  await t.test('a parent enters, and stays, in the cell of the school', async () => {
    for (const client of [demo, school]) {
      const student = sampleStudent({ fullname: 'Ravi Rao' })
      const made = await client.post(`${ERP}/users/parent-1/students`, { student })
      assert.equal(made.status, 201, made.text)
      const parent = new Visitor(proxy.url)
      assert.match((await parent.open(await entranceFor(client, 'parent-1'))).text, /Ravi Rao/)
      const page = `/parents/students/${made.body.data.service_student_id}`
      assert.match((await parent.get(page)).text, /Ravi Rao/)
      assert.equal(
        (await parent.post('/parents/sign-out', { csrf: await parent.csrf('/parents') })).status,
        200,
      )
    }
  })

  await t.test('what nobody has is answered as by one installation', async () => {
    const nobody = new Client(proxy.url, { key: 'key_test_nobody', secret: 'x' })
    const { status, body, headers } = await nobody.get(`${PAY}/orders`)
    assert.deepEqual([status, body.code], [401, 'AUE00000'])
    assert.match(headers.get('www-authenticate') ?? '', /Basic/)
    assert.equal((await new Visitor(proxy.url).get('/pay/nobody/order_1')).status, 404)
    assert.equal((await new Visitor(proxy.url).get('/parents')).status, 403)
  })

  await t.test('people sign in to the cell of their school, and to two cells in one browser', async () => {
    const owner = await createPerson(
      { ...south, url: proxy.url },
      { email: 'owner@green-park.example', institute: SCHOOL },
    )
    const operator = await createPerson(
      { ...north, url: proxy.url },
      { email: 'op@north.example', operator: true },
    )
    const browser = new Browser(proxy.url)
    browser.cookie = `${owner.cookie}; ${operator.cookie}`
    const whoAt = async (at: string): Promise<string> =>
      (await browser.get(`${API}/session`, { 'bursar-at': at })).body.data.person?.email
    assert.equal(await whoAt(SCHOOL), 'owner@green-park.example')
    assert.equal(await whoAt('@south'), 'owner@green-park.example')
    assert.equal(await whoAt('demo-school'), 'op@north.example')
    assert.equal((await browser.get(`${API}/institutes/${SCHOOL}/home`)).status, 200)
    assert.equal((await browser.get(`${API}/institutes/demo-school/home`)).status, 200)
    const seen = await browser.get(`${API}/operator/cells`, { 'bursar-at': '@north' })
    assert.deepEqual(
      seen.body.data.map(({ name, state }: { name: string; state: string }) => `${name} ${state}`),
      ['north open', 'south open'],
    )
    const signedOut = await owner.send('DELETE', `${API}/session`)
    assert.equal(signedOut.status, 200, signedOut.text)
    assert.equal(await whoAt('demo-school'), 'op@north.example')
    assert.equal(await whoAt(SCHOOL), undefined)
    const again = new Browser(proxy.url, { 'bursar-at': SCHOOL })
    assert.equal((await again.signIn('owner@green-park.example')).status, 200)
    assert.equal((await again.get(`/console/i/${SCHOOL}`)).status, 200)
    // Their password is of that cell alone.
    const lost = await new Browser(proxy.url, { 'bursar-at': '@north' }).signIn('owner@green-park.example')
    assert.equal(lost.status, 401)
  })

  await t.test('a key and an account made in a cell are routed after the next look', async () => {
    const { watch } = service
    await watch.look()
    await watch.look()
    assert.equal(await watch.look(), null)
    const fresh = await keyOf(service, proxy)
    assert.equal((await fresh.get(`${PAY}/orders`)).status, 401)
    const owner = new Browser(proxy.url, { 'bursar-at': SCHOOL })
    await owner.signIn('owner@green-park.example')
    const added = await owner.post(`${API}/institutes/${SCHOOL}/provider-accounts`, {
      provider: 'razorpay',
      title: 'Razorpay',
      methods: ['upi', 'card', 'netbanking'],
      rails: [],
      settings: [
        { field: 'key_id', value: KEYS.keyId },
        { field: 'key_secret', value: KEYS.keySecret },
        { field: 'webhook_secret', value: KEYS.webhookSecret },
      ],
    })
    assert.equal(added.status, 201, added.text)
    const callback = `/callbacks/razorpay/${added.body.data.id}`
    const post = (): Promise<Response> => fetch(`${proxy.url}${callback}`, { method: 'POST', body: '{}' })
    assert.equal((await post()).status, 404)
    const { sync, results } = (await watch.look()) ?? assert.fail('nothing was found')
    assert.equal(sync.changes.routes.length, 2)
    assert.deepEqual(
      results.map(({ changed, problem }) => ({ changed, problem })),
      [{ changed: 2, problem: null }],
    )
    assert.equal((await fresh.get(`${PAY}/orders`)).status, 200)
    // Known there: what is wrong now is its signature.
    assert.equal((await post()).status, 400)
  })

  await t.test('a proxy that is started again has its routes from the files', async () => {
    await proxy.stop()
    await proxy.start()
    await waitFor(async () => (await school.get(`${PAY}/orders`)).status === 200, 'the second cell')
    assert.equal((await demo.get(`${PAY}/orders`)).status, 200)
  })

  await t.test(
    'while the directory’s cell is away the other one works, and its own schools are told to wait',
    async () => {
      await north.app.stop()
      await waitFor(async () => (await demo.get(`${PAY}/orders`)).status === 503, 'the first cell to be away')
      const refused = await demo.get(`${PAY}/orders`)
      assert.deepEqual([refused.body.code, refused.headers.get('retry-after')], ['SYE00001', '5'])
      const page = await new Visitor(proxy.url).get('/school/demo-school')
      assert.equal(page.status, 503)
      assert.match(page.text, /Nothing is lost/)
      assert.equal((await school.post(`${PAY}/orders`, sampleOrder())).status, 201)
      const nobody = new Client(proxy.url, { key: 'key_test_nobody', secret: 'x' })
      await waitFor(
        async () => (await nobody.get(`${PAY}/orders`)).status === 401,
        'an answer from the other cell',
      )
      await assert.rejects(service.watch.look())
      assert.equal((await school.get(`${PAY}/orders`)).status, 200)
    },
  )

  await t.test(
    'while the directory’s PostgreSQL is away, status names it and says which cells the proxy reaches, and what changes the directory says so',
    async () => {
      const env = {
        MASTER_KEY: TEST_MASTER_KEY,
        DEMO: 'off',
        DATABASE_URL: 'postgres://bursar@127.0.0.1:1/north',
        CELL_PROXIES: proxy.socket,
      }
      const status = await run(env, 'cells', 'status')
      assert.equal(status.code, 1)
      assert.match(status.err, /The cell that keeps the directory is away\. .*ECONNREFUSED/)
      assert.match(status.out, /^north +away *\nsouth +answers *$/m)
      for (const change of [
        ['place', 'blue-park', '--name', 'Blue Park'],
        ['move', SCHOOL, '--to', 'north'],
        ['drain', 'south'],
      ]) {
        const refused = await run(env, 'cells', ...change)
        assert.equal(refused.code, 1)
        assert.match(refused.err, /proxies go on with the maps.*\bplace, move\b.*nothing was changed/s)
      }
      assert.equal((await school.post(`${PAY}/orders`, sampleOrder())).status, 201)
    },
  )
})
