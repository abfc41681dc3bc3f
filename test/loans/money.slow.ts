import { PATHS } from '../../src/loans/protocol/protocol.client.ts'
import { flawsOf } from '../harness/openapi/example-check.ts'
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { sendToLender } from '../../src/loans/lender-sync.service.ts'
import { getInstitute } from '../../src/institutes/institutes.service.ts'
import { reconcile } from '../../src/payments/reconcile/reconcile.service.ts'
import type { Json } from '../harness/client.ts'
import { ERP } from '../harness/samples.ts'
import { findBroken, findUnfinished } from '../harness/payments.ts'
import { CRED, LoanWorld } from './support.ts'

/** A loan's money is money like any other: it is in the ledger once, has a receipt, is settled, and nothing is lost on the way. */
const world = await LoanWorld.open({ after })
const { bursar, lender, transfers } = world
const { demo, app } = bursar
const institute = await getInstitute(app.ctx, 'demo-school')

async function assertSound(): Promise<void> {
  assert.deepEqual(await findBroken(text => bursar.sql(text)), [])
  assert.deepEqual((await reconcile(app.ctx, institute)).differences, [])
}

async function taken(studentId: string, amount?: number): Promise<string> {
  const id = await world.start(studentId, amount)
  await world.act(id, 'fill', 'approve', 'sign')
  return id
}

async function paymentOf(id: string): Promise<{ id: string; state: string; mode: string; receipts: number }> {
  const [row] = await bursar.sql<{ id: string; state: string; mode: string; receipts: number }>(
    `select p.id, p.state, p.mode, (select count(*)::int from receipts r where r.payment_id = p.id) as receipts
     from cred_pay_outs o join payments p on p.id = o.payment_id where o.application_id = $1 order by o.number desc limit 1`,
    [id],
  )
  return row ?? assert.fail('nothing was paid out')
}

test('a tranche is a payment by mode loan with a receipt, pays the oldest component first, and everything agrees', async () => {
  const studentId = await world.student()
  const id = await taken(studentId)
  await demo.post(`/api/v1/sandbox/loans/${id}/disburse`, { amount: 55_000 })
  const { state, mode, receipts } = await paymentOf(id)
  assert.deepEqual([state, mode, receipts], ['captured', 'loan', 1])
  const { body } = await demo.get(`${ERP}/students/${studentId}/fee`)
  assert.deepEqual(
    body.data.fee_components.map((one: { paid: number }) => one.paid),
    [50_000, 5_000],
  )
  await assertSound()
  await world.advance('P4D')
  const [first] = (await world.read(id)).disbursements
  assert.equal(first.is_disbursed, true)
  const [order] = await bursar.sql<{ utr: string; kind: string }>(
    `select l.settlement_utr as utr, o.kind from cred_pay_outs p join orders o on o.id = p.order_id
     join order_lines l on l.order_id = o.id where p.application_id = $1 limit 1`,
    [id],
  )
  assert.deepEqual(order, { utr: first.settlement_utr, kind: 'loan' })
  await world.act(id, 'disburse')
  await world.advance('P4D')
  assert.equal((await world.read(id)).status, 'disbursed')
  await assertSound()
  assert.deepEqual(await findUnfinished(text => bursar.sql(text)), [])
})

test('what comes after the fees were paid otherwise is an advance on the first component', async () => {
  const studentId = await world.student()
  const id = await taken(studentId)
  const lower = [
    { component_type: 'TUITION_FEE', fee_amount: 20_000 },
    { component_type: 'TRANSPORT_FEE', fee_amount: 0 },
  ]
  await demo.patch(`${ERP}/students/${studentId}/fee`, { fee_components: lower })
  await world.act(id, 'disburse')
  const { outstanding, advance, paid } = await world.summary(studentId)
  assert.deepEqual([outstanding, advance, paid], [0, 40_000, 60_000])
  const { body } = await demo.get(`${ERP}/students/${studentId}/fee`)
  assert.equal(body.data.fee_components[0].advance, 40_000)
  await assertSound()
})

