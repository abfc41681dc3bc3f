import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { lose, status } from '../../emulators/faults.ts'
import { requestVirtualAccounts } from '../../src/dues/virtual-accounts/account-requests.service.ts'
import { getInstitute } from '../../src/institutes/institutes.service.ts'
import { reconcile } from '../../src/payments/reconcile/reconcile.service.ts'
import type { Callback } from '../../src/providers/port.ts'
import { startBursar } from '../harness/bursar.ts'
import type { Answer, Json } from '../harness/client.ts'
import { findBroken } from '../harness/payments.ts'
import { ERP, PAY } from '../harness/samples.ts'
import { assertStatus, newStudent } from '../http/support.ts'
import { type GatewayName, GATEWAYS } from '../sim/gateways.ts'
import { World } from '../sim/world.ts'
import { SIGN } from './sign.ts'

const accountOf = (id: string): string => `${PAY}/students/${id}/virtual_account`
const FEES = [{ component_type: 'TUITION_FEE', fee_amount: 1000 }]

/** A school whose students have account numbers at a gateway. */
async function openSchool(t: TestContext, name: GatewayName) {
  let clock: { now(): Date } | null = null
  const gateway = await GATEWAYS[name](() => clock?.now() ?? new Date())
  t.after(() => gateway.close())
  const bursar = await startBursar(t, { ...gateway.apiEnv, ...gateway.keysEnv })
  const { demo, app } = bursar
  const sql: typeof bursar.sql = (text, values) => bursar.sql(text, values)
  clock = app.ctx.clock
  const child = async (): Promise<{ id: string; ref: string; number: string }> => {
    const id = await newStudent(demo, { fee_components: FEES })
    const opened = await demo.post(accountOf(id), {})
    assertStatus(opened, 201)
    const [row] = await sql<{ ref: string }>(
      'select provider_ref as ref from virtual_accounts where student_id = $1',
      [id],
    )
    return { id, ref: row?.ref ?? assert.fail(), number: opened.body.data.account_number }
  }
  const send = async (ref: string, rupees: number, utr: string): Promise<Callback[]> => {
    assert.ok(await gateway.bank.transfer(ref, { paise: rupees * 100, utr, name: 'Asha Rao' }))
    return gateway.callbacks()
  }
  const post = (body: string, headers: Callback['headers']): Promise<Answer> =>
    demo.post(`/callbacks/${name}`, body, { ...(headers as Record<string, string>), authorization: '' })
  const deliver = async (callbacks: readonly Callback[]): Promise<void> => {
    for (const { rawBody, headers } of callbacks) assertStatus(await post(rawBody.toString(), headers), 200)
  }
  const paymentsOf = async (id: string): Promise<Json[]> =>
    (await demo.get(`${PAY}/students/${id}/payments`)).body.data
  const problems = async (): Promise<string[]> =>
    (await sql<{ problem: string }>('select problem from settlement_exceptions order by id')).map(
      one => one.problem,
    )
  const settle = async (): Promise<void> => {
    await gateway.bank.settle()
    assertStatus(await demo.post('/api/v1/sandbox/settlements/run'), 200)
  }
  const assertBooksFit = async (): Promise<void> => {
    assert.deepEqual(await findBroken(sql), [])
    const institute = await getInstitute(app.ctx, 'demo-school')
    assert.deepEqual((await reconcile(app.ctx, institute)).differences, [])
  }
  return {
    gateway,
    demo,
    child,
    send,
    post,
    deliver,
    paymentsOf,
    problems,
    settle,
    assertBooksFit,
  }
}

