import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PAY, sampleOrder } from '../../harness/samples.ts'
import {
  assertRefused,
  assertStatus,
  createLink,
  createOrder,
  openContract,
  withoutRequestId,
} from '../../http/support.ts'

const contract = await openContract()
const { demo, group, sql } = contract
const LINKS = `${PAY}/payment_links`
const LATER = '2099-01-31T18:30:00+05:30'

async function pay(id: string): Promise<void> {
  assertStatus(await demo.post(`/api/v1/sandbox/pay/orders/${id}/pay`, { outcome: 'success' }), 200)
}

async function expire(id: string): Promise<void> {
  await sql(`update orders set expires_at = '2026-01-01T00:00:00Z' where id = $1`, [id])
}

async function read(id: string) {
  const answer = await demo.get(`${LINKS}/${id}`)
  assertStatus(answer, 200)
  return answer.body.data
}

test('Create Payment Link answers 201 with exactly order_id and redirect_url', async () => {
  const answer = await demo.post(LINKS, sampleOrder())
  assertStatus(answer, 201)
  assert.deepEqual(Object.keys(answer.body).sort(), ['data', 'status'])
  assert.deepEqual(Object.keys(answer.body.data).sort(), ['order_id', 'redirect_url'])
  assert.match(answer.body.data.order_id, /^order_/)
  assert.ok(answer.body.data.redirect_url.startsWith(`${contract.url}/`))
})

for (const name of ['name', 'phone', 'email', 'details']) {
  test(`Create Payment Link without ${name} is 400 and names it`, async () => {
    assertRefused(await demo.post(LINKS, sampleOrder({ [name]: undefined })), 'HUE00000', name)
  })
}

test("a link's amount of 0 is 400", async () => {
  const details = [{ component_type: 'A', amount: 0 }]
  assertRefused(await demo.post(LINKS, sampleOrder({ details })), 'HUE00000', 'details.0.amount')
})

test('the read view of a link without options has exactly the constant keys, expires_at not among them', async () => {
  const id = await createLink(demo)
  assert.deepEqual(await read(id), {
    id,
    kind: 'link',
    collector_code: 'MAIN',
    name: 'Asha Rao',
    phone: '+91 98765 43210',
    email: 'asha@example.in',
    new_admission: false,
    status: 'unpaid',
    details: [{ component_type: 'TUITION_FEE', amount: 45000 }],
    notes: [],
  })
})

test('every optional field of a link is in its read view as sent', async () => {
  const options = {
    identifier: 'ADM-1042',
    student_name: 'Kabir Rao',
    grade: '5',
    stream: 'Arts',
    academic_year_start: 2026,
    academic_year_end: 2027,
    new_admission: true,
    date_of_birth: '2015-06-20',
    custom_identifier: 'C-9',
    notes: [{ key: 'a', value: 'b' }],
  }
  const id = await createLink(demo, { ...options, callback_url: 'https://erp.example.in/' })
  assert.deepEqual(await read(id), {
    id,
    kind: 'link',
    collector_code: 'MAIN',
    name: 'Asha Rao',
    phone: '+91 98765 43210',
    email: 'asha@example.in',
    ...options,
    status: 'unpaid',
    details: [{ component_type: 'TUITION_FEE', amount: 45000 }],
  })
})

test('expires_at of a link is shown in UTC', async () => {
  assert.equal(
    (await read(await createLink(demo, { expires_at: LATER }))).expires_at,
    '2099-01-31T13:00:00.000Z',
  )
})

test('an expires_at in the past is 400', async () => {
  const answer = await demo.post(LINKS, sampleOrder({ expires_at: '2026-01-01T00:00:00Z' }))
  assertRefused(answer, 'HUE00000', 'expires_at')
})

test('an expires_at is in the future by the sandbox clock, not by the real one', async () => {
  const { now } = (await demo.post('/api/v1/sandbox/clock', { advance: 'P1D' })).body.data
  const passed = new Date(Date.parse(now) - 3_600_000).toISOString()
  assert.ok(Date.parse(passed) > Date.now())
  assertRefused(await demo.post(LINKS, sampleOrder({ expires_at: passed })), 'HUE00000', 'expires_at')
})

test('a paid link shows status paid, transaction_id and paid_at', async () => {
  const id = await createLink(demo, { expires_at: LATER })
  await pay(id)
  const link = await read(id)
  const [payment] = await sql<{ at: Date; transaction: string }>(
    'select captured_at as at, transaction_id as transaction from payments where order_id = $1',
    [id],
  )
  assert.deepEqual(
    [link.status, link.transaction_id, link.paid_at, link.expires_at],
    ['paid', payment?.transaction, payment?.at.toISOString(), '2099-01-31T13:00:00.000Z'],
  )
})

test('a paid link stays paid after its expires_at', async () => {
  const id = await createLink(demo, { expires_at: LATER })
  await pay(id)
  await expire(id)
  assert.equal((await read(id)).status, 'paid')
})

