import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Answer, Json } from '../../harness/client.ts'
import { findBroken } from '../../harness/payments.ts'
import { ERP, PAY } from '../../harness/samples.ts'
import {
  assertRefused,
  assertStatus,
  eventsOf,
  newStudent,
  openContract,
  unique,
} from '../../http/support.ts'

/** A counter and a checkout that want the same due at the same moment, over and over. */
const contract = await openContract()
const { demo, sql } = contract
const SANDBOX = '/api/v1/sandbox'
const DUE = 1000
// What is too much stays, so that all money can be counted.
assertStatus(await demo.send('PUT', `${ERP}/payment-rules`, { surplus: 'advance' }), 200)
const ROUNDS = 12
const AT_ONCE = 5

function cash(amount: number): Json {
  const fee_components = [{ component_type: 'TUITION_FEE', amount }]
  return { amount, paid_at: '2026-11-15', mode: 'cash', transaction_id: unique('CASH'), fee_components }
}

async function orderFor(studentId: string, body: Json = {}): Promise<string> {
  const answer = await demo.post(`${PAY}/students/${studentId}/orders`, body)
  assertStatus(answer, 201)
  return answer.body.data.order_id
}

const payOnline = (orderId: string, outcome = 'success'): Promise<Answer> =>
  demo.post(`${SANDBOX}/pay/orders/${orderId}/pay`, { outcome })

/** What an event of an online payment says to be more than was due. */
function saidOnline(payment: Json): number {
  const [, rupees = '0'] = /^₹([\d,.]+) of this is more than was due/.exec(payment.notes ?? '') ?? []
  return Number(rupees.replaceAll(',', ''))
}

/** Comes a little later, by so many short requests: each race is won and lost by both, at every step of the other. */
async function after(steps: number, act: () => Promise<Answer>): Promise<Answer> {
  for (let step = 0; step < steps; step++) await fetch(`${contract.url}/healthz`)
  return act()
}

type Race = { studentId: string; counter: Answer; online: Answer }

/** All money is counted, and the answer of each payment reports its excess. */
async function expectSaid({ studentId, counter, online }: Race): Promise<void> {
  const events = await eventsOf(contract, studentId)
  const debits = events.filter(event => event.event_code === 'pay.payment.debited')
  if (online.status === 200) assert.equal(debits.length, 1)
  else {
    assertRefused(online, 'HUE00002')
    assert.equal(debits.length, 0)
  }
  const { data: dues } = (await demo.get(`${ERP}/students/${studentId}/dues`)).body
  const { paid } = (await demo.get(`${ERP}/students/${studentId}`)).body.data.fee_summary
  const brought = debits.reduce((sum, { payload }) => sum + payload.payment.amount, counter.body.data.amount)
  assert.equal(paid, brought)
  assert.equal(dues.advance_amount, Math.max(brought - DUE, 0))
  assert.equal(dues.total_amount, Math.max(DUE - brought, 0))
  const said = debits.reduce((sum, { payload }) => sum + saidOnline(payload.payment), 0)
  assert.equal(said + counter.body.data.advance, dues.advance_amount, JSON.stringify([counter.body, debits]))
}

async function inRounds(race: (round: number) => Promise<Race>): Promise<void> {
  for (let round = 0; round < ROUNDS; round++) {
    const races = await Promise.all(Array.from({ length: AT_ONCE }, (_, no) => race(round * AT_ONCE + no)))
    for (const one of races) await expectSaid(one)
  }
}

async function newDebtor(): Promise<string> {
  return newStudent(demo, { fee_components: [{ component_type: 'TUITION_FEE', fee_amount: DUE }] })
}

test('sixty times a counter payment and an online one at the same moment: no more than is due is taken without saying so', async () => {
  await inRounds(async round => {
    const studentId = await newDebtor()
    const order = await orderFor(studentId)
    const taken = cash(round % 3 === 0 ? 400 : DUE)
    const [online, counter] = await Promise.all([
      payOnline(order),
      after(round % 13, () => demo.post(`${ERP}/students/${studentId}/payments`, taken)),
    ])
    assertStatus(counter, 201)
    return { studentId, counter, online }
  })
})

test('sixty times the bank answers at the moment of a counter payment: both moneys count, and the second says what is too much', async () => {
  await inRounds(async round => {
    const studentId = await newDebtor()
    const order = await orderFor(studentId, round % 3 === 0 ? { amount: 700 } : {})
    const pending = await payOnline(order, 'pending')
    assertStatus(pending, 200)
    const [online, counter] = await Promise.all([
      demo.post(`${SANDBOX}/payments/${pending.body.data.payment_id}/capture`),
      after(round % 5, () => demo.post(`${ERP}/students/${studentId}/payments`, cash(DUE))),
    ])
    assertStatus(online, 200)
    assertStatus(counter, 201)
    return { studentId, counter, online }
  })
})

test('sixty times a counter payment is raised at the moment of an online one: what is too much is said', async () => {
  await inRounds(async round => {
    const studentId = await newDebtor()
    const recorded = cash(500)
    const path = `${ERP}/students/${studentId}/payments`
    assertStatus(await demo.post(path, recorded), 201)
    const order = await orderFor(studentId)
    const { amount, fee_components } = cash(DUE)
    const [online, counter] = await Promise.all([
      payOnline(order),
      after(round % 13, () => demo.patch(`${path}/${recorded.transaction_id}`, { amount, fee_components })),
    ])
    assertStatus(counter, 200)
    return { studentId, counter, online }
  })
})

test('books, bank and events agree after all of this', async () => {
  assert.deepEqual(await findBroken(text => sql(text)), [])
})
