import assert from 'node:assert/strict'
import { lose, status } from '../../emulators/faults.ts'
import { getInstitute } from '../../src/institutes/institutes.service.ts'
import { startPayment } from '../../src/payments/start/start-payment.service.ts'
import { reconcile } from '../../src/payments/reconcile/reconcile.service.ts'
import type { Callback } from '../../src/providers/port.ts'
import type { Client } from '../harness/client.ts'
import { findBroken } from '../harness/payments.ts'
import { PAY, sampleOrder } from '../harness/samples.ts'
import { type Gateway, type GatewayName, GATEWAYS } from './gateways.ts'
import type { StormOptions } from './payments-model.ts'
import { Random } from './random.ts'
import { World } from './world.ts'

type Storm = { world: World; gateway: Gateway; random: Random; orders: string[] }
type Act = { name: string; weight: number; run(storm: Storm): Promise<void> }

const INSTITUTE = 'demo-school'
const AMOUNT = 500

const ACTS: readonly Act[] = [
  {
    name: 'order',
    weight: 3,
    async run({ world, orders }) {
      const details = [{ component_type: 'TUITION_FEE', amount: AMOUNT }]
      const made = await world.as(INSTITUTE).post(`${PAY}/orders`, sampleOrder({ details }))
      if (made.status === 201) orders.push(made.body.data.order_id)
    },
  },
  {
    name: 'start',
    weight: 4,
    async run({ world, orders, random }) {
      const id = random.pick(orders)
      if (id === undefined) return
      const institute = await getInstitute(world.ctx, INSTITUTE)
      await startPayment(world.ctx, institute, id, { mode: 'upi', returnUrl: 'https://x.example' })
    },
  },
  {
    name: 'pay',
    weight: 4,
    async run({ gateway, random }) {
      const id = random.pick(gateway.books.open())
      if (id !== undefined) await (random.chance(0.8) ? gateway.payer.pay(id) : gateway.payer.fail(id))
    },
  },
  { name: 'deliver', weight: 4, run: storm => deliver(storm) },
  {
    name: 'refund',
    weight: 2,
    async run({ world, orders, random }) {
      const id = random.pick(orders)
      if (id !== undefined)
        await world.as(INSTITUTE).post(`${PAY}/orders/${id}/refunds`, { amount: random.between(1, AMOUNT) })
    },
  },
  {
    // None fails: one of a duplicate would be left to a person, and the reconciliation says so.
    name: 'end refund',
    weight: 2,
    async run({ gateway, random }) {
      const id = random.pick(gateway.books.pendingRefunds())
      if (id !== undefined) await gateway.bank.processRefund(id)
    },
  },
  {
    name: 'fault',
    weight: 2,
    async run({ gateway, random }) {
      gateway.spoil('', random.chance(0.5) ? lose : status(502, 'Bad gateway'))
    },
  },
  { name: 'pay out', weight: 1, run: async ({ gateway }) => void (await gateway.bank.settle()) },
  { name: 'time', weight: 3, run: ({ world }) => advance(world, 'PT90M') },
]

async function deliver({ world, gateway, random }: Storm): Promise<void> {
  await deliverAtRandom(gateway, world.as(INSTITUTE), random)
}

/** Events doubled, lost and out of order; what is lost has to be found by asking. */
export async function deliverAtRandom(gateway: Gateway, client: Client, random: Random): Promise<void> {
  const events = gateway.callbacks().filter(() => random.chance(0.8))
  if (random.chance(0.5)) events.reverse()
  await post(
    gateway,
    client,
    events.flatMap(one => (random.chance(0.2) ? [one, one] : [one])),
  )
}

export async function deliverAll(gateway: Gateway, client: Client): Promise<void> {
  await post(gateway, client, gateway.callbacks())
}

async function post(gateway: Gateway, client: Client, events: readonly Callback[]): Promise<void> {
  for (const { headers, rawBody } of events.filter(one => !gateway.isStale(one))) {
    const { status: code } = await client.post(gateway.callbackPath, rawBody.toString(), {
      ...(headers as Record<string, string>),
      authorization: '',
    })
    assert.ok(code === 200 || code === 503, `a callback was answered with ${code}`)
  }
}

async function advance(world: World, duration: string): Promise<void> {
  await world.as(INSTITUTE).post('/api/v1/sandbox/clock', { advance: duration })
}

/** The payment storm on a vendor's emulator: answers lost, events in disorder, the process cut off at any statement. */
export async function runGatewayStorm(name: GatewayName, { seed, acts, owner, onProgress }: StormOptions) {
  const random = new Random(seed)
  let world: World | null = null
  const gateway = await GATEWAYS[name](() => new Date(world?.now ?? Date.now()))
  owner.after(() => gateway.close())
  world = await World.open(owner, { ...gateway.apiEnv, ...gateway.keysEnv })
  const storm: Storm = { world, gateway, random, orders: [] }
  for (let done = 0; done < acts; done++) {
    const isCut = random.chance(0.05)
    if (isCut) world.line.cutAt(random.between(1, 40), random.chance(0.5))
    // Of what meets a fault or a cut line only the books tell.
    await random.weighed(ACTS).run(storm).catch(ignore)
    if (isCut) await world.crash()
    if (done % 10 === 0) assert.deepEqual(await findBroken(world.sql), [])
    if (done % 50 === 0) onProgress?.(done, `${world.crashes} crashes`)
  }
  return { acts, crashes: world.crashes, ...(await comeToRest(storm)) }
}

function ignore(error: unknown): void {
  if (error instanceof assert.AssertionError) throw error
}

/** Everything that happened at the vendor is known here once, though no event came any more. */
async function comeToRest({ world, gateway }: Storm): Promise<{ captured: number; refunded: number }> {
  for (let day = 0; day < 3; day++) {
    for (const id of gateway.books.pendingRefunds()) await gateway.bank.processRefund(id)
    await gateway.bank.settle()
    for (let hours = 0; hours < 4; hours++) await advance(world, 'PT6H')
  }
  const paid = gateway.books.paid()
  const known = await world.sql<{ id: string }>(
    `select id from payments where state = 'captured' and provider = $1`,
    [gateway.name],
  )
  assert.deepEqual(known.map(({ id }) => id).sort(), paid.sort())
  const refunds = gateway.books.refunds()
  assert.equal(new Set(refunds).size, refunds.length, 'a refund was made twice')
  assert.deepEqual(await world.sql(`select id from refunds where state = 'pending'`), [])
  assert.deepEqual(await findBroken(world.sql), [])
  const institute = await getInstitute(world.ctx, INSTITUTE)
  assert.deepEqual((await reconcile(world.ctx, institute)).differences, [])
  return { captured: paid.length, refunded: refunds.length }
}