test('settlement data stands on settled lines of a link', async () => {
  const id = await createLink(demo)
  await pay(id)
  await sql(
    `update order_lines set settlement_utr = 'U9', settled_at = '2026-11-16T00:00:00Z' where order_id = $1`,
    [id],
  )
  assert.deepEqual((await read(id)).details, [
    {
      component_type: 'TUITION_FEE',
      amount: 45000,
      settlement_utr: 'U9',
      settled_at: '2026-11-16T00:00:00.000Z',
    },
  ])
})

test('a link is expired from the moment its expires_at passes, before anything has written so', async () => {
  const id = await createLink(demo, { expires_at: LATER })
  await expire(id)
  assert.equal((await read(id)).status, 'expired')
})

test('a link expires when the sandbox clock passes its expires_at', async () => {
  const { now } = (await demo.get('/api/v1/sandbox/clock')).body.data
  const id = await createLink(demo, { expires_at: new Date(Date.parse(now) + 3_600_000).toISOString() })
  assert.equal((await read(id)).status, 'unpaid')
  assertStatus(await demo.post('/api/v1/sandbox/clock', { advance: 'PT1H' }), 200)
  assert.equal((await read(id)).status, 'expired')
})

test('DELETE of an unpaid link answers 200 and it reads cancelled, otherwise unchanged', async () => {
  const id = await createLink(demo, { expires_at: LATER, notes: [{ key: 'a', value: 'b' }] })
  const before = await read(id)
  const answer = await demo.delete(`${LINKS}/${id}`)
  assertStatus(answer, 200)
  assert.equal(answer.body.status, 'success')
  assert.deepEqual(await read(id), { ...before, status: 'cancelled' })
})

test('a cancelled link stays cancelled after its expires_at', async () => {
  const id = await createLink(demo, { expires_at: LATER })
  assertStatus(await demo.delete(`${LINKS}/${id}`), 200)
  await sql(`update orders set expires_at = '2026-01-01T00:00:00Z' where id = $1`, [id])
  assert.equal((await read(id)).status, 'cancelled')
})

test('DELETE of a cancelled link is 409', async () => {
  const id = await createLink(demo)
  assertStatus(await demo.delete(`${LINKS}/${id}`), 200)
  assertRefused(await demo.delete(`${LINKS}/${id}`), 'HUE00002')
})

test('DELETE of a paid link is 409 and leaves it paid', async () => {
  const id = await createLink(demo)
  await pay(id)
  assertRefused(await demo.delete(`${LINKS}/${id}`), 'HUE00002')
  assert.equal((await read(id)).status, 'paid')
})

test('DELETE of an expired link is 409 and leaves it expired', async () => {
  const id = await createLink(demo, { expires_at: LATER })
  await expire(id)
  assertRefused(await demo.delete(`${LINKS}/${id}`), 'HUE00002')
  assert.equal((await read(id)).status, 'expired')
})

test('of two cancellations at once one is done and one is 409', async () => {
  const id = await createLink(demo)
  const answers = await Promise.all([demo.delete(`${LINKS}/${id}`), demo.delete(`${LINKS}/${id}`)])
  assert.deepEqual(answers.map(answer => `${answer.status}`).sort(), ['200', '409'])
})

test("a pay order's id is 404 on the link routes and stays untouched", async () => {
  const id = await createOrder(demo)
  assertRefused(await demo.get(`${LINKS}/${id}`), 'HUE00001')
  assertRefused(await demo.delete(`${LINKS}/${id}`), 'HUE00001')
  assert.equal((await demo.get(`${PAY}/orders/${id}`)).body.data.closed_at, undefined)
})

test('an unknown link id is 404 on reading and on cancelling', async () => {
  assertRefused(await demo.get(`${LINKS}/order_unknown`), 'HUE00001')
  assertRefused(await demo.delete(`${LINKS}/order_unknown`), 'HUE00001')
})

test("another institute's link is answered exactly as one that does not exist", async () => {
  const id = await createLink(demo)
  const theirs = withoutRequestId(await group.get(`${LINKS}/${id}`))
  assert.deepEqual(theirs, withoutRequestId(await group.get(`${LINKS}/order_unknown`)))
  const cancelling = withoutRequestId(await group.delete(`${LINKS}/${id}`))
  assert.deepEqual(cancelling, withoutRequestId(await group.delete(`${LINKS}/order_unknown`)))
  assert.equal((await read(id)).status, 'unpaid')
})

test('with several branches a link needs a known collector_code', async () => {
  assertRefused(await group.post(LINKS, sampleOrder()), 'HUE00000', 'collector_code')
  assertRefused(
    await group.post(LINKS, sampleOrder({ collector_code: 'MAIN' })),
    'HUE00000',
    'collector_code',
  )
  assertStatus(await group.post(LINKS, sampleOrder({ collector_code: 'NORTH' })), 201)
})
