import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { forgetMoved } from '../../../src/cells/moves.service.ts'
import { moveBack, moveSchool, type MoveOptions } from '../../../src/cells/move/move.service.ts'
import { namesOf, STEPS } from '../../../src/cells/move/move.rules.ts'
import type { Move } from '../../../src/cells/move/moves.store.ts'
import { createInstitute } from '../../../src/institutes/institutes.service.ts'
import { createKey } from '../../../src/institutes/keys.service.ts'
import { Client, DEMO, GROUP, type Answer } from '../../harness/client.ts'
import { startReceiver } from '../../harness/receiver.ts'
import { ERP, PAY, sampleOrder, sampleWebhook } from '../../harness/samples.ts'
import { waitFor } from '../../harness/wait.ts'
import {
  countRows,
  dyingLog,
  expectBooksAgree,
  expectNothingLeftBehind,
  expectPaidOnce,
  homeOf,
  Killed,
  kept,
} from './checks.ts'
import { Load } from './load.ts'
import { startTwoCells } from './two-cells.ts'

const SUNRISE = { key: 'key_test_sunrise', secret: 'secret_test_sunrise' }

const cells = await startTwoCells({ after }, { env: { DEMO: 'on' } })

test('with half a year of history, under load: every answered write is there once, and no other school notices', async t => {
  const { north, south, proxy } = cells
  const { ctx } = south.bursar.app
  const { id } = await homeOf(cells, 'sunrise-school')
  await createInstitute(ctx, {
    code: 'hill-school',
    name: 'Hill School',
    strictCatalogue: false,
    branches: [{ collectorCode: 'HILL', name: 'Hill' }],
  })
  const { keyId, secret } = await createKey(ctx, 'hill-school', { label: 'erp', scopes: ['write'] })
  proxy.routes.set(keyId, south.bursar.url)
  const load = new Load(proxy.url, SUNRISE, 'sunrise')
  const others = [
    new Load(proxy.url, DEMO, 'demo', 1),
    new Load(proxy.url, { key: keyId, secret }, 'hill', 1),
  ]
  await waitFor(async () => load.paid.size > 5 && others.every(({ paid }) => paid.size > 2), 'payments')
  const options = cells.moving('sunrise-school', north, south)
  const lateComer = new Client(north.bursar.url, SUNRISE)
  const late: Promise<Answer>[] = []
  const move = await moveSchool({
    ...options,
    settleMs: 4_000,
    async onSwitch(switched) {
      await options.onSwitch(switched)
      late.push(lateComer.get(`${PAY}/orders`))
    },
  })
  const paidThen = load.paid.size
  await waitFor(async () => load.paid.size > paidThen + 5, 'payments in the new cell')
  await Promise.all([load, ...others].map(one => one.stop()))

  t.diagnostic(
    `${move.figures.rows} rows of ${move.figures.tables} tables copied in ${move.figures.copySeconds} s; paused for ${move.figures.pauseMs} ms (${move.figures.drainMs} until the last rows had arrived, ${move.figures.compareMs} comparing, ${move.figures.switchMs} switching), seen by ${load.refusals.length} requests over ${Math.round(load.pausedMs)} ms`,
  )
  for (const other of others) assert.equal(other.refusals.length, 0)
  assert.ok((move.figures.pauseMs ?? Infinity) < 10_000)
  await expectPaidOnce(south, id, load)
  await expectBooksAgree(south, 'sunrise-school')
  assert.equal(move.figures.differences, 0)
  assert.equal(await countRows(north, id), 0)
  await expectNothingLeftBehind(north)
  assert.doesNotMatch(north.bursar.logText() + south.bursar.logText(), /"level":"(warn|error|fatal)"/)

  // Who still asks the old cell is told to come again, from the first moment on: not how things were before, nor that the
  // school is unknown.
  for (const { status, headers } of await Promise.all([...late, lateComer.get(`${PAY}/orders`)]))
    assert.deepEqual([status, headers.get('retry-after')], [503, '2'])
  const page = await fetch(`${north.bursar.url}/school/sunrise-school`, {
    headers: { accept: 'text/html' },
  })
  assert.equal(page.status, 503)
  assert.equal(page.headers.get('refresh'), '2')
  assert.match(await page.text(), /One moment, please/)
})

test('killed at every one of its steps and run again, it ends: nothing is lost and nothing is doubled', async t => {
  const { from, to, id } = await homeOf(cells, 'demo-school')
  const { proxy } = cells
  const load = new Load(proxy.url, DEMO, 'killed', 2)
  await waitFor(async () => load.paid.size > 2, 'payments')
  const options = { ...cells.moving('demo-school', from, to), leaseWaitMs: 0 }
  const deaths: string[] = []
  let move: Move | null = null
  while (move === null) {
    try {
      move = await moveSchool({ ...options, log: dyingLog(cells.log, deaths) })
    } catch (error) {
      if (!(error instanceof Killed)) throw error
    }
  }
  await load.stop()
  assert.deepEqual(deaths, [...STEPS.map(step => `${step} done`), 'release ended'])
  t.diagnostic(
    `killed ${deaths.length} times; ${load.paid.size} payments, ${load.refusals.length} told to come again`,
  )
  await expectPaidOnce(to, id, load)
  await expectBooksAgree(to, 'demo-school')
  assert.equal(await countRows(from, id), 0)
  await expectNothingLeftBehind(from)
})

