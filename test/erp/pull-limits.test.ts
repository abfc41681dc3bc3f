import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { startBursar, type TestBursar } from '../harness/bursar.ts'
import type { Json } from '../harness/client.ts'
import { found, json, sampleRecord, startFakeErp } from '../harness/fakes/erp.ts'
import { ERP, PAY } from '../harness/samples.ts'
import { sandboxNow } from '../harness/sandbox-now.ts'
import { fetchesOf, pull, registerStudent, setErp } from '../students/support.ts'

/** What a pull may take away, and how an ERP that was away is asked again. */
const bursar = await startBursar({ after })
const { demo } = bursar
const sql: TestBursar['sql'] = (text, values) => bursar.sql(text, values)
const erp = await startFakeErp({ after })
await setErp(demo, erp)
const SANDBOX = '/api/v1/sandbox'
let count = 0

function tuition(fee_amount: number): Json {
  return { fee_components: [{ component_type: 'TUITION_FEE', fee_amount }] }
}

async function newStudent(fee: number): Promise<{ id: string; identifier: string }> {
  const identifier = `OURS-${++count}`
  const id = await registerStudent(demo, { identifier }, tuition(fee))
  erp.put(sampleRecord({ identifier }, tuition(fee)))
  return { id, identifier }
}

async function summaryOf(id: string): Promise<Json> {
  return (await demo.get(`${ERP}/students/${id}`)).body.data.fee_summary
}

async function pay(id: string, amount: number): Promise<void> {
  const order = await demo.post(`${PAY}/students/${id}/orders`, { amount })
  assert.equal(order.status, 201, order.text)
  const paid = await demo.post(`${SANDBOX}/pay/orders/${order.body.data.order_id}/pay`, {
    outcome: 'success',
  })
  assert.equal(paid.status, 200, paid.text)
}

function withLateFee(amount: number): Json[] {
  return [
    { component_type: 'TUITION_FEE', fee_amount: 1000 },
    { component_type: 'LATE_FEE', fee_amount: amount },
  ]
}

function daysAgo(days: number): string {
  return new Date(sandboxNow() + 5.5 * 3_600_000 - days * 86_400_000).toISOString().slice(0, 10)
}

test('a late fee that was paid stays after a pull, and the next payment is not called more than was due', async () => {
  const late = { due_date: daysAgo(10), kind: 'per_day', amount_per_day: 7 }
  const rules = { late_fees: [{ component_type: 'TUITION_FEE', ...late }] }
  assert.equal((await demo.send('PUT', `${ERP}/payment-rules`, rules)).status, 200)
  const { id, identifier } = await newStudent(1000)
  await pay(id, 100)
  const before = await summaryOf(id)
  assert.deepEqual([before.total_fee, before.paid, before.advance], [1070, 100, 0])
  const pulled = await pull(bursar, id)
  assert.ok(pulled.kind === 'found')
  assert.deepEqual(pulled.changes, [])
  assert.deepEqual(await summaryOf(id), before)
  await pay(id, 200)
  const events = await sql<Json>(
    `select payload from events where resource_id = $1 and event_code = 'pay.payment.debited' order by sequence`,
    [id],
  )
  assert.deepEqual(
    events.map(event => 'notes' in event['payload'].payment),
    [false, false],
  )
  // An ERP that has late fees of its own may ask for more, and takes no more than its own back.
  for (const [amount, total] of [
    [200, 1200],
    [0, 1070],
  ] as const) {
    erp.put(sampleRecord({ identifier }, { fee_components: withLateFee(amount) }))
    await pull(bursar, id)
    assert.equal((await summaryOf(id)).total_fee, total)
  }
  assert.equal((await demo.send('PUT', `${ERP}/payment-rules`, { late_fees: [] })).status, 200)
})

test('an answer without any fee for a student with fees is a data_error and changes nothing', async () => {
  const { id, identifier } = await newStudent(3000)
  const before = await summaryOf(id)
  erp.put(sampleRecord({ identifier }, { fee_components: [] }))
  const pulled = await pull(bursar, id)
  assert.ok(pulled.kind === 'refused')
  assert.deepEqual([pulled.code, pulled.actsAs], ['data_error', 'data_error'])
  assert.match(pulled.message, /data\.fee_components is empty/)
  assert.deepEqual(await summaryOf(id), before)
  const [entry] = await fetchesOf(demo, id)
  assert.deepEqual([entry.outcome, entry.code, entry.changes], ['refused', 'data_error', []])
})

test('a fee that falls to 0 and comes back is owed again', async () => {
  const { id, identifier } = await newStudent(3000)
  for (const fee of [0, 3000]) {
    erp.put(sampleRecord({ identifier }, tuition(fee)))
    assert.equal((await pull(bursar, id)).kind, 'found')
    assert.equal((await summaryOf(id)).outstanding, fee)
  }
})

test('a compressed answer is asked for and understood', async () => {
  const { id, identifier } = await newStudent(3000)
  const body = gzipSync(
    JSON.stringify({ status: 'success', data: sampleRecord({ identifier }, tuition(2500)) }),
  )
  const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' }
  erp.disturb(async () => ({ status: 200, headers, body }))
  assert.equal((await pull(bursar, id)).kind, 'found')
  erp.disturb(null)
  assert.equal((await summaryOf(id)).outstanding, 2500)
  assert.match(erp.requests.at(-1)?.headers['accept-encoding'] ?? '', /gzip/)
})

test('moving the clock ends the pause after the failures of an ERP', async () => {
  const { id, identifier } = await newStudent(3000)
  erp.disturb(async () => json(500, {}))
  for (let n = 0; n < 5; n++) await pull(bursar, id)
  erp.disturb(null)
  const asked = erp.requests.length
  const paused = await pull(bursar, id)
  assert.ok(paused.kind === 'unavailable' && paused.reason === 'resting')
  assert.equal(erp.requests.length, asked)
  assert.equal((await demo.post(`${SANDBOX}/clock`, { advance: 'PT31S' })).status, 200)
  erp.disturb(async asking =>
    asking === identifier ? found(sampleRecord({ identifier }, tuition(3000))) : null,
  )
  assert.equal((await pull(bursar, id)).kind, 'found')
  erp.disturb(null)
})
