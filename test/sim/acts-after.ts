import assert from 'node:assert/strict'
import { applyRefundReport } from '../../src/payments/refunds/refunds.service.ts'
import { PAY } from '../harness/samples.ts'
import { choose, expectStatus, stateOf, type Command, type ActContext } from './acts.ts'
import type { SeenOrder } from './world.ts'

/** What happens to orders besides being paid: refunds, cancellation, time and pay-outs. */
const SANDBOX = '/api/v1/sandbox'
const STEPS = ['PT1M', 'PT5M', 'PT40M', 'PT2H', 'PT7H', 'P1D', 'P1D', 'P2D', 'P4D'] as const
let keys = 0

async function ask(
  context: ActContext,
  order: SeenOrder,
  paise: number | undefined,
  key: string,
): Promise<number> {
  const path = `${PAY}/${order.kind === 'link' ? 'payment_links' : 'orders'}/${order.id}/refunds`
  const body = { reason: 'asked', ...(paise === undefined ? {} : { amount: paise / 100 }) }
  const answer = await context.world.send(order.institute, 'POST', path, body, key)
  if (answer.status === 201) context.world.promised.refunds.add(answer.body.data.id)
  return answer.status
}

async function refund(context: ActContext): Promise<string> {
  const { random } = context
  const order = choose(context, ({ refundable }) => refundable > 0)
  if (order === undefined) return 'nobody'
  const left = order.refundable
  const some = random.between(1, Math.max(1, left))
  const paise = random.pick([undefined, left, left + 1, 1, 7, some, some, some, left + 100_000])
  const isRight = left > 0 && (paise ?? left) <= left && (paise ?? left) > 0
  const key = `refund-${++keys}`
  const statuses = [await ask(context, order, paise || undefined, key)]
  if (random.chance(0.2)) statuses.push(await ask(context, order, paise || undefined, key))
  for (const status of statuses)
    expectStatus(context, `refund of ${paise} from ${JSON.stringify(order)}`, status, [isRight ? 201 : 409])
  return `${order.id} ${paise ?? 'all'} of ${left}: ${statuses.join(' ')}`
}

/** Five ask for two fifths each: two of them at most can have it. */
async function refundAtOnce(context: ActContext): Promise<string> {
  const order = choose(context, ({ refundable }) => refundable > 5)
  if (order === undefined) return 'nobody'
  const part = Math.floor((order.refundable * 2) / 5) || 1
  const statuses = await Promise.all(
    Array.from({ length: 5 }, () => ask(context, order, part, `refund-${++keys}`)),
  )
  const made = statuses.filter(status => status === 201).length
  if (context.isAlone)
    assert.equal(
      made,
      Math.min(5, Math.floor(order.refundable / part)),
      `${part} of ${JSON.stringify(order)}`,
    )
  return `${order.id} ${part} of ${order.refundable}: ${statuses.join(' ')}`
}

/** The provider could not make a refund that it has not begun. */
async function failRefund({ world, random, isAlone }: ActContext): Promise<string> {
  // With a worker at it in the same moment the bank would both make it and not.
  if (!isAlone) return 'nobody'
  const waiting = await world.sql<{ instituteId: number; id: string }>(
    `select institute_id as "instituteId", id from refunds r where state = 'pending' and kind = 'requested'
       and not exists (select from bank_refunds b where b.institute_id = r.institute_id and b.refund_id = r.id) order by id`,
  )
  const one = random.pick(waiting)
  if (one === undefined) return 'nobody'
  const outcome = { kind: 'failed', message: 'The account is closed.' } as const
  const report = {
    about: 'refund',
    instituteId: one.instituteId,
    refundId: one.id,
    providerRef: 'none',
    outcome,
  } as const
  await Promise.all([applyRefundReport(world.ctx, report), applyRefundReport(world.ctx, report)])
  return one.id
}

async function cancel(context: ActContext): Promise<string> {
  const { world, random } = context
  const order = choose(context, ({ state }) => state === 'unpaid' && random.chance(0.5))
  if (order === undefined) return 'nobody'
  const path = `${PAY}/${order.kind === 'link' ? 'payment_links' : 'orders'}/${order.id}`
  const { status } = await world.send(order.institute, 'DELETE', path)
  const state = stateOf(order, world.now)
  const allowed = state === 'unsure' ? [200, 409] : [state === 'unpaid' ? 200 : 409]
  expectStatus(context, `cancel ${JSON.stringify(order)}`, status, allowed)
  return `${order.id}, which was ${state}: ${status}`
}

async function moveClock(context: ActContext): Promise<string> {
  const { world, random } = context
  const advance = random.chance(0.03) ? 'P40D' : (random.pick(STEPS) ?? 'PT1M')
  const answer = await world.send('demo-school', 'POST', `${SANDBOX}/clock`, { advance })
  expectStatus(context, `clock ${advance}: ${answer.text}`, answer.status, [200])
  return `${advance} ${JSON.stringify(answer.body.data?.summary)}`
}

/** As two processes would, when both find the same due work. */
async function doDueWork({ world, random }: ActContext): Promise<string> {
  const workers = Array.from({ length: random.between(1, 2) }, () => world.app.worker.runAllDue())
  return JSON.stringify(await Promise.all(workers))
}

async function settle(context: ActContext): Promise<string> {
  const { world, random } = context
  const runs = Array.from({ length: random.between(1, 2) }, () =>
    world.send('demo-school', 'POST', `${SANDBOX}/settlements/run`),
  )
  const answers = await Promise.all(runs)
  for (const { status } of answers) expectStatus(context, 'settle', status, [200])
  return answers.map(({ body }) => JSON.stringify(body.data)).join(' ')
}

export const LATER: readonly Command[] = [
  { name: 'refund', weight: 9, run: refund },
  { name: 'refund at once', weight: 3, run: refundAtOnce },
  { name: 'refund fails', weight: 3, run: failRefund },
  { name: 'cancel', weight: 4, run: cancel },
  { name: 'clock', weight: 6, run: moveClock },
  { name: 'due work', weight: 5, run: doDueWork },
  { name: 'settle', weight: 3, run: settle },
]