test('before the school has left a move goes back: the school stays as it is, and nothing of it is at the other cell', async () => {
  const { from, to, id } = await homeOf(cells, 'demo-group')
  const group = new Client(from.bursar.url, GROUP)
  const options = cells.moving('demo-group', from, to)
  // In its pause, after which the fence would open by itself.
  const dying = dyingLog(
    cells.log,
    STEPS.slice(0, STEPS.indexOf('verify')).map(step => `${step} done`),
  )
  await assert.rejects(moveSchool({ ...options, log: dying }), Killed)
  const refused = await group.post(`${PAY}/orders`, sampleOrder({ collector_code: 'NORTH' }))
  assert.equal(refused.status, 503, refused.text)
  assert.equal(refused.headers.get('retry-after'), '2')
  assert.equal((await group.get(`${PAY}/orders`)).status, 200, 'reads go on')
  assert.ok((await countRows(to, id)) > 0)

  await moveBack(options)
  assert.equal((await group.post(`${PAY}/orders`, sampleOrder({ collector_code: 'NORTH' }))).status, 201)
  assert.equal(await countRows(to, id), 0)
  await expectNothingLeftBehind(from)
  assert.deepEqual(await to.sql('select from moving_schools where school_id = $1', [id]), [])
  await assert.rejects(moveBack(options), /No move of demo-group is under way/)
})

test('a fence that nobody goes on with opens by itself, and what was written then is not lost by a move that goes on', async () => {
  const { from, to, id } = await homeOf(cells, 'demo-group')
  const group = new Client(from.bursar.url, GROUP)
  const options = cells.moving('demo-group', from, to)
  const dying = dyingLog(
    cells.log,
    STEPS.slice(0, STEPS.indexOf('verify')).map(step => `${step} done`),
  )
  await assert.rejects(moveSchool({ ...options, log: dying }), Killed)
  await from.sql(`update moving_schools set fenced_until = now() where school_id = $1`, [id])
  const order = await group.post(`${PAY}/orders`, sampleOrder({ collector_code: 'NORTH' }))
  assert.equal(order.status, 201, order.text)
  await moveSchool(options)
  assert.equal(
    (await new Client(cells.proxy.url, GROUP).get(`${PAY}/orders/${order.body.data.order_id}`)).status,
    200,
  )
})

