import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { getInstitute } from '../../src/institutes/institutes.service.ts'
import { startPayment } from '../../src/payments/start/start-payment.service.ts'
import { startBursar } from '../harness/bursar.ts'
import { PAY, sampleOrder } from '../harness/samples.ts'
import { assertStatus } from '../http/support.ts'
import { type GatewayName, GATEWAYS } from '../sim/gateways.ts'
import { SIGN } from './sign.ts'

type Started = { id: string; instituteId: number; orderId: string }

/** Orders of the same amount at two schools that share the account of the installation, each at the bank's page. */
async function openSchools(t: TestContext, name: GatewayName) {
  let clock: { now(): Date } | null = null
  const gateway = await GATEWAYS[name](() => clock?.now() ?? new Date())
  t.after(() => gateway.close())
  const bursar = await startBursar(t, { ...gateway.apiEnv, ...gateway.keysEnv })
  const { demo, group, app } = bursar
  clock = app.ctx.clock
  const start = async (client: typeof demo, code: string, more = {}): Promise<Started> => {
    const answer = await client.post(`${PAY}/orders`, { ...sampleOrder(), ...more })
    assertStatus(answer, 201)
    const institute = await getInstitute(app.ctx, code)
    const orderId: string = answer.body.data.order_id
    const options = { mode: 'card' as const, returnUrl: `${bursar.url}/` }
    const { id } = await startPayment(app.ctx, institute, orderId, options)
    return { id, instituteId: institute.id, orderId }
  }
  const post = async (rawBody: string, headers: Record<string, string>): Promise<void> =>
    assertStatus(await demo.post(`/callbacks/${name}`, rawBody, { ...headers, authorization: '' }), 200)
  const captured = async (): Promise<string[]> =>
    (await bursar.sql<{ id: string }>(`select id from payments where state = 'captured' order by id`)).map(
      ({ id }) => id,
    )
  return { bursar, gateway, demo, group, start, post, captured }
}

for (const name of ['razorpay', 'cashfree'] as const)
  test(`a payment at ${name} counts once, whichever order a signed callback names`, async t => {
    const { bursar, gateway, demo, group, start, post, captured } = await openSchools(t, name)
    const paid = await start(demo, 'demo-school')
    const sibling = await start(demo, 'demo-school')
    const elsewhere = await start(group, 'demo-group', { collector_code: 'NORTH' })
    await gateway.payer.pay(paid.id)
    const callbacks = gateway.callbacks()
    const bodies = callbacks.map(({ rawBody }) => rawBody.toString())
    const naming = ({ id, instituteId }: Started): string[] =>
      bodies.map(body =>
        body
          .replaceAll(`${paid.instituteId}-${paid.id}`, `${instituteId}-${id}`)
          .replaceAll(`"institute_id":"${paid.instituteId}"`, `"institute_id":"${instituteId}"`)
          .replaceAll(paid.id, id),
      )
    const send = async (texts: readonly string[]): Promise<void> => {
      for (const [index, text] of texts.entries())
        await post(text, SIGN[name](text, callbacks[index]?.headers ?? {}))
    }
    await send(naming(paid))
    assert.deepEqual(await captured(), [paid.id])
    await send(naming(paid))
    const problems = (): Promise<object[]> =>
      bursar.sql('select problem, reported_paise::int as paise from settlement_exceptions order by id')
    assert.deepEqual(await problems(), [], 'what is told twice is no exception')

    assert.notDeepEqual(naming(sibling), bodies)
    for (const other of [sibling, elsewhere]) await send(naming(other))
    assert.deepEqual(await captured(), [paid.id], 'no order is paid with money of another')
    const [problem, ...more] = await problems()
    assert.deepEqual(more, [], 'one exception for what is one payment there')
    const { amount_paise: paise } = (
      await bursar.sql<{ amount_paise: number }>(
        'select amount_paise::int from payments where id = $1 and institute_id = $2',
        [paid.id, paid.instituteId],
      )
    )[0]!
    assert.deepEqual(problem, {
      problem: `reported for payment ${sibling.id}, and counted for ${paid.id} before`,
      paise,
    })

    // Its own money still pays it.
    await gateway.payer.pay(sibling.id)
    for (const { rawBody, headers } of gateway.callbacks())
      await post(rawBody.toString(), headers as Record<string, string>)
    assert.deepEqual(await captured(), [paid.id, sibling.id].toSorted())
  })

test('of two callbacks that name two orders for one payment at the same moment, one counts', async t => {
  const { gateway, demo, start, post, captured } = await openSchools(t, 'razorpay')
  const one = await start(demo, 'demo-school')
  const other = await start(demo, 'demo-school')
  await gateway.payer.pay(one.id)
  const bodies = gateway.callbacks().map(({ rawBody }) => rawBody.toString())
  await Promise.all(
    bodies
      .flatMap(body => [body, body.replaceAll(one.id, other.id)])
      .map(body => post(body, SIGN.razorpay(body, {}))),
  )
  assert.equal((await captured()).length, 1)
})
