import assert from 'node:assert/strict'
import { getInstitute } from '../../src/institutes/institutes.service.ts'
import { startTogether } from '../../src/payments/start/start-payment.service.ts'
import { BursarError } from '../../src/platform/errors.ts'
import { PAY, sampleOrder } from '../harness/samples.ts'
import type { Random } from './random.ts'
import type { SeenOrder, SeenPayment, World } from './world.ts'

/** What people, ERPs and the bank do. Each act looks at how things stand and, if it is alone, knows what must come of it. */
export type ActContext = { world: World; random: Random; isAlone: boolean; seen: readonly SeenOrder[] }

export type Command = { name: string; weight: number; run(context: ActContext): Promise<string> }

const SANDBOX = '/api/v1/sandbox'
const MODES = ['upi', 'card', 'netbanking'] as const
const OUTCOMES = ['success', 'success', 'success', 'failure', 'pending'] as const
/** How near its expiry an order may change under our eyes. */
const BLUR_MS = 5_000
let count = 0

const isUnderWay = ({ state }: SeenPayment): boolean => state === 'created' || state === 'pending'

function stateOf(order: SeenOrder, now: number): SeenOrder['state'] | 'unsure' {
  if (order.state !== 'unpaid' || order.expiresAt === null) return order.state
  if (Math.abs(order.expiresAt - now) < BLUR_MS) return 'unsure'
  return order.expiresAt <= now ? 'expired' : 'unpaid'
}

function expectStatus(context: ActContext, what: string, got: number, allowed: readonly number[]): void {
  if (context.isAlone) assert.ok(allowed.includes(got), `${what}: ${got}, expected ${allowed.join(' or ')}`)
}

/** Mostly one that this act can do something with, now and then any. */
function choose({ random, seen }: ActContext, isApt: (order: SeenOrder) => boolean): SeenOrder | undefined {
  const apt = random.chance(0.9) ? seen.filter(isApt) : seen
  return random.pick(apt.length > 0 ? apt : seen)
}

async function create(context: ActContext): Promise<string> {
  const { world, random } = context
  const number = ++count
  const institute = random.pick(['demo-school', 'demo-group'] as const) ?? 'demo-school'
  const kind = random.pick(['orders', 'payment_links'] as const) ?? 'orders'
  // Lines of a few paise show where rounding goes.
  const largest = random.pick([9, 2_000, 500_000]) ?? 9
  const lines = Array.from({ length: random.between(1, 4) }, () => random.between(1, largest))
  // The last two digits of the total tell the bank what to do.
  const ending = random.chance(0.35) ? random.between(91, 95) : random.between(0, 90)
  const before = lines.reduce((sum, line) => sum + line, 0)
  lines.push((((ending - before) % 100) + 100) % 100 || 100)
  const body = sampleOrder({
    identifier: `sim-${number}`,
    details: lines.map((line, index) => ({ component_type: `PART_${index}`, amount: line / 100 })),
    ...(institute === 'demo-group' ? { collector_code: random.pick(['NORTH', 'SOUTH']) } : {}),
    ...(random.chance(0.35) ? { expires_at: new Date(world.now + random.between(2, 4_000) * 60_000) } : {}),
  })
  const key = `create-${number}`
  const send = async (): Promise<void> => {
    const { status, text, body: answer } = await world.send(institute, 'POST', `${PAY}/${kind}`, body, key)
    if (status === 409 && answer.code === 'IDE00001') return
    assert.ok(status === 201 || (status === 400 && text.includes('expires_at')), text)
    world.unanswered.delete(key)
    if (status === 201) world.promised.orders.add(answer.data.order_id)
  }
  world.unanswered.set(key, send)
  await Promise.all(random.chance(0.2) ? [send(), send()] : [send()])
  if (world.unanswered.has(key)) await send()
  return `${kind} ${number} of ${before} paise and ${ending}`
}

async function start(context: ActContext): Promise<string> {
  const { world, random, seen } = context
  const order = random.pick(seen)
  if (order === undefined) return 'nobody'
  const answer = await world
    .as(order.institute)
    .post(`/pay/${order.institute}/${order.id}/start`, `mode=${random.pick(MODES)}`, {
      'content-type': 'application/x-www-form-urlencoded',
    })
  assert.equal(answer.status, 303, answer.text)
  return order.id
}