test('a tranche is not a page to pay on', async () => {
  const id = await taken(await world.student())
  await world.act(id, 'disburse')
  const [row] = await bursar.sql<{ order_id: string }>(
    'select order_id from cred_pay_outs where application_id = $1',
    [id],
  )
  assert.equal((await fetch(`${bursar.url}/pay/demo-school/${row?.order_id}`)).status, 404)
  const read = await demo.get(`/api/v1/integrations/pay/orders/${row?.order_id}`)
  assert.deepEqual([read.status, read.body.data.kind], [200, 'loan'])
})

test('a bank that tells twice or nothing changes nothing but the moment', async () => {
  const id = await world.start(await world.student(), 3_000)
  await world.act(id, 'fill', 'approve')
  const tranches = [1_000.93, 1_000.94, 998.13].map(amount => ({ date: '2026-12-01', amount }))
  await world.must(world.post(id, 'sign', { tranches }))
  await world.act(id, 'disburse', 'disburse', 'disburse')
  const stands = (await world.read(id)).disbursements.map((one: Json) => one.status)
  assert.deepEqual(stands, ['received', 'paid_out', 'received'])
  await world.advance('PT2M')
  await world.advance('P5D')
  assert.equal((await world.read(id)).status, 'disbursed')
  assert.equal((await world.told(id)).filter(code => code === 'loan.disbursed').length, 3)
  await assertSound()
})

test('a transfer that comes back leaves the tranche failed, and the lender pays it again', async () => {
  const studentId = await world.student()
  const id = await taken(studentId, 20_000.92)
  await world.act(id, 'disburse')
  const first = await paymentOf(id)
  assert.equal(first.state, 'pending')
  await world.must(demo.post(`/api/v1/sandbox/payments/${first.id}/fail`))
  const [failed] = (await world.read(id)).disbursements
  assert.deepEqual([failed.status, failed.is_disbursed, failed.payment_id], ['failed', false, first.id])
  assert.equal(failed.failure, 'The bank declined the payment.')
  assert.equal((await world.summary(studentId)).outstanding, 60_000)
  await world.act(id, 'disburse')
  const second = await paymentOf(id)
  assert.notEqual(second.id, first.id)
  await world.must(demo.post(`/api/v1/sandbox/payments/${second.id}/capture`))
  await world.settle()
  const { status, disbursements } = await world.read(id)
  assert.deepEqual(
    [status, disbursements.length, disbursements[0].disbursed_amount],
    ['disbursed', 1, 20_000.92],
  )
  assert.equal((await world.told(id)).filter(code => code === 'loan.disbursed').length, 1)
  await assertSound()
})