test('to and fro, people come along: who is known at the new cell works on with that account, and who works elsewhere too keeps theirs', async () => {
  const { from, to, id } = await homeOf(cells, 'demo-group')
  const other = await createInstitute(from.bursar.app.ctx, {
    code: 'lake-school',
    name: 'Lake School',
    strictCatalogue: false,
    branches: [{ collectorCode: 'LAKE', name: 'Lake' }],
  })
  await from.sql(
    `with people as (insert into console_users (id, email, name, password_hash, is_operator) values
       ('staff_new', 'new@example.in', 'New', 'hash', false), ('staff_both', 'both@example.in', 'Both', 'hash', true),
       ('staff_known', 'known@example.in', 'Known', 'old', false) returning id),
     members as (insert into console_memberships (institute_id, user_id, role) select $1, id, 'finance' from people),
     other as (insert into console_memberships (institute_id, user_id, role) values ($2, 'staff_both', 'viewer')),
     codes as (insert into console_recovery_codes (user_id, code_hash) select id, '\\x01' from people),
     sessions as (insert into console_sessions (id, secret_hash, user_id, csrf, ip, agent) select 'sess_' || id, id::bytea, id, 'csrf', 'ip', 'agent' from people),
     views as (insert into console_views (institute_id, id, user_id, list, name, filters) values ($1, 'view_1', 'staff_known', 'orders', 'Mine', '')),
     tokens as (insert into personal_tokens (institute_id, id, user_id, name, scopes, secret_hash, expires_at)
       values ($1, 'tok_1', 'staff_known', 'Laptop', '{}', '\\x01', now() + interval '1 day'))
     insert into approvals (institute_id, id, act, about, subject, title, amount_paise, request, reason, maker_id, maker_email, made_at, expires_at)
     values ($1, 'apr_1', 'refund', 'order', 'order', 'Refund', 100, '{}', 'why', 'staff_known', 'known@example.in', now(), now() + interval '7 days')`,
    [id, other.id],
  )
  await to.sql(
    `insert into console_users (id, email, name, password_hash) values ('staff_here', 'known@example.in', 'Known', 'own')`,
  )
  const before = [await kept(from), await kept(to)]
  const there = await moveSchool(cells.moving('demo-group', from, to))

  const members = await to.sql<{
    user: string
    operator: boolean
    password: string
    codes: number
    sessions: number
  }>(
    `select u.id as user, u.is_operator as operator, u.password_hash as password,
       (select count(*)::int from console_recovery_codes c where c.user_id = u.id) as codes,
       (select count(*)::int from console_sessions s where s.user_id = u.id) as sessions
     from console_memberships m join console_users u on u.id = m.user_id
     where m.institute_id = $1 and u.id like 'staff%' and u.password_hash is not null order by 1`,
    [id],
  )
  assert.deepEqual(members, [
    // A copy, without the rights of an operator and without the sessions of the other.
    { user: 'staff_both', operator: false, password: 'hash', codes: 1, sessions: 0 },
    { user: 'staff_here', operator: false, password: 'own', codes: 0, sessions: 0 },
    { user: 'staff_new', operator: false, password: 'hash', codes: 1, sessions: 1 },
  ])
  const names = await to.sql(
    `select maker_id as maker, (select user_id from console_views where institute_id = $1) as viewer,
       (select user_id from personal_tokens where institute_id = $1) as holder from approvals where institute_id = $1`,
    [id],
  )
  assert.deepEqual(
    names,
    [{ maker: 'staff_here', viewer: 'staff_here', holder: 'staff_here' }],
    'who asked for an approval cannot give it under another id',
  )
  const stayed = await from.sql<{ id: string }>(
    `select id from console_users where id in ('staff_new', 'staff_both', 'staff_known') order by id`,
  )
  assert.deepEqual(stayed, [{ id: 'staff_both' }])

  const back = await moveSchool(cells.moving('demo-group', to, from))
  const returned = await from.sql<{ user: string }>(
    `select user_id as user from console_memberships where institute_id = $1 and user_id in ('staff_new', 'staff_both', 'staff_here') order by 1`,
    [id],
  )
  assert.deepEqual(returned, [{ user: 'staff_both' }, { user: 'staff_here' }, { user: 'staff_new' }])
  assert.equal(await countRows(to, id), 0)

  // Old rows are kept for their time, of each move apart, and then deleted.
  const added = async (): Promise<string[]> =>
    [...(await kept(from)), ...(await kept(to))].filter(name => !before.flat().includes(name))
  assert.deepEqual((await added()).toSorted(), [there, back].map(move => namesOf(move.id).schema).toSorted())
  const cellNamed = (name: string): MoveOptions['target'] =>
    cells.moving('', from, name === to.name ? to : from).target
  assert.deepEqual(await forgetMoved(cells.log, cellNamed, ({ keptUntil }) => keptUntil! < new Date()), [])
  await forgetMoved(cells.log, cellNamed, move => [there.id, back.id].includes(move.id))
  assert.deepEqual(await added(), [])
  assert.equal((await new Client(cells.proxy.url, GROUP).get(`${PAY}/orders`)).status, 200)
})

test('a delivery and a payment that were under way at the pause are finished at the new cell, once', async t => {
  const { from, to, id } = await homeOf(cells, 'demo-group')
  const { proxy } = cells
  const group = new Client(proxy.url, GROUP)
  const receiver = await startReceiver(t)
  const { promise: held, resolve: letGo } = Promise.withResolvers<void>()
  receiver.answer(async (_request, n) => {
    if (n === 1) await held
    return { status: 200 }
  })
  const hook = await group.post(
    `${ERP}/webhooks`,
    sampleWebhook({ url: receiver.url, collector_code: 'NORTH' }),
  )
  assert.ok(hook.status < 300, hook.text)
  const order = async (): Promise<string> =>
    (await group.post(`${PAY}/orders`, sampleOrder({ collector_code: 'NORTH' }))).body.data.order_id
  const [paid, pending] = [await order(), await order()]
  await group.post(`/api/v1/sandbox/pay/orders/${paid}/pay`, { outcome: 'success' })
  const begun = await group.post(`/api/v1/sandbox/pay/orders/${pending}/pay`, { outcome: 'pending' })
  await receiver.waitForRequests(1)

  await moveSchool(cells.moving('demo-group', from, to))
  letGo()
  // As when the lease of a worker that died has run out.
  await to.sql(
    `update webhook_queue set claimed_until = now() - interval '1 second' where institute_id = $1 and claim is not null`,
    [id],
  )
  const captured = await group.post(`/api/v1/sandbox/payments/${begun.body.data.payment_id}/capture`)
  assert.equal(captured.status, 200, captured.text)

  const states = (): Promise<{ order: string; state: string; deliveries: number }[]> =>
    to.sql(
      `select e.resource_id as order, min(d.state) as state, count(*)::int as deliveries from webhook_deliveries d
       join events e on e.institute_id = d.institute_id and e.id = d.event_id where d.institute_id = $1 group by 1 order by 1`,
      [id],
    )
  const done = [paid, pending].toSorted().map(order => ({ order, state: 'delivered', deliveries: 1 }))
  await waitFor(async () => JSON.stringify(await states()) === JSON.stringify(done), 'both deliveries')
  assert.deepEqual(new Set(receiver.requests.map(({ headers }) => headers['webhook-id'])).size, 2)
  await expectBooksAgree(to, 'demo-group')
})