function payStatuses(order: SeenOrder, outcome: string, now: number): number[] {
  const state = stateOf(order, now)
  if (state === 'unsure') return [200, 409]
  // One that takes no payments any more does not take up the one under way either; its money still counts if it comes.
  if (state !== 'unpaid') return [409]
  const open = order.payments.find(isUnderWay)
  if (open === undefined || open.bank === null) return [200]
  return [open.bank === 'open' || (open.bank === 'pending' && outcome !== 'pending') ? 200 : 409]
}

async function payOne(context: ActContext, order: SeenOrder, outcome: string): Promise<number> {
  const { world, random } = context
  const body = { outcome, mode: random.pick(MODES) }
  const answer = await world.send(order.institute, 'POST', `${SANDBOX}/pay/orders/${order.id}/pay`, body)
  if (answer.status === 200 && answer.body.data.status === 'captured')
    world.promised.captured.add(answer.body.data.payment_id)
  return answer.status
}

async function pay(context: ActContext): Promise<string> {
  const order = choose(context, ({ state }) => state === 'unpaid')
  if (order === undefined) return 'nobody'
  const outcome = context.random.pick(OUTCOMES) ?? 'success'
  const status = await payOne(context, order, outcome)
  expectStatus(
    context,
    `pay ${outcome} of ${JSON.stringify(order)}`,
    status,
    payStatuses(order, outcome, context.world.now),
  )
  return `${order.id} ${outcome}: ${status}`
}

async function payAtOnce(context: ActContext): Promise<string> {
  const order = choose(context, ({ state }) => state === 'unpaid')
  if (order === undefined) return 'nobody'
  const statuses = await Promise.all(Array.from({ length: 4 }, () => payOne(context, order, 'success')))
  return `${order.id}: ${statuses.join(' ')}`
}

async function resolve(context: ActContext): Promise<string> {
  const { world, random } = context
  const order = choose(context, ({ payments }) => payments.some(isUnderWay))
  const payment = order?.payments.find(isUnderWay) ?? random.pick(order?.payments ?? [])
  if (order === undefined || payment === undefined) return 'nobody'
  const verb = random.chance(0.6) ? 'capture' : 'fail'
  const { status } = await world.send(order.institute, 'POST', `${SANDBOX}/payments/${payment.id}/${verb}`)
  // One whose start was cut off before we knew the bank's reference has to be started again first.
  const isOpen = payment.ref !== null && (payment.bank === 'open' || payment.bank === 'pending')
  expectStatus(context, `${verb} of ${JSON.stringify(payment)}`, status, [isOpen ? 200 : 409])
  return `${payment.id} ${verb}: ${status}`
}

/** The bank says again, several times at once, what it has in its books. */
async function repeatCallback(context: ActContext): Promise<string> {
  const { world, random, seen } = context
  const payment = random.pick(seen.flatMap(order => order.payments).filter(({ bank }) => bank !== null))
  if (payment === undefined) return 'nobody'
  const report = await world.bankReport(payment.id)
  const statuses = await Promise.all(Array.from({ length: random.between(1, 4) }, () => world.tell(report)))
  assert.ok(statuses.every(status => status === 200))
  return `${payment.id} ${report.outcome.kind}`
}

/** What is late, out of order, forged, of another amount or about nobody changes nothing. */
async function idleCallback(context: ActContext): Promise<string> {
  const { world, random, seen } = context
  const captured = random.pick(
    seen.flatMap(order => order.payments).filter(({ state }) => state === 'captured'),
  )
  const any = random.pick(seen.flatMap(order => order.payments).filter(({ bank }) => bank !== null))
  if (captured === undefined || any === undefined) return 'nobody'
  const late = await world.bankReport(captured.id)
  const told = await world.bankReport(any.id)
  const money = {
    kind: 'captured',
    amountPaise: 1,
    mode: 'upi',
    transactionId: 'X',
    capturedAt: new Date(world.now),
  }
  const before = await fingerprint(world)
  const failed = { kind: 'failed', code: 'bank_declined', message: 'No.' }
  assert.equal(await world.tell({ ...late, outcome: { kind: 'pending' } }), 200)
  assert.equal(await world.tell({ ...late, outcome: failed }), 200)
  assert.equal(await world.tell({ ...told, outcome: money }), 200)
  assert.equal(await world.tell({ ...told, paymentId: 'pay_nobody' }), 200)
  assert.equal(await world.tell({ ...told, outcome: money }, null), 400)
  assert.equal(await world.tell({ ...told, outcome: money }, 'f'.repeat(64)), 400)
  if (context.isAlone)
    assert.equal(await fingerprint(world), before, 'a callback that must not count did something')
  return `${captured.id} ${any.id}`
}