test('a lender’s transfer on its way is named as such at the counter and where a link is refused', async () => {
  // The sandbox bank leaves what ends in 92 paise pending.
  const studentId = await world.student([{ component_type: 'TUITION_FEE', fee_amount: 20_000.92 }])
  const id = await taken(studentId, 20_000.92)
  await world.act(id, 'disburse')
  const pending = await paymentOf(id)
  assert.equal(pending.state, 'pending')
  const link = await demo.post(`/api/v1/integrations/pay/students/${studentId}/orders`, {})
  assert.equal(link.status, 409, link.text)
  assert.match(
    link.body.message,
    /₹\S+ of these fees is on the way already: a lender’s transfer of ₹\S+, expected by/,
  )
  const cash = await demo.post(`${ERP}/students/${studentId}/payments`, {
    amount: 100,
    paid_at: '2026-11-16',
    fee_components: [{ component_type: 'TUITION_FEE', amount: 100 }],
  })
  assert.match(cash.body.message, /A lender's transfer of .* does not go back by itself/)
  assert.doesNotMatch(cash.body.message, /online payment/)
  await world.must(demo.post(`/api/v1/sandbox/payments/${pending.id}/capture`))
  await world.settle()
  await assertSound()
})

test('dying between the lender’s word and the bank loses nothing, even for longer than payments wait', async () => {
  const studentId = await world.student()
  const id = await taken(studentId)
  const putBack = world.disturb(transfers, 'expect', () => () => Promise.reject(new Error('killed here')))
  const died = await demo.post(`/api/v1/sandbox/loans/${id}/disburse`)
  assert.equal(died.status, 500)
  assert.deepEqual(
    [(await paymentOf(id)).state, (await world.read(id)).disbursements[0].status],
    ['created', 'paid_out'],
  )
  await app.worker.runAllDue().catch(() => {})
  await bursar.sql(
    `update payments set created_at = created_at - interval '1 hour', next_check_at = now() where state = 'created'`,
  )
  await app.worker.runAllDue().catch(() => {})
  assert.equal((await paymentOf(id)).state, 'failed', 'the payments reconciler gave it up')
  assert.equal((await world.read(id)).disbursements[0].status, 'paid_out')
  putBack()
  await world.advance('PT3H')
  assert.equal((await paymentOf(id)).state, 'captured')
  assert.equal((await world.summary(studentId)).outstanding, 0)
  await world.advance('P4D')
  assert.equal((await world.read(id)).status, 'disbursed')
  await assertSound()
})

test('dying while the lender is asked leaves an application that goes on', async () => {
  const id = await world.start(await world.student())
  const key = { instituteId: institute.id, applicationId: id }
  const putBack = world.disturb(lender, 'start', start => async request => {
    await start(request)
    throw new Error('the answer is lost')
  })
  await assert.rejects(sendToLender(app.ctx, key, bursar.url), /does not answer/)
  putBack()
  const [lost] = await bursar.sql(
    'select lender_ref, sent_at is not null as sent from cred_applications where id = $1',
    [id],
  )
  assert.deepEqual(lost, { lender_ref: null, sent: true })
  const page = await sendToLender(app.ctx, key, bursar.url)
  assert.equal(await sendToLender(app.ctx, key, bursar.url), page)
  const [{ count } = { count: 0 }] = await bursar.sql<{ count: number }>(
    'select count(*)::int from lender_loans where application_id = $1',
    [id],
  )
  assert.equal(count, 1)
})

test('a crash while the lender is notified of the end leaves it to the reconciler', async () => {
  const id = await world.start(await world.student())
  await world.act(id, 'fill')
  const putBack = world.disturb(lender, 'end', () => () => Promise.reject(new Error('killed here')))
  assert.equal((await demo.post(`${CRED}/applications/${id}/cancel`)).status, 503)
  assert.equal((await world.read(id)).status, 'filled')
  assert.equal((await world.post(id, 'approve')).status, 200, 'the lender knows nothing of it')
  putBack()
  await world.advance('PT2M')
  assert.equal((await world.read(id)).status, 'canceled')
  assert.equal((await lender.find(institute.id, { applicationId: id }))?.state, 'canceled')
})

test('the protocol is published, and its examples hold against its schemas', async () => {
  const document: Json = await (await fetch(`${bursar.url}/lender/openapi.json`)).json()
  assert.deepEqual(Object.keys(document.paths), Object.values(PATHS))
  const operations = Object.values<Json>(document.paths).map(path => path.post)
  const contents = [...operations, document.webhooks.applicationUpdated.post].flatMap(operation => [
    operation.requestBody.content,
    operation.responses['200'].content,
  ])
  for (const content of contents.filter(one => one !== undefined)) {
    const { schema, example } = content['application/json']
    const name = (schema.$ref as string | undefined)?.split('/').at(-1)
    const flaws = flawsOf(name === undefined ? schema : document.components.schemas[name], example, 'example')
    // An update carries only what its kind needs.
    assert.deepEqual(
      flaws.filter(flaw => !flaw.includes('update') || !flaw.endsWith('is missing')),
      [],
    )
  }
})