for (const name of ['razorpay', 'cashfree'] as const) {
  test(`money to an account number at ${name} counts once, told twice, late, backwards or not at all`, async t => {
    const school = await openSchool(t, name)
    const { demo, send, deliver, paymentsOf, settle } = school
    const { id, ref, number } = await school.child()
    const known = await demo.post(accountOf(id), {})
    assert.deepEqual([known.status, known.body.data.account_number], [200, number])
    assert.deepEqual([known.body.data.provider, known.body.data.status], [name, 'active'])

    const [first, second] = [await send(ref, 600, 'HDFCN00000001'), await send(ref, 700, 'HDFCN00000002')]
    const untold = await send(ref, 50, 'HDFCN00000003')
    await deliver([...first, ...second, ...first].toReversed())
    const booked = (await paymentsOf(id)).map(one => `${one.transaction_id} ${one.amount} ${one.mode}`)
    assert.deepEqual(booked.toSorted(), [
      'HDFCN00000001 600 bank_transfer',
      'HDFCN00000002 700 bank_transfer',
    ])
    await settle()
    await deliver(untold)
    const paid = await paymentsOf(id)
    assert.deepEqual(
      new Map(paid.map(one => [one.transaction_id, one.status])),
      new Map(['HDFCN00000001', 'HDFCN00000002', 'HDFCN00000003'].map(utr => [utr, 'settled'])),
    )
    const { body } = await demo.get(`${ERP}/students/${id}/dues`)
    assert.deepEqual([body.data.outstanding_amount, body.data.advance_amount], [0, 350])
    assert.deepEqual(await school.problems(), [])
    await school.assertBooksFit()
  })

  test(`what came to an account number at ${name} goes back through it`, async t => {
    const { gateway, demo, send, deliver, child, settle, problems, assertBooksFit } = await openSchool(
      t,
      name,
    )
    const { id, ref } = await child()
    await deliver(await send(ref, 1200, 'HDFCN00000004'))
    assertStatus(await demo.post(`${PAY}/students/${id}/advance/refunds`, {}), 201)
    assertStatus(await demo.post('/api/v1/sandbox/clock', { advance: 'PT1H' }), 200)
    for (const refund of gateway.books.pendingRefunds()) await gateway.bank.processRefund(refund)
    await deliver(gateway.callbacks())
    await settle()
    const [payment] = (await demo.get(`${PAY}/students/${id}/payments`)).body.data
    assert.deepEqual([payment.status, payment.refunded_amount], ['settled', 200])
    assert.deepEqual(await problems(), [])
    await assertBooksFit()
  })

  test(`a callback of ${name} about an account number counts as signed: of nobody, of another, forged`, async t => {
    const { send, post, paymentsOf, problems, ...school } = await openSchool(t, name)
    const [one, other] = [await school.child(), await school.child()]
    const callbacks = await send(one.ref, 300, 'HDFCN00000005')
    const forged = await Promise.all(
      callbacks.map(({ rawBody, headers }) => post(`${rawBody.toString()} `, headers)),
    )
    assert.deepEqual(new Set(forged.map(({ status }) => status)), new Set([400]))
    const naming = async (ref: string): Promise<void> => {
      for (const { rawBody, headers } of callbacks) {
        const body = rawBody.toString().replaceAll(one.ref, ref)
        assertStatus(await post(body, SIGN[name](body, headers)), 200)
      }
    }
    const nobody = `${one.ref.slice(0, -3)}zzz`
    await naming(nobody)
    assert.deepEqual(await paymentsOf(one.id), [])
    assert.deepEqual(await problems(), ['captured, and unknown here'])
    await naming(one.ref)
    const [payment] = await paymentsOf(one.id)
    assert.equal(payment?.amount, 300)
    await naming(other.ref)
    assert.deepEqual(await paymentsOf(other.id), [], 'the same UTR is the same money')
    assert.deepEqual((await problems()).slice(1), [
      `transfer HDFCN00000005 is booked as ${payment?.payment_id} already`,
    ])
  })

  test(`the number of a leaver is closed at ${name}, and what came before that waits for a person`, async t => {
    const { gateway, demo, send, deliver, child, problems, paymentsOf } = await openSchool(t, name)
    const { id, ref } = await child()
    assertStatus(await demo.post(`${ERP}/students/${id}/drop`, {}), 200)
    await deliver(await send(ref, 100, 'HDFCN00000006'))
    assert.deepEqual(await problems(), ['came to an account number that is closed'])
    const start = name === 'razorpay' ? 'POST /v1/virtual_accounts' : 'PATCH /pg/vba'
    gateway.spoil(start, status(502, 'Bad gateway'))
    for (const advance of ['PT1M', 'PT5M'])
      assertStatus(await demo.post('/api/v1/sandbox/clock', { advance }), 200)
    const sent = { paise: 100_00, utr: 'HDFCN00000007', name: 'Asha Rao' }
    assert.equal(await gateway.bank.transfer(ref, sent), false, 'it goes back by itself')
    assert.deepEqual(await paymentsOf(id), [])
  })

  test(`numbers for many at ${name} are one each, whenever the process dies and whatever answer is lost`, async t => {
    let world: World | null = null
    const gateway = await GATEWAYS[name](() => new Date(world?.now ?? Date.now()))
    t.after(() => gateway.close())
    world = await World.open(t, { ...gateway.apiEnv, ...gateway.keysEnv })
    const ids: string[] = []
    for (let n = 0; n < 9; n++) ids.push(await newStudent(world.as('demo-school'), { fee_components: FEES }))
    const institute = await getInstitute(world.ctx, 'demo-school')
    const command = { instituteId: institute.id }
    await requestVirtualAccounts(world.ctx, command, { institute, studentIds: ids })
    const advance = async (): Promise<void> => {
      await world?.as('demo-school').post('/api/v1/sandbox/clock', { advance: 'PT6M' })
    }
    for (const statements of [12, 3, 30, 18]) {
      gateway.spoil(name === 'razorpay' ? 'POST /v1/virtual_accounts' : 'POST /pg/vba', lose)
      world.line.cutAt(statements, statements % 2 === 0)
      await advance().catch(() => {})
      await world.crash()
    }
    for (let n = 0; n < 8; n++) await advance()
    const given = await world.sql<{ ref: string; number: string }>(
      `select provider_ref as ref, account_number as number from virtual_accounts where state = 'active'`,
    )
    assert.equal(new Set(given.map(one => one.number)).size, ids.length)
    for (const { ref } of given) assert.equal(await gateway.times('account', ref), 1)
  })
}