async function fingerprint(world: World): Promise<string> {
  const [row] = await world.sql<{ all: string }>(
    `select md5(concat((select string_agg(id || state || is_duplicate, ',' order by id) from payments), (select count(*) from events),
       (select count(*) from ledger_transfers), (select string_agg(id || state, ',' order by id) from orders), (select count(*) from refunds))) as all`,
  )
  return row?.all ?? ''
}

const hasFailed = ({ bank, state }: SeenPayment): boolean => bank === 'failed' && state === 'failed'

/** The bank finds that a payment it called failed did go through, and says so until it is heard. */
async function changeMind(context: ActContext): Promise<string> {
  const { world } = context
  const order = choose(context, ({ payments }) => payments.some(hasFailed))
  const payment = order?.payments.find(hasFailed)
  if (order === undefined || payment === undefined) return 'nobody'
  await world.sql(
    `update bank_payments set state = 'captured', failure_code = null, transaction_id = 'LATE' || right(ref, 12),
       captured_at = $2 where state = 'failed'
       and payment_id = (select coalesce(p.group_id, p.id) from payments p where p.id = $1)`,
    [payment.id, new Date(world.now)],
  )
  assert.equal(await world.tell(await world.bankReport(payment.id)), 200)
  world.promised.captured.add(payment.id)
  return `${payment.id} of ${order.id}, which was ${order.state}`
}

/** Two orders in one payment at the bank, which goes as the bank says of their sum. */
async function payTogether(context: ActContext): Promise<string> {
  const { world, random, seen } = context
  const open = seen.filter(
    order =>
      order.institute === 'demo-school' && order.state === 'unpaid' && !order.payments.some(isUnderWay),
  )
  const first = random.pick(open)
  const second = random.pick(open.filter(order => order !== first))
  if (first === undefined || second === undefined) return 'nobody'
  const institute = await getInstitute(world.ctx, 'demo-school')
  const options = { mode: random.pick(MODES) ?? 'upi', returnUrl: 'https://x.example' }
  try {
    await startTogether(world.ctx, institute, [first.id, second.id], options)
  } catch (error) {
    // One of them expired or was closed meanwhile.
    if (!(error instanceof BursarError) || error.code !== 'HUE00002') throw error
    return `${first.id} ${second.id}: ${error.message}`
  }
  const status = await payOne(context, first, random.pick(OUTCOMES) ?? 'success')
  return `${first.id} ${second.id}: ${status}`
}

const isFresh = ({ state, total, payments }: SeenOrder): boolean =>
  state === 'unpaid' && total % 100 <= 90 && payments.length === 0

/** Two payments for one order: the first fails, the second pays, and then the first went through after all. */
async function payDouble(context: ActContext): Promise<string> {
  const order = choose(context, isFresh)
  if (order === undefined || !isFresh(order)) return 'nobody'
  await payOne(context, order, 'failure')
  await payOne(context, order, 'success')
  const seen = (await context.world.latest()).filter(({ id }) => id === order.id)
  return changeMind({ ...context, seen })
}

export const PAYING: readonly Command[] = [
  { name: 'create', weight: 20, run: create },
  { name: 'start', weight: 5, run: start },
  { name: 'pay', weight: 20, run: pay },
  { name: 'pay at once', weight: 4, run: payAtOnce },
  { name: 'pay together', weight: 10, run: payTogether },
  { name: 'resolve', weight: 8, run: resolve },
  { name: 'callback again', weight: 5, run: repeatCallback },
  { name: 'callback that must not count', weight: 4, run: idleCallback },
  { name: 'bank changes its mind', weight: 5, run: changeMind },
  { name: 'pay double', weight: 5, run: payDouble },
]

export { choose, expectStatus, stateOf }
